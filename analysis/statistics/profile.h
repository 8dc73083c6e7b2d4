// SPDX-License-Identifier: GPL-3.0-or-later
// Where the time of the run went: executions, time, messages and bytes by entry method, chare, PE or object, or by the
// MPI calls around it.
#pragma once

#include "analysis/mpi/regioncalls.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace longpole {

struct StoredAnswers;

// Calls: of an MPI run, the code between two calls.
enum class ProfileBy : std::uint8_t { Entry, Chare, Pe, Object, Calls };

// What a profile line is about. By Entry: entry; by Chare: chare; by Pe: pe; by Object: chare and objectIndex; by
// Calls: the regions of both calls as objectIndex (analysis/mpi/callpairs.h).
struct ProfileKey {
    EntryId entry = noEntry;
    ChareId chare{0xffffffffu};
    ProcessorId pe{0xffffffffu};
    std::array<std::int64_t, 6> objectIndex{};
    bool isOutside = false;  // not of tasks: what was created outside of them
    friend auto operator<=>(const ProfileKey&, const ProfileKey&) = default;
};

// Times in ns: `time` is inclusive of nested executions, `exclusive` goes to the innermost; those over all lines but
// MPI calls add up to the run's busy time, of which they are the share. `count`: executions; of regions of MPI runs
// calls, among them MPI calls, whose time is no busy time and has no share. messages and bytes are what the executions
// created; over all lines they are those of the table of messages.
struct ProfileLine {
    ProfileKey key{};
    QString name{};  // for people
    std::int64_t count = 0;
    TimeNs time = 0;
    TimeNs exclusive = 0;
    TimeNs inMpi = 0;  // of the exclusive time, that of MPI calls
    double share = 0;
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
};

// What a line is called.
QString profileName(const TraceStore& store, ProfileBy by, const ProfileKey& key);

// What profiles by entry method, chare and PE take of events; all else stands in the trace's own profile.
struct ProfiledEvents {
    struct Messages {
        std::int64_t count = 0;
        std::int64_t bytes = 0;
        friend bool operator==(const Messages&, const Messages&) = default;
    };
    std::map<RegionId, RegionCalls> calls{};    // of MPI runs
    std::map<ProcessorId, Messages> outside{};  // that were created outside of tasks
};
// How many there are, by the totals of the trace.
std::int64_t messagesOutside(const TraceStore& store);
// Of the PEs whose rows the store has. Errors: damaged chunks; cancelled.
Result<ProfiledEvents> profiledEvents(const TraceStore& store, const Progress& progress);
// `by`: entry method, chare or PE. The profile of the whole run, whatever rows the store has.
std::vector<ProfileLine> profileOf(const TraceStore& store, ProfileBy by, const ProfiledEvents& events);

// For a trace that has the events of parts of the run only (core/trace/storedanswers.h). Errors: as requireEvents(), if
// it has no answers; damaged.
void storeProfiled(StoredAnswers& answers, const ProfiledEvents& events);
Result<ProfiledEvents> storedProfiled(const TraceStore& store);

// Most exclusive time first, then by key. O(profile table), and O(messages) if some were created outside of tasks; by
// Entry and Chare of MPI runs O(intervals + calls); by Object and Calls O(tasks + messages). Errors: damaged chunks;
// cancelled.
Result<std::vector<ProfileLine>> profile(const TraceStore& store, ProfileBy by, const Progress& progress);

}  // namespace longpole
