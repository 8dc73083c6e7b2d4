// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a source of MPI events and only counts them, to measure reading without the rest of an import.
#pragma once

#include "core/base/parallel.h"
#include "importers/mpi/source.h"

#include <atomic>

namespace longpole {

class CountedEvents final : public MpiEvents {
public:
    std::int64_t calls = 0;
    std::int64_t records = 0;

    void enter(TimeNs, std::uint32_t) override {}
    void leave(TimeNs, std::uint32_t) override {}
    void beginCall(TimeNs, std::uint32_t) override { ++calls; }
    void endCall(TimeNs) override {}
    void send(std::int64_t, std::uint32_t, std::uint32_t, std::int32_t, std::int64_t, bool) override {}
    void postReceive(std::int64_t) override {}
    void sendCompleted(std::int64_t) override {}
    void received(std::int64_t, std::uint32_t, std::uint32_t, std::int32_t, std::int64_t) override {}
    void receivedNothing(std::int64_t) override {}
    void cancelled(std::int64_t) override {}
    void collective(std::int64_t, std::uint32_t, std::int32_t, MpiMoved, CollectiveKind) override {}
    void collectiveCompleted(std::int64_t) override {}
    void counter(TimeNs, std::uint32_t, double) override {}
    void mark(TimeNs, std::uint32_t, const QString&) override {}
    void record(const char*) override { ++records; }
};

struct ReadCounts {
    std::atomic<std::int64_t> calls{0};
    std::atomic<std::int64_t> records{0};
    std::atomic<bool> isWhole{true};  // false if reading a location failed
};

// Counts the events of all locations of a source, in parallel.
inline void countEvents(MpiSource& source, unsigned threads, ReadCounts& counts)
{
    parallelFor(
        source.names().locations.size(),
        [&](std::size_t location) {
            CountedEvents events;
            ImportLog log;
            if (!source.read(location, events, log, {})) counts.isWhole = false;
            counts.calls += events.calls;
            counts.records += events.records;
        },
        threads);
}

}  // namespace longpole
