// SPDX-License-Identifier: GPL-3.0-or-later
// In which order processors took what waited, by entry method: first in, first out; newest first; before others.
//
// At each decision of a scheduler the trace tells, within the bounds of arrivals, which messages waited. What began
// although another message had come earlier overtook it. Pairs of entry methods of which one overtakes, and never
// starts while the other waits, give an order; an entry method that overtakes itself, and never lets a newer message
// of its own wait, runs newest first; one that overtakes itself now and then has messages with priorities of their own.
// Expedited messages and the highest priority look alike.
#pragma once

#include "analysis/queues/latencies.h"
#include "analysis/queues/processorrecord.h"
#include "core/base/ids.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// Before: than the other, whatever came first. Expedited: the same, and before everything that it met. Lifo: newest
// first. Messages: single messages overtook others of the same entry method.
enum class RecordedConduct : std::uint8_t { Before, Expedited, Lifo, Messages };

struct RecordedOrder {
    EntryId entry = noEntry;
    EntryId before = noEntry;  // Lifo, Messages: the entry itself
    RecordedConduct conduct = RecordedConduct::Before;
    std::int64_t evidence = 0;  // tasks that began although a message of the other had come earlier
    friend bool operator==(const RecordedOrder&, const RecordedOrder&) = default;
};

struct QueueDiscipline {
    // By entry: smaller ones run first; `usual` beyond the end. Newest first: odd ones.
    std::vector<std::int32_t> rankOf;
    std::int32_t usual = 0;
    std::vector<std::uint8_t>
        isByMessage;                   // by entry: single messages had priorities, which their recorded order tells
    std::vector<RecordedOrder> order;  // most evidence first
    // Decisions of which it is known who waited, and those that fit neither these ranks nor the order of arrival.
    std::int64_t decisions = 0;
    std::int64_t unexplained = 0;

    bool isFifo() const { return order.empty(); }
    std::int32_t of(std::uint32_t entry) const { return entry < rankOf.size() ? rankOf[entry] : usual; }
    static bool isLifo(std::int32_t rank) { return (rank & 1) != 0; }
    bool isOrderedByMessage(std::uint32_t entry) const { return entry < isByMessage.size() && isByMessage[entry] != 0; }
    bool hasMessagesOrdered() const { return !isByMessage.empty(); }
    double unexplainedShare() const
    {
        return decisions > 0 ? static_cast<double>(unexplained) / static_cast<double>(decisions) : 0;
    }
};

// Needs Held and Expedited; entries of the run-time system are left out. O(n (log n + entry methods that wait)).
QueueDiscipline findDiscipline(ProcessorRecords& records, const ReplayFacts& facts, const LatencyClasses& latencies);

}  // namespace longpole
