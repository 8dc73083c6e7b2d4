// SPDX-License-Identifier: GPL-3.0-or-later
// What messages take inside a node and between nodes, by size: learned from those whose arrival is known.
#pragma once

#include "analysis/queues/arrivalreading.h"
#include "analysis/queues/processorrecord.h"

#include <array>
#include <span>

namespace longpole {

class LatencyClasses {
public:
    // From messages whose receive time is logged, and from tasks before which their processor had idled. O(n).
    explicit LatencyClasses(ProcessorRecords& records);

    // The latency of messages like the one that started a task: the least one but for one in twenty (no more than what
    // was seen of its own two processors, whose messages may all have waited), the usual one, and the late one that
    // nine in ten do not reach. O(1).
    TimeNs of(const ProcessorRecord& record, std::size_t k, ArrivalReading reading) const
    {
        const Quantiles& known = m_classes[record.latencyClass[k]];
        if (reading == ArrivalReading::Late) return known.late;
        if (reading == ArrivalReading::Likely) return known.usual;
        return std::min(known.least, TimeNs{record.latency[k]});
    }
    // The same of all messages between processors of one node.
    TimeNs ofAny(ArrivalReading reading) const;

    // What a byte adds to the latency, ns: the line through the usual latencies of the sizes, weighted by their
    // messages, inside a node (0) and between nodes (1); never below zero.
    double perByte(std::size_t distance) const { return m_perByte[distance]; }
    static std::size_t distanceOf(std::uint8_t latencyClass) { return latencyClass / sizes; }

    // By node and size.
    static std::uint8_t classOf(const ActivityGraph& graph, const ReplayFacts& facts, std::uint32_t task);

private:
    void fit(std::span<const std::uint64_t> messages);
    static constexpr std::size_t sizes = 33;  // by bits of the number of bytes
    struct Quantiles {
        TimeNs least = 0;
        TimeNs usual = 0;
        TimeNs late = 0;
    };
    std::array<Quantiles, 2 * sizes> m_classes{};
    Quantiles m_any{};
    std::array<double, 2> m_perByte{};
};

}  // namespace longpole
