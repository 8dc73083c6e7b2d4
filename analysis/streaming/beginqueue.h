// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the PE whose next task begins first, where some wait for a sender that begins at the same instant.
#pragma once

#include "core/base/timerange.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

namespace longpole {

class BeginQueue {
public:
    struct Begin {
        TimeNs time = 0;
        std::uint32_t pe = 0;
        friend auto operator<=>(const Begin&, const Begin&) = default;
    };

    // Each PE at most once, and none while it waits.
    void push(Begin begin) { m_begins.push(begin); }

    // Takes the earliest begin, the smallest PE first. None: nothing is left at or before `limit`, or all of it waits.
    std::optional<Begin> pop(TimeNs limit);

    // A begin that was popped comes again after release(). `other` is the PE whose task at the same instant it waits
    // for, and `row` that task's.
    void wait(Begin begin, std::uint32_t other, std::uint32_t row);
    void release(std::uint32_t pe);
    // All that wait for a task of `other` before `nextRow`.
    void releaseBefore(std::uint32_t other, std::uint32_t nextRow);

    // If all that is left at an instant waits for one another: the smallest PE on the circle that is met by going from
    // the smallest waiting PE on to the one it waits for (as orderTies() chooses). Else none. Where circles behind long
    // chains are so many that going along these takes long: the smallest waiting PE.
    std::optional<std::uint32_t> circle();

private:
    struct Awaited {
        std::uint32_t pe = 0, row = 0;
        friend auto operator<=>(const Awaited&, const Awaited&) = default;
    };

    std::priority_queue<Begin, std::vector<Begin>, std::greater<>> m_begins;
    std::int64_t m_patience = 1 << 20;                      // steps of searches for circles that are left
    TimeNs m_time = 0;                                      // of the begins that wait
    std::map<std::uint32_t, Awaited> m_waiting;             // by PE
    std::set<std::pair<Awaited, std::uint32_t>> m_awaited;  // the same the other way round
};

}  // namespace longpole
