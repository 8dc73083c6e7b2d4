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
    // From tasks that are Held because their processor had idled. O(n).
    LatencyClasses(const ReplayModel& model, const ReplayFacts& facts);

    // The latency of messages like the one that started a task: the least one but for one in twenty (no more than what
    // was seen of its own two processors, whose messages may all have waited), the usual one, and the late one that
    // nine in ten do not reach. O(1).
    TimeNs of(const ActivityGraph& graph, std::uint32_t task, ArrivalReading reading) const;

    // The same of all messages between processors of one node.
    TimeNs ofAny(ArrivalReading reading) const;

private:
    static constexpr std::size_t sizes = 33;  // by bits of the number of bytes
    struct Quantiles {
        TimeNs least = 0;
        TimeNs usual = 0;
        TimeNs late = 0;
    };
    std::size_t classOf(const ActivityGraph& graph, std::uint32_t task) const;

    const ReplayFacts& m_facts;
    std::array<Quantiles, 2 * sizes> m_classes{};
    Quantiles m_any{};
};

}  // namespace longpole
