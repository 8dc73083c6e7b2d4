// SPDX-License-Identifier: GPL-3.0-or-later
// Latencies of messages inside a node and between nodes, by size: learned from the messages whose arrival is known.
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

    // The latency of messages like the one that started the k-th task. Early: only one message in twenty is faster, and
    // no more than the record has of this message itself. Likely: the usual one. Late: only one message in ten is
    // slower. O(1).
    TimeNs of(const ProcessorRecord& record, std::size_t k, ArrivalReading reading) const
    {
        const Quantiles& known = m_classes[record.latencyClass[k]];
        if (reading == ArrivalReading::Late) return known.late;
        if (reading == ArrivalReading::Likely) return known.usual;
        return std::min(known.least, TimeNs{record.latency[k]});
    }
    // The same over all messages between processors of one node, whatever their size.
    TimeNs ofAny(ArrivalReading reading) const;

    // What a byte adds to the latency, in ns, inside a node (0) and between nodes (1): the slope of the line through
    // the usual latency of each size, weighted by the number of messages; never below zero.
    double perByte(std::size_t distance) const { return m_perByte[distance]; }
    static std::size_t distanceOf(std::uint8_t latencyClass) { return latencyClass / sizes; }

    // The class of a task's message: inside a node or between nodes, and its size.
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
