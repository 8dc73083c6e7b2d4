// SPDX-License-Identifier: GPL-3.0-or-later
// One thread's records as the events of an MPI location: what each call sent, received and synchronized, loops of
// failed polls with what ended them as one call, and times that never run backwards.
#pragma once

#include "importers/common/importlog.h"
#include "importers/mpi/collectivebytes.h"
#include "importers/mpi/source.h"
#include "importers/recording/clock.h"
#include "importers/recording/openregions.h"
#include "recorder/format/calls.h"
#include "recorder/format/chunkrecords.h"

#include <map>
#include <span>
#include <vector>

namespace longpole {

// Maps a rank's own numbers to those of the run.
struct RecordingNumbers {
    std::vector<std::uint32_t> comms;    // noComm where there is none
    std::vector<std::uint32_t> regions;  // noRegion where there is none
    std::vector<std::uint32_t> stacks;   // CallPath::id of the place that the stack ends in
    std::uint32_t world = noComm;
};

// The rank whose events are read, and the run's communicators by place; null: sizes are not asked for.
struct RecordingMember {
    std::uint32_t rank = 0;
    const std::vector<MpiCommunicator>* known = nullptr;
};

// The regions that all ranks share.
struct RecordingRegions {
    std::vector<std::uint32_t> calls;  // by call id; the last one is for calls that this program does not know
    std::uint32_t own = noRegion;      // for the recorder's own work
    std::uint32_t off = noRegion;      // for the time in which recording paused
    std::uint32_t unnamed = noRegion;  // for regions without a name
    bool hasPolls = false;             // the run has the counter of polls, which is the first
    bool hasMachine = false;           // and those of enum MachineCounter behind it
};

// What the machine gave a rank, since the sample before but for the core.
enum class MachineCounter : std::uint8_t { CpuTime, WithoutCore, Taken, GivenUp, Core };
constexpr std::size_t machineCounters = 5;

struct RecordedCall {
    const char* name;  // "MPI_Send"; lives for ever
    lp_call_class what;
    lp_collective_kind collective;
};
// The call with that id; "MPI (unknown call)" if the id is not known.
const RecordedCall& recordedCall(std::uint32_t call);

// What is known of a thread from the records before.
struct RecordingEventsState {
    TimeNs m_last = minTime;     // the latest time given so far
    TimeNs m_counted = minTime;  // and that of a counter
    bool m_isInCall = false;
    bool m_isPolling = false;  // the call that ended the loop of polls in the open block has yet to come
    bool m_isOff = false;
    OpenRegions m_open;
    OpenRegions m_lost;  // that were open when recording paused: their ends may still come
    // What persistent collective requests move, by their communicators' numbers.
    struct Prepared {
        CollectiveKind kind;
        MpiMoved moved;
    };
    std::map<std::uint32_t, Prepared> m_prepared;
    WindowStep m_windowStep{};  // of the last one-sided call, and its window
    std::int32_t m_window = 0;
    std::map<std::int64_t, std::uint32_t> m_silent;  // requests to MPI_PROC_NULL that have not completed: how many
    mutable std::map<std::uint32_t, CollectiveMember> m_members;  // this rank in the communicators that it was asked of
};

class RecordingEvents : private RecordingEventsState {
public:
    RecordingEvents(const RecordingNumbers& numbers, const RecordingRegions& regions, const RecordingClock& clock,
                    MpiEvents& events, ImportLog& log, const RecordingMember& self = {},
                    const RecordingEventsState& from = {})
        : RecordingEventsState(from), m_numbers(numbers), m_self(self), m_regions(regions), m_clock(clock),
          m_events(events), m_log(log)
    {
    }

    // Ends the call that is open, if there is one: what comes next does not belong to it.
    const RecordingEventsState& endCall();
    // Takes records as they lie in an area; chunk after chunk. Returns how many bytes: not all where the events pause,
    // from where the next call goes on.
    std::size_t take(std::span<const char> records, const Progress& progress = {});
    // Takes the call that the thread was in when the program was killed.
    void takeOpenCall(std::uint32_t call, std::int64_t begin);
    void finish();

private:
    TimeNs advance(std::int64_t local);
    bool endBlock();
    void beginBlock(const lp_call_record& call, std::span<const char> behind);
    static bool continuesLoop(std::span<const char> record);
    void takePolling(const lp_polling_record& loop, std::span<const char> behind);
    void takeCall(const lp_call_record& call, const lp_call2_record* second);
    void giveOperations(const lp_call_record& call, const lp_call2_record* second);
    void giveSend(std::int64_t request, std::uint32_t comm, std::int32_t to, std::int32_t tag, std::int64_t bytes,
                  bool isSynchronous);
    void givePost(std::int64_t request, std::uint32_t comm, std::int32_t from, std::int32_t tag);
    void giveReceived(std::int64_t request, std::uint32_t comm, std::int32_t from, std::int32_t tag,
                      std::int64_t bytes);
    void giveCollective(const RecordedCall& call, std::int64_t request, std::uint32_t comm, std::int32_t root,
                        MpiMoved moved, CollectiveKind kind = CollectiveKind::None);
    MpiMoved movedBy(const lp_call_record& call, const lp_call2_record* second, std::uint32_t comm) const;
    void giveWindowStep(const lp_call_record& call, std::uint32_t comm);
    void startPrepared(const lp_completion_record& done, std::uint32_t comm);
    void takeCompletion(const lp_completion_record& done);
    void takeRegion(const lp_region_record& record);
    void takeSwitch(const lp_region_record& record);
    void takeOwn(const lp_own_record& own);
    void takePolls(const lp_polls_record& polls);
    void takeMachine(const lp_machine_record& machine);
    void giveCounter(TimeNs time, std::uint32_t counter, double value);
    std::uint32_t commOf(std::uint32_t number) const;
    bool takeSilent(std::int64_t request);

    const RecordingNumbers& m_numbers;
    const RecordingMember m_self;
    const RecordingRegions& m_regions;
    RecordingClock m_clock;
    MpiEvents& m_events;
    ImportLog& m_log;
};

}  // namespace longpole
