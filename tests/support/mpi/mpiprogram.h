// SPDX-License-Identifier: GPL-3.0-or-later
// MPI programs written by hand in exact nanoseconds, rank by rank and call by call, as sources of an import.
#pragma once

#include "core/store/tracestore.h"
#include "importers/mpi/source.h"

#include <QString>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace longpole {

class ScriptedMpi;

// What one thread of one rank does. Every function starts at the thread's clock and moves it on by its `duration`.
// Requests are numbers of the test's choice, unique on the rank.
class MpiThread {
public:
    struct Message {
        std::uint32_t peer = 0;  // world rank
        std::int32_t tag = 0;
        std::int64_t bytes = 0;
        std::uint32_t comm = 0;
    };

    MpiThread& compute(TimeNs duration);
    MpiThread& at(TimeNs time);  // sets the clock, also back, as in a damaged source
    TimeNs now() const { return m_now; }

    MpiThread& enter(const char* region, MpiRegionKind kind = MpiRegionKind::User);
    MpiThread& leave(const char* region, MpiRegionKind kind = MpiRegionKind::User);
    MpiThread& begin(const char* call);
    MpiThread& end(TimeNs duration);
    MpiThread& call(const char* name, TimeNs duration) { return begin(name).end(duration); }
    // MPI_Init and MPI_Finalize, which are collective on all ranks.
    MpiThread& init(TimeNs duration) { return collective("MPI_Init", noRank, 0, duration); }
    MpiThread& finalize(TimeNs duration) { return collective("MPI_Finalize", noRank, 0, duration); }

    MpiThread& send(std::uint32_t to, std::int32_t tag, std::int64_t bytes, TimeNs duration, std::uint32_t comm = 0);
    MpiThread& ssend(std::uint32_t to, std::int32_t tag, std::int64_t bytes, TimeNs duration, std::uint32_t comm = 0);
    MpiThread& recv(std::uint32_t from, std::int32_t tag, std::int64_t bytes, TimeNs duration, std::uint32_t comm = 0);
    MpiThread& sendrecv(const Message& to, const Message& from, TimeNs duration);
    MpiThread& isend(std::int64_t request, const Message& to, TimeNs duration);
    MpiThread& irecv(std::int64_t request, const Message& from, TimeNs duration);
    MpiThread& wait(std::int64_t request, TimeNs duration) { return complete("MPI_Wait", {request}, duration); }
    MpiThread& waitall(const std::vector<std::int64_t>& requests, TimeNs duration)
    {
        return complete("MPI_Waitall", requests, duration);
    }
    MpiThread& test(std::int64_t request, TimeNs duration) { return complete("MPI_Test", {request}, duration); }
    MpiThread& complete(const char* name, const std::vector<std::int64_t>& requests, TimeNs duration);
    MpiThread& waitNothing(std::int64_t request, TimeNs duration);  // MPI_Wait for a receive from MPI_PROC_NULL
    MpiThread& cancel(std::int64_t request, TimeNs duration);

    MpiThread& barrier(TimeNs duration, std::uint32_t comm = 0)
    {
        return collective("MPI_Barrier", noRank, 0, duration, comm);
    }
    MpiThread& allreduce(std::int64_t bytes, TimeNs duration, std::uint32_t comm = 0)
    {
        return collective("MPI_Allreduce", noRank, bytes, duration, comm);
    }
    MpiThread& bcast(std::int32_t root, std::int64_t bytes, TimeNs duration, std::uint32_t comm = 0)
    {
        return collective("MPI_Bcast", root, bytes, duration, comm);
    }
    MpiThread& reduce(std::int32_t root, std::int64_t bytes, TimeNs duration, std::uint32_t comm = 0)
    {
        return collective("MPI_Reduce", root, bytes, duration, comm);
    }
    MpiThread& collective(const char* name, std::int32_t root, std::int64_t bytes, TimeNs duration,
                          std::uint32_t comm = 0);
    // MPI_Iallreduce ...: completed by wait() and the like.
    MpiThread& icollective(const char* name, std::int64_t request, std::int32_t root, std::int64_t bytes,
                           TimeNs duration, std::uint32_t comm = 0);

    MpiThread& counter(const char* name, double value);
    MpiThread& mark(const char* region, const QString& text);
    // Gives any other event, at the thread's clock.
    MpiThread& event(std::function<void(MpiEvents&)> give);

private:
    friend class ScriptedMpi;
    struct Request {
        enum class Kind : std::uint8_t { Send, Receive, Collective } kind{};
        Message message;
    };
    MpiThread(ScriptedMpi& program, std::uint32_t rank) : m_program(program), m_rank(rank) {}
    MpiThread& sendCall(const char* name, const Message& to, TimeNs duration, bool isSynchronous);

    ScriptedMpi& m_program;
    std::uint32_t m_rank;
    TimeNs m_now = 0;
    std::vector<std::function<void(MpiEvents&)>> m_events;
};

// Communicator 0 is MPI_COMM_WORLD. Time zero is `info.begin`, 0 unless set.
class ScriptedMpi final : public MpiSource {
public:
    explicit ScriptedMpi(std::uint32_t ranks);

    // The rank's own thread of control, and another thread of its process. Either may be called again for the same one.
    MpiThread& rank(std::uint32_t rank) { return m_threads[rank]; }
    MpiThread& addThread(std::uint32_t rank, const char* name, TrackKind kind = TrackKind::Thread);
    std::uint32_t addCommunicator(const char* name, std::vector<std::uint32_t> members);
    void setHost(std::uint32_t rank, const char* host) { m_names.locations[rank].host = QString::fromLatin1(host); }
    void setMissing(std::uint32_t rank) { m_names.locations[rank].hasEvents = false; }
    TraceInfo& info() { return m_names.info; }
    void addCallPath(CallPath path) { m_names.callPaths.push_back(std::move(path)); }  // by id

    std::uint32_t region(const char* name, MpiRegionKind kind);  // its number, in order of first use
    void ownWork(const char* name);                              // this region is the tool's own work
    std::uint32_t sync(const char* name, MpiSyncKind kind);      // a region of kind Runtime
    std::uint32_t counter(const char* name);

    const MpiRunNames& names() const override { return m_names; }
    Result<> read(std::size_t location, MpiEvents& events, ImportLog& log, const Progress& progress) override;
    const ImportLog& log() const override { return m_log; }
    // read() of this location fails with this error after its events.
    void fail(std::size_t location, const QString& what) { m_failure = {location, what}; }

private:
    friend class MpiThread;
    MpiRunNames m_names;
    std::deque<MpiThread> m_threads;                                               // by location
    std::vector<std::unordered_map<std::int64_t, MpiThread::Request>> m_requests;  // by rank: its open requests
    std::optional<std::pair<std::size_t, QString>> m_failure;
    ImportLog m_log;
};

// The program's trace, written into `folder`; null (and a test failure) if the import fails.
std::shared_ptr<const TraceStore> importedProgram(ScriptedMpi& program, const QString& folder, unsigned threads = 0);

}  // namespace longpole
