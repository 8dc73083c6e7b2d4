// SPDX-License-Identifier: GPL-3.0-or-later
// What is added up per stage and processor: the raw quantities that attributes are made of.
#pragma once

#include "core/base/ids.h"
#include "core/base/timerange.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

namespace longpole {

// Times in ns, clipped to stages. What happens at an instant counts in the stage that holds it; what happened before
// the run's begin counts in a first stage that begins there (docs/definitions.md, "Time zero and duration").
enum class StageQuantity : std::uint8_t {
    Length,  // of the stage, ns
    User,    // inside tasks; exclusive: of the innermost execution
    Idle,
    Pack,
    Flush,
    Untraced,       // outside tasks; the last three lie inside overhead, or inside idling
    CriticalPath,   // on the path that was given
    Tasks,          // executions begun
    TaskTime,       // their exclusive time, wherever it is spent
    LongestTask,    // largest of those (maximum)
    Processed,      // deliveries: executions of a known message; of MPI, messages received
    ReceivedBytes,  // of their messages, as they were created
    ReceivedInNode,
    ReceivedBytesInNode,  // those whose creator is on the same node
    Latency,              // creation to delivery, of those that are no earlier than it
    Latencies,            // how many those are
    Waiting,     // ns that messages spend between receipt and begin, where they spend it (estimated receive times)
    QueueWait,   // the same time, all of it at the begin
    QueueWaits,  // how many deliveries that is
    Created,     // creations (a broadcast is one)
    CreatedBytes,
    TasksCreated,  // executions of the messages created here
    SentInNode,
    SentBytesInNode,  // deliveries on the creator's node of messages created here, and their bytes
    EventTime,        // ns inside user events (brackets; nested ones count again)
    Events,           // user events begun or marked
    Samples,          // of a statistic or counter
    SampleSum,        // their sum (real)
    LargestSample,    // (real, maximum)
    MpiTime,          // ns inside MPI calls; those of several threads of a rank add up
    MpiCalls,         // calls begun
    MpiSent,          // bytes that these send to others and receive from others (docs/algorithms.md 7.6)
    MpiReceived,
    CollectiveSent,  // the same of collective calls
    CollectiveReceived,
    Waited,  // ns waited for others in calls, and by threads of a rank, in its wait states (docs/algorithms.md 7.2)
    Memory,  // bytes: largest sample in the stage, else the last one before (real, maximum)
};
constexpr std::size_t quantityCount = static_cast<std::size_t>(StageQuantity::Memory) + 1;

constexpr bool isMaximum(StageQuantity q)
{
    return q == StageQuantity::LongestTask || q == StageQuantity::LargestSample || q == StageQuantity::Memory;
}
// Kept as double; a maximum of nothing is NaN.
constexpr bool isReal(StageQuantity q)
{
    return q == StageQuantity::SampleSum || q == StageQuantity::LargestSample || q == StageQuantity::Memory;
}

// A value that is not there: of nothing, or 0 / 0.
constexpr double undefinedValue = std::numeric_limits<double>::quiet_NaN();

// The larger of two values of which NaN is none.
inline double largest(double a, double b) { return std::isnan(a) || b > a ? b : a; }

// A quantity's values in two cells, put together: their sum, or the larger one.
inline double folded(double a, double b, StageQuantity q) { return isMaximum(q) ? largest(a, b) : a + b; }
inline std::int64_t folded(std::int64_t a, std::int64_t b, StageQuantity q)
{
    return isMaximum(q) ? std::max(a, b) : saturatingAdd(a, b);
}

// What a quantity is restricted to. Entry and chare: of executions the entry they run, of creations the entry they are
// for. Region: a user event, statistic, counter or MPI call. WaitState: its number in WaitStateKind.
struct Subject {
    enum class Kind : std::uint8_t { Program, Entry, Chare, Region, WaitState };
    Kind kind = Kind::Program;
    std::uint32_t id = 0;
    friend auto operator<=>(const Subject&, const Subject&) = default;
};
inline Subject subjectOf(EntryId id) { return {Subject::Kind::Entry, index(id)}; }
inline Subject subjectOf(ChareId id) { return {Subject::Kind::Chare, index(id)}; }
inline Subject subjectOf(RegionId id) { return {Subject::Kind::Region, index(id)}; }

struct Measure {
    StageQuantity quantity{};
    Subject subject{};
    friend auto operator<=>(const Measure&, const Measure&) = default;
};

}  // namespace longpole
