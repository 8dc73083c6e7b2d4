// SPDX-License-Identifier: GPL-3.0-or-later
// What the search for the causes of waits needs of a run: each rank's calls with their waits, what the rank did between
// them, and which calls messages connect.
#pragma once

#include "analysis/mpi/activitytimes.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "core/trace/kinds.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace longpole {

constexpr std::uint32_t noWaitCall = 0xffffffffu;

// A call that waited, at its begin.
struct WaitCall {
    std::uint32_t call = noWaitCall;  // its number
    std::int32_t culprit = -1;
    std::uint32_t culpritCall = noWaitCall;
    std::uint16_t flags = 0;
    WaitPattern pattern = WaitPattern::None;
};

// A call in which the ranks of a communicator meet, or with a root each of them the root.
struct WaitCollective {
    std::int32_t instance = -1;
    std::int32_t comm = -1;
    std::int32_t root = -1;
    std::uint32_t call = noWaitCall;
};

// When the calls of a rank began, and how long each waited, by number. 12 bytes a call.
class CallTimes {
public:
    void resize(std::size_t calls);
    void set(std::uint32_t call, TimeNs begin, TimeNs waited);
    void close();  // to be called after the last set()

    std::size_t size() const { return m_begins.size(); }
    TimeNs begin(std::uint32_t call) const { return m_begins[call]; }  // minTime: there is no such call
    TimeNs waited(std::uint32_t call) const { return m_waited[call] != tooLong ? m_waited[call] : longWait(call); }
    TimeRange wait(std::uint32_t call) const { return {begin(call), saturatingAdd(begin(call), waited(call))}; }

private:
    static constexpr std::uint32_t tooLong = 0xffffffffu;
    TimeNs longWait(std::uint32_t call) const;

    std::vector<TimeNs> m_begins;
    std::vector<std::uint32_t> m_waited;                   // ns; tooLong: stands in m_long
    std::vector<std::pair<std::uint32_t, TimeNs>> m_long;  // by call
};

// A message between a call of this rank and one of another: one sent it, the other completed its receive.
struct WaitMessage {
    std::uint32_t peer = 0;
    std::uint32_t own = 0;     // the call of this rank
    std::uint32_t theirs = 0;  // the call of the peer
};

struct WaitRank {
    CallTimes calls;
    std::vector<WaitCall> waits;              // by call
    std::vector<WaitCollective> collectives;  // by call
    ActivityTimes activity;                   // of the rank's own thread
    std::vector<WaitMessage> messages;        // by `own`
};

struct WaitRecords {
    std::vector<WaitRank> ranks;
    std::int64_t mostCauses = std::numeric_limits<std::int64_t>::max();  // that all waits may have: of a file, its size
};

// The code that a rank was in: by its entry method or region, with its place in the source, or by its call path alone.
enum class WaitCodes : std::uint8_t { Entries, CallPaths };
// 12 bytes a call, 7 a task, call or gap, 16 a call that waited or met others, 24 a message. Errors: damaged chunks,
// cancelled.
Result<WaitRecords> waitRecords(const TraceStore& store, const Progress& progress,
                                WaitCodes codes = WaitCodes::Entries);

// By call: the task that ends where it begins; ascending.
using CallTasks = std::vector<std::uint32_t>;
// The call that begins where the task ends; the last call before the task. noWaitCall if there is none. `near` is where
// the last search ended, 0 before the first: the next one begins there.
std::uint32_t callAfter(const CallTasks& tasks, std::uint32_t task, std::size_t& near);
std::uint32_t callBefore(const CallTasks& tasks, std::uint32_t task, std::size_t& near);

// A message, named by the task before the call that sent it and the task after the call that received it.
struct TaskMessage {
    std::uint32_t sender = 0;
    std::uint32_t sendTask = 0;
    std::uint32_t receivedIn = 0;
};

// What is known of the ranks from `first` on without asking others, whose calls messages would have to name.
struct OwnWaitRecords {
    std::uint32_t first = 0;
    std::vector<WaitRank> ranks;  // without messages
    std::vector<CallTasks> tasks;
    std::vector<std::vector<TaskMessage>> received;
};
// Of ranks [first, last). Errors as above.
Result<OwnWaitRecords> ownWaitRecords(const TraceStore& store, std::uint32_t first, std::uint32_t last,
                                      const Progress& progress, WaitCodes codes = WaitCodes::Entries);

}  // namespace longpole
