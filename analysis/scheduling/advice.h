// SPDX-License-Identifier: GPL-3.0-or-later
// A piece of advice: what is wrong, what to change, how much it may gain, how sure that is, and where to see why.
#pragma once

#include "analysis/base/evidence.h"
#include "analysis/replay/replay.h"
#include "analysis/waiting/pathentries.h"
#include "core/base/ids.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <QString>
#include <QStringList>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace longpole {

enum class ScopeKind : std::uint8_t { Run, SlowStretches, Interval };
const char* name(ScopeKind kind);  // "run", "slow_stretches", "interval"

// The part of the run that the loss, times, evidence and SQL of a piece of advice are of.
struct AdviceScope {
    ScopeKind kind = ScopeKind::Run;
    std::vector<TimeRange> ranges{};  // in order; empty: the run
    QString text{};                   // "22 slow stretches, 36 % of the run; the worst from 2.835 s to 2.968 s"
};

struct Advice {
    QString id{};       // stable: "prioritize:E12", "grainsize:E7"
    QString kind{};     // "prioritize", "prioritize_objects", "split", ... or the id of the tree node it comes from
    QString node{};     // id of the tree node it comes from
    QString title{};    // imperative, without figures: "Give chain_hop a higher priority"
    QString verdict{};  // what is wrong, in one sentence; all that a folded card shows
    QString meaning{};  // what that comes from, and how bad it is; may be empty
    QString action{};   // what to do about it
    QString effect{};   // what it costs and would save: sayNumbers()
    AdviceScope scope{};
    EntryId entry = noEntry;
    std::optional<EntryClass> entryClass{};
    TimeNs severity = 0;               // PE-time lost, sum over PEs; of priorities and splitting, what they would save
    TimeNs over = 0;                   // queue wait behind tasks that are not critical
    TimeNs residual = 0;               // queue wait for the rest of a task that ran already
    TimeNs idle = 0;                   // idle time before its critical tasks
    std::optional<TimeNs> bound{};     // of the gain in duration; never exceeded
    std::optional<TimeNs> estimate{};  // of the gain in duration
    std::optional<Prediction> prediction{};
    std::shared_ptr<const ReplayQuestion> replay{};  // what gives the prediction, so that it can be looked at; or null
    QString replayOption{};                          // the same for the command line: "--balance perfect"; or empty
    QString replayChange{};                          // in a sentence: "The replay gives every PE the same work."
    QString replayWords{};                           // changeWords() of `replay`: sayNumbers()
    QString notReplayed{};  // why there is a question and no prediction, in sentences; else empty
    double confidence = 1;  // 0..1, lowered by what the health page doubts
    QStringList doubts{};   // why it is not 1
    bool isTiny = false;    // what it could save at most is not worth it: sayNumbers()
    std::vector<Evidence> evidence{};
    std::optional<std::uint32_t> place{};  // call path of where that is, or noCallPath; nothing: the trace tells
    TimeRange range{};                     // where it matters most, inside the scope
    QString sql{};                         // shows it again in the SQL panel; its column lost_ns adds up to the
                                           // severity; of scheduling to `over`, of a split to `residual`

    bool isOfScheduling() const { return node == QLatin1String("scheduling"); }
};

// Usable predictions first, larger gain first; then the rest by severity x confidence, larger first; then id. What is
// not worth it comes last.
bool ranksBefore(const Advice& a, const Advice& b);
bool isReplayed(const Advice& advice);

// Not worth it, though measured: what a replay says saves less than 1 % (the middle of the interval), or may cost time;
// and what no replay answers if it could save less than 1 % at most.
constexpr double leastWorth = 0.01;
bool isWorthIt(const Advice& advice);
// What it could save at most, where no replay says what it saves; nothing if no limit is known of it alone.
std::optional<TimeNs> limitOf(const Advice& advice);
// The same if it says something: a limit of nearly the whole run does not.
constexpr double nearlyAll = 0.9;
std::optional<TimeNs> saidLimitOf(const Advice& advice, TimeNs duration);
// "4.1 % to 7.1 %"; of gains only.
QString savingShares(const Prediction& prediction);
// How many are worth it; these come first.
std::size_t countWorthIt(const std::vector<Advice>& advice);
// "Balance the load more often. Predicted saving: 0.3 % to 0.6 % of the duration, by a replay."
QString notWorthItText(const Advice& advice);
// How the list is ordered, where a replay says of some what they save and of others not; else empty.
QString orderText(const std::vector<Advice>& advice);

// Fills in the effect, and the words of the scope and of the replay, from the numbers; for all that is given out.
void sayNumbers(Advice& advice, const TraceStore& store);

// Verdict, meaning, action, effect and scope as one text.
QString textOf(const Advice& advice);
// The same without the verdict, for who shows that apart.
QString moreOf(const Advice& advice);

}  // namespace longpole
