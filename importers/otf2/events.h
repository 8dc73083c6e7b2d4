// SPDX-License-Identifier: GPL-3.0-or-later
// One location's OTF2 records as MpiEvents: regions closed by stack, the outermost MPI region as the call, peers as
// world ranks, metrics as counters, calling contexts as the regions that they enter and leave.
#pragma once

#include "core/base/limits.h"
#include "importers/common/importlog.h"
#include "importers/mpi/collectivebytes.h"
#include "importers/mpi/source.h"
#include "importers/otf2/run.h"

#include <functional>
#include <limits>
#include <map>
#include <vector>

namespace longpole {

// What the record of a non-blocking collective's completion says; that of its start names only the request.
struct Otf2Completion {
    std::uint64_t request = 0;
    OTF2_CollectiveOp operation = OTF2_COLLECTIVE_OP_BARRIER;
    OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
    std::uint32_t root = OTF2_COLLECTIVE_ROOT_NONE;
    MpiMoved counted;
};
// Reads the completions of one location, in time order; called when the first such collective starts.
using Otf2Completions = std::function<std::vector<Otf2Completion>()>;

class Otf2Events {
public:
    // `file` is what places of soft errors start with.
    Otf2Events(const Otf2Run& run, std::size_t location, MpiEvents& events, QString file, Otf2Completions completions);

    // Called for every record, before its own function. `position` counts from 1.
    // False: it is not taken, nor any after it: of a file that was cut the library may read the last part again and
    // again, which goes back in time.
    bool record(const char* kind, OTF2_TimeStamp time, std::uint64_t position);
    // The file ends early, or cannot be read any further.
    void damaged();
    // Whether the location is to stop behind the record that was just handed over.
    bool isRepeating() const { return m_isRepeating; }
    void setCut() { m_isCut = true; }
    bool isPausing() const { return m_hasEndedCall && m_callDepth == 0 && m_events.pauses(); }
    // To be called after the last record.
    void finish(ImportLog& log);

    void enter(OTF2_RegionRef region, OTF2_AttributeList* attributes);
    void leave(OTF2_RegionRef region);
    void contextEnter(OTF2_CallingContextRef context, std::uint32_t unwindDistance);
    void contextLeave(OTF2_CallingContextRef context);
    void contextSample(OTF2_CallingContextRef context, std::uint32_t unwindDistance, OTF2_InterruptGeneratorRef);
    void bufferFlush(OTF2_TimeStamp stop);
    void measurement(OTF2_MeasurementMode mode);
    void unknown();

    void mpiSend(std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes);
    void mpiIsend(std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
                  std::uint64_t request);
    void mpiIsendComplete(std::uint64_t request);
    void mpiIrecvRequest(std::uint64_t request);
    void mpiRecv(std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes);
    void mpiIrecv(std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag, std::uint64_t bytes,
                  std::uint64_t request);
    void mpiRequestCancelled(std::uint64_t request);
    void mpiCollectiveEnd(OTF2_CollectiveOp operation, OTF2_CommRef comm, std::uint32_t root, std::uint64_t sent,
                          std::uint64_t received);
    void collectiveRequest(std::uint64_t request);
    void collectiveComplete(OTF2_CollectiveOp, OTF2_CommRef, std::uint32_t, std::uint64_t, std::uint64_t,
                            std::uint64_t request);
    void teamBegin(OTF2_CommRef team);
    void teamEnd(OTF2_CommRef team);
    void metric(OTF2_MetricRef metric, std::uint8_t count, const OTF2_Type* types, const OTF2_MetricValue* values);

private:
    enum class Open : std::uint8_t { Region, Call, Off };
    struct Frame {
        std::uint32_t region = otf2None;
        Open open = Open::Region;
        bool isTeam = false;  // an implicit task that says of which team it is
    };

    void push(std::uint32_t region);
    void pop();
    bool moveTo(std::uint32_t context, std::uint32_t newlyEntered);
    bool isTooFar();
    void issue(IssueKind kind);
    // Null, after counting it, if it is not a communicator of MPI.
    const Otf2Comm* mpiComm(OTF2_CommRef comm);
    void send(std::int64_t request, Otf2LoneCall lone, std::uint32_t receiver, OTF2_CommRef comm, std::uint32_t tag,
              std::uint64_t bytes);
    void receive(std::int64_t request, Otf2LoneCall lone, std::uint32_t sender, OTF2_CommRef comm, std::uint32_t tag,
                 std::uint64_t bytes);
    void collective(std::int64_t request, OTF2_CollectiveOp operation, const Otf2Comm& comm, std::int32_t root,
                    MpiMoved counted);
    std::int32_t rootOf(const Otf2Comm& comm, std::uint32_t root) const;
    // Runs `report` inside the open call, or inside a call without length that is made for it.
    template <typename Report>
    void inCall(int lone, const Report& report);

    const Otf2Run& m_run;
    MpiEvents& m_events;
    const QString m_file;
    ImportLog m_log;
    Otf2Completions m_readCompletions;
    std::uint32_t m_rank = 0;
    TimeNs m_first = 0;
    TimeNs m_time = std::numeric_limits<TimeNs>::min();  // of the last record
    TimeNs m_flushEnd = 0;
    bool m_isFlushing = false;
    bool m_hasEndedCall = false;  // in this record
    bool m_hasCompletions = false;
    std::uint64_t m_position = 0;
    OTF2_TimeStamp m_read = 0;  // of the record before
    bool m_isCut = false;
    bool m_isRepeating = false;
    std::vector<Frame> m_stack;
    std::size_t m_callDepth = 0;         // the place of the open call in the stack, from 1; 0: no call is open
    std::vector<std::uint32_t> m_path;   // open calling contexts, outermost first
    std::vector<std::uint32_t> m_chain;  // scratch
    std::int64_t m_stepsLeft;
    std::vector<double> m_sums;                                          // of counters that come as differences
    std::map<std::uint32_t, CollectiveMember> m_members;                 // this rank in communicators, by place
    std::map<std::uint64_t, std::vector<Otf2Completion>> m_completions;  // by request, latest first
};

// Callbacks for every kind of record, whose user data is an Otf2Events.
void setOtf2Callbacks(OTF2_EvtReaderCallbacks* callbacks);

}  // namespace longpole
