// SPDX-License-Identifier: GPL-3.0-or-later
// When messages arrived, under each reading of what the trace leaves unknown: mostly it leaves nothing unknown, so the
// likely delays are a column, and the other readings keep only what differs.
#pragma once

#include "analysis/base/compacttimes.h"
#include "analysis/base/rankedbits.h"
#include "analysis/queues/arrivalreading.h"
#include "core/base/timerange.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

constexpr std::size_t arrivalReadings = 4;

class ReadingDelays {
public:
    // A task, and its delay where that is not the likely one.
    using Different = std::pair<std::uint32_t, TimeNs>;

    // One reading of all tasks. The delays must outlive it.
    class Reading {
    public:
        TimeNs operator[](std::size_t task) const
        {
            return m_differs != nullptr && m_differs->has(task) ? (*m_values)[m_differs->rank(task)]
                                                                : (*m_likely)[task];
        }

    private:
        friend class ReadingDelays;
        const CompactTimes* m_likely = nullptr;
        const RankedBits* m_differs = nullptr;  // null: it is the likely one
        const CompactTimes* m_values = nullptr;
    };

    // All tasks with delay 0 under all readings.
    void resize(std::size_t tasks);
    // Threads may set different tasks at once.
    void setLikely(std::uint32_t task, TimeNs delay) { m_likely.set(task, delay); }
    TimeNs likely(std::uint32_t task) const { return m_likely[task]; }
    // What another reading has, once and after all likely ones. Each task stands in one of the lists, or in none.
    void setDifferent(ArrivalReading reading, std::span<const std::vector<Different>> lists);
    // Under all readings.
    void setZero(std::uint32_t task);

    Reading of(ArrivalReading reading) const;
    std::int64_t bytes() const;

private:
    struct Others {
        RankedBits differs;
        CompactTimes values;  // of those that differ, by task
    };
    CompactTimes m_likely;
    std::array<Others, arrivalReadings> m_others;  // by reading; that of the likely one is empty
};

}  // namespace longpole
