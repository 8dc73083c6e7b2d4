// What messages take inside a node and between nodes, by size: learned from those whose arrival is known.
#pragma once

#include "analysis/replay.h"
#include "analysis/replaymodel.h"
#include "analysis/timemedian.h"

#include <array>
#include <memory>
#include <vector>

namespace longpole {

struct ReplayFacts;

class LatencyClasses {
public:
    // Needs the trait Held. O(n).
    LatencyClasses(const ReplayModel& model, const ReplayFacts& facts);

    // The usual latency of messages like the one that started a task, or the late one that nine in ten do not reach;
    // 0 where nothing is known. O(1).
    TimeNs of(const ActivityGraph& graph, std::uint32_t task, ArrivalReading reading) const;

private:
    static constexpr std::size_t sizes = 33;  // by bits of the number of bytes
    struct Quantiles {
        TimeNs usual = 0;
        TimeNs late = 0;
    };
    std::size_t classOf(const ActivityGraph& graph, std::uint32_t task) const;

    const ReplayFacts& m_facts;
    std::array<Quantiles, 2 * sizes> m_classes{};
};

}  // namespace longpole
