// SPDX-License-Identifier: GPL-3.0-or-later
// Branch E, step by step: waits, conditions, entry methods, bounds, replays of what could be preferred, advice,
// verdict.
#include "analysis/scheduling/schedulingadvice.h"

#include "analysis/base/naming.h"
#include "analysis/replay/model.h"
#include "analysis/replay/replayquestions.h"
#include "analysis/scheduling/gainbound.h"
#include "analysis/scheduling/priorityschemes.h"
#include "analysis/scheduling/schedulingwords.h"
#include "analysis/scheduling/schemeadvice.h"
#include "analysis/waiting/pathentries.h"
#include "analysis/waiting/waitevidence.h"
#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <optional>
#include <set>

namespace longpole {

namespace {

constexpr std::size_t leastTasks = 3;
// A scheme that needs more than one entry method, or objects, must gain so much more than one entry method alone.
constexpr double worthMore = 0.02;
// Runs of the same program differ by as much.
constexpr double leastGain = 0.01;
// Entry methods of which pairs are tried, with one replay each.
constexpr std::size_t mostInPairs = 5;

QString whyNot(const TraceStore& store, const ActivityGraph& graph, const std::vector<std::uint32_t>& critical)
{
    if (graph.hasRanks) return schedulingOfRanks().notEvaluated;
    if (!store.hasEvents()) return requireEvents(store).error().what;
    const auto isMessage = [](std::uint32_t source) { return source != noTask; };
    const auto hasTasks = [](std::span<const std::uint32_t> tasks) { return !tasks.empty(); };
    const auto& byPe = graph.byProcessor;
    if (graph.size() == 0 || graph.run.length() <= 0) return tr("The trace holds no tasks that take time.");
    if (std::count_if(byPe.begin(), byPe.end(), hasTasks) < 2)
        return tr("Only one PE ran tasks: their order does not change how long they take together.");
    if (std::none_of(graph.source.begin(), graph.source.end(), isMessage))
        return tr("The trace holds no messages that tasks could have waited for.");
    if (critical.size() < leastTasks)
        return tr("The longest chain of messages and merges has %1: too short to judge.")
            .arg(counted("%1 tasks", "%1 task", std::int64_t(critical.size())));
    return {};
}

// The interval is wider than what was replayed; no order of the queues gains more than the bound.
Prediction atMost(Prediction prediction, TimeNs bound)
{
    const TimeNs low = std::min(prediction.high, prediction.recorded - bound);
    if (prediction.low >= low) return prediction;
    prediction.low = low;
    prediction.gainHigh = 1 - ratio(double(low), double(prediction.recorded));
    return prediction;
}

double meanGain(const Prediction& prediction) { return (prediction.gainLow + prediction.gainHigh) / 2; }

class Adviser {
public:
    Adviser(Results& results, const ActivityGraph& graph, const CriticalPath& path, const ProcessorIdle& idle,
            const Thresholds& thresholds, const Progress& progress)
        : m_results(results), m_store(results.store()), m_graph(graph), m_path(path), m_thresholds(thresholds),
          m_progress(progress), m_waits(criticalWaits(graph, path, idle)), m_evidence(m_store, graph, idle, m_waits),
          m_bound(gainBound(graph, path, idle))
    {
    }

    Result<SchedulingAnalysis> find()
    {
        describe();
        if (const Result<> done = lookAtQueues(); !done) return done.error();
        const bool isPossible = m_found.afterIdle.isMet && m_found.behindOthers.isMet;
        if (const Result<> done = separate(); !done) return done.error();
        if (isPossible)
            if (const Result<> done = tryAll(); !done) return done.error();
        advise();
        judgeEntries();
        m_found.verdict = verdict();
        return std::move(m_found);
    }

private:
    void describe()
    {
        const TimeNs duration = m_graph.run.length();
        m_found.afterIdle = idleCondition(m_waits, duration, m_thresholds);
        m_found.behindOthers = overtakenCondition(m_waits, duration, m_thresholds);
        m_found.afterIdle.evidence = m_evidence.idling([](const CriticalWait& w) { return w.idleBefore; });
        m_found.behindOthers.evidence = m_evidence.overtaken([](const CriticalWait& w) { return w.wait.overtaken; });
        m_found.entries = pathEntries(m_graph, m_waits, m_thresholds);
        TimeNs estimated = 0;
        for (const CriticalWait& wait : m_waits) {
            addSaturating(m_found.wait.overtaken, wait.wait.overtaken);
            addSaturating(m_found.wait.residual, wait.wait.residual);
            addSaturating(m_found.wait.self, wait.wait.self);
            addSaturating(m_found.wait.overhead, wait.wait.overhead);
            if ((m_graph.flags[wait.task] & ActivityGraph::Estimated) != 0) addSaturating(estimated, wait.wait.sum());
        }
        m_found.estimatedShare = ratio(double(estimated), double(m_found.wait.sum()));
        m_found.bound = m_bound.bound();
        m_found.boundReason = boundWords(m_bound);
        m_found.estimate = std::min(m_bound.estimate(m_found.wait.overtaken), m_found.bound);
        for (const PathEntry& entry : m_found.entries) {
            const Entry* const known = m_store.entry(entry.entry);
            m_isUser.push_back(known != nullptr && known->kind == EntryKind::User);
        }
    }

    Result<> lookAtQueues()
    {
        const auto model = m_results.ask(ReplayModelQuestion{}, m_progress);
        if (!model) return model.error();
        m_found.recordedOrder = (*model)->discipline.order;
        m_found.noise = (*model)->noise;
        std::set<EntryId> onPath;
        for (std::size_t i = 0; i < m_found.entries.size(); ++i)
            if (m_isUser[i]) onPath.insert(m_found.entries[i].entry);
        for (const ForwardedBroadcast& broadcast : (*model)->forwarded)
            if (const EntryId entry{broadcast.entry}; onPath.contains(entry))
                m_broadcasts.emplace(EntryId{m_graph.entry[broadcast.sender]}, entry);
        return Unit{};
    }

    // What tasks broadcast waits where it is sent, as their other messages do where they arrive.
    std::vector<EntryId> withBroadcasts(std::vector<EntryId> set) const
    {
        for (std::size_t i = 0; i < set.size(); ++i)
            for (const auto& [sender, entry] : m_broadcasts)
                if (sender == set[i] && std::find(set.begin(), set.end(), entry) == set.end()) set.push_back(entry);
        return set;
    }

    Result<> separate()
    {
        const std::vector<EntryId> waiting = waitingEntries(m_found.entries, m_isUser, maxTime);
        if (waiting.empty() || !m_found.behindOthers.isMet) return Unit{};
        Result<TaskObjects> objects = taskObjects(m_store, m_graph, m_progress);
        if (!objects) return objects.error();
        m_objects = std::move(*objects);
        std::vector<bool> isCritical(m_graph.size());
        for (const CriticalWait& wait : m_waits) isCritical[wait.task] = true;
        auto found = separations(m_store, m_graph, m_objects, isCritical, waiting, m_progress);
        if (!found) return found.error();
        m_separations = std::move(*found);
        return Unit{};
    }

    Result<> tryAll()
    {
        m_schemes = prioritySchemes(m_found.entries, m_isUser, m_separations, m_found.bound,
                                    mostSchemes(m_graph.size()));
        if (m_schemes.empty()) return Unit{};
        // With room for one scheme there is nothing to choose: its prediction at once.
        if (isLarge(m_graph.size()) && mostSchemes(m_graph.size()) > 1) return tryLarge();
        for (const PriorityScheme& scheme : m_schemes) {
            const auto prediction = m_results.ask(PredictionQuestion{questionOf(scheme)}, m_progress);
            if (!prediction) return prediction.error();
            addTried(scheme, atMost(**prediction, m_found.bound), false);
        }
        return isLarge(m_graph.size()) ? Result<>(Unit{}) : trySets();
    }

    // Entry methods that gain more together than one alone: the best pair, and whatever adds to it.
    Result<> trySets()
    {
        std::vector<EntryId> others = entriesForSets(m_found.entries, m_isUser, m_found.bound);
        const std::size_t waiting = waitingEntries(m_found.entries, m_isUser, m_found.bound).size();
        others.resize(std::min(others.size(), mostInPairs));
        double best = 0;
        for (std::size_t i = 0; i < m_schemes.size(); ++i)
            if (isSingle(m_schemes[i])) best = std::max(best, meanGain(m_found.tried[i].prediction));
        std::vector<EntryId> set;
        while (set.size() < others.size()) {
            const std::vector<PriorityScheme> larger = largerSets(set, others, waiting);
            if (larger.empty()) break;
            const auto durations = replayOnce(larger);
            if (!durations) return durations.error();
            const auto shortest = std::min_element(durations->begin(), durations->end() - 1);
            const double gain = 1 - ratio(double(*shortest), double(durations->back()));
            if (gain < best + worthMore) break;
            best = gain;
            set = larger[static_cast<std::size_t>(shortest - durations->begin())].entries;
        }
        if (set.empty() || isTried(set)) return Unit{};
        m_schemes.push_back({set, {}});
        const auto prediction = m_results.ask(PredictionQuestion{questionOf(m_schemes.back())}, m_progress);
        if (!prediction) return prediction.error();
        addTried(m_schemes.back(), atMost(**prediction, m_found.bound), false);
        return Unit{};
    }

    std::vector<PriorityScheme> largerSets(const std::vector<EntryId>& set, const std::vector<EntryId>& others,
                                           std::size_t waiting) const
    {
        std::vector<PriorityScheme> larger;
        const auto add = [&](const std::vector<EntryId>& entries) {
            larger.push_back({entries, {}});
            const std::vector<EntryId> with = withBroadcasts(entries);
            if (with.size() > entries.size()) larger.push_back({with, {}});
        };
        for (std::size_t a = 0; a < others.size(); ++a) {
            if (std::find(set.begin(), set.end(), others[a]) != set.end()) continue;
            std::vector<EntryId> with = set;
            with.push_back(others[a]);
            if (!set.empty()) add(with);
            else if (a < waiting)  // of a pair at least the first one
                for (std::size_t b = a + 1; b < others.size(); ++b) add({others[a], others[b]});
        }
        return larger;
    }

    bool isTried(std::vector<EntryId> set) const
    {
        std::sort(set.begin(), set.end());
        return std::any_of(m_schemes.begin(), m_schemes.end(), [&](const PriorityScheme& scheme) {
            std::vector<EntryId> entries = scheme.entries;
            std::sort(entries.begin(), entries.end());
            return scheme.byEntry() && entries == set;
        });
    }

    // One replay each, and the interval of the best one if that looks worth it.
    Result<> tryLarge()
    {
        const Result<std::vector<TimeNs>> durations = replayOnce(m_schemes);
        if (!durations) return durations.error();
        const TimeNs base = durations->back();
        std::size_t best = 0;
        for (std::size_t i = 0; i < m_schemes.size(); ++i) {
            const TimeNs recorded = m_graph.run.length(), taken = (*durations)[i];
            const double gain = 1 - ratio(double(taken), double(base));
            addTried(m_schemes[i],
                     {.recorded = recorded,
                      .baseline = base,
                      .baselineError = ratio(double(base), double(recorded)) - 1,
                      .low = taken,
                      .high = taken,
                      .gainLow = gain,
                      .gainHigh = gain},
                     true);
            if (gain > m_found.tried[best].prediction.gainLow) best = m_found.tried.size() - 1;
        }
        TriedScheme& tried = m_found.tried[best];
        if (!isWorth(tried.prediction)) return Unit{};
        const auto prediction = m_results.ask(PredictionQuestion{questionOf(m_schemes[best])}, m_progress);
        if (!prediction) return prediction.error();
        tried.prediction = atMost(**prediction, m_found.bound);
        tried.isRough = false;
        return Unit{};
    }

    // What the run takes with each scheme, and last as it was; likely arrivals.
    Result<std::vector<TimeNs>> replayOnce(const std::vector<PriorityScheme>& schemes) const
    {
        const auto model = m_results.ask(ReplayModelQuestion{}, m_progress);
        if (!model) return model.error();
        std::vector<TimeNs> durations(schemes.size() + 1);
        std::vector<std::optional<Error>> errors(durations.size());
        parallelFor(durations.size(), [&](std::size_t i) {
            const ReplayQuestion question = i < schemes.size() ? questionOf(schemes[i]) : ReplayQuestion{};
            const Result<TimeNs> duration = replayedDuration(**model, question, ArrivalReading::Likely, m_progress);
            if (duration) durations[i] = *duration;
            else errors[i] = duration.error();
        });
        for (const std::optional<Error>& error : errors)
            if (error) return *error;
        return durations;
    }

    ReplayQuestion questionOf(const PriorityScheme& scheme) const
    {
        return {.queue = QueueOrder::Priority, .priorities = prioritiesOf(scheme, m_graph, m_objects)};
    }

    void addTried(const PriorityScheme& scheme, const Prediction& prediction, bool isRough)
    {
        m_found.tried.push_back({.what = schemeWords(scheme, m_store),
                                 .entries = scheme.byEntry() ? scheme.entries : std::vector<EntryId>{},
                                 .prediction = prediction,
                                 .isRough = isRough});
        m_found.baseline = prediction.baseline;
        m_found.baselineError = prediction.baselineError;
    }

    static bool isWorth(const Prediction& prediction)
    {
        return prediction.gains() && meanGain(prediction) >= leastGain;
    }
    static bool isWorth(const TriedScheme& tried) { return !tried.isRough && isWorth(tried.prediction); }

    void advise()
    {
        const SchemeContext context{m_store, m_graph, m_path, m_waits, m_evidence, m_found, m_bound, m_thresholds};
        std::vector<Advice> advice;
        double best = 0;  // of one entry method
        for (std::size_t i = 0; i < m_schemes.size(); ++i)
            if (isSingle(m_schemes[i]) && isWorth(m_found.tried[i]))
                best = std::max(best, meanGain(m_found.tried[i].prediction));
        for (std::size_t i = 0; i < m_schemes.size(); ++i) {
            const Prediction& prediction = m_found.tried[i].prediction;
            if (!isWorth(m_found.tried[i])) continue;
            if (!isSingle(m_schemes[i])) {
                if (meanGain(prediction) < best + worthMore) continue;
                best = meanGain(prediction);
            }
            m_found.tried[i].isAdvised = true;
            advice.push_back(priorityAdvice(m_schemes[i], prediction, context));
            advice.back().replay = std::make_shared<const ReplayQuestion>(questionOf(m_schemes[i]));
        }
        if (m_found.afterIdle.isMet)
            if (std::optional<Advice> split = splitAdvice(context)) advice.push_back(std::move(*split));
        for (Advice& one : advice) sayNumbers(one, m_store);
        std::sort(advice.begin(), advice.end(), ranksBefore);
        m_found.advice = std::move(advice);
    }

    static bool isSingle(const PriorityScheme& scheme) { return scheme.byEntry() && scheme.entries.size() == 1; }

    bool isMixed(EntryId entry) const
    {
        const auto found = std::find_if(m_found.entries.begin(), m_found.entries.end(),
                                        [&](const PathEntry& one) { return one.entry == entry; });
        return found != m_found.entries.end() && found->entryClass == EntryClass::Mixed;
    }

    bool gainsAlone(EntryId entry) const
    {
        return std::any_of(m_found.tried.begin(), m_found.tried.end(), [&](const TriedScheme& tried) {
            return tried.entries.size() == 1 && tried.entries.front() == entry && isWorth(tried);
        });
    }

    void judgeEntries()
    {
        for (std::size_t i = 0; i < m_found.entries.size(); ++i) {
            PathEntry& entry = m_found.entries[i];
            const bool waits = entry.wait.overtaken > 0 || entry.idleBefore > 0;
            const bool isApart = entry.entryClass != EntryClass::Mixed || gainsAlone(entry.entry);
            entry.isPotential = waits && m_isUser[i] && isApart;
            entry.caveat = m_isUser[i] ? caveat(entry)
                                       : tr("The run-time system's own: a program cannot give it a priority.");
        }
    }

    QString caveat(const PathEntry& entry) const
    {
        if (entry.entryClass == EntryClass::Good) return {};
        if (entry.entryClass == EntryClass::Once)
            return tr("It ran %1 times, at most once a PE or only at the start: a priority is of no use.")
                .arg(formatCount(entry.count));
        const QString text = tr("The same method does critical and other work (%1 of its time is off the path): a "
                                "priority prefers both.")
                                 .arg(formatShare(1 - entry.purity()));
        const auto found = std::find_if(m_separations.begin(), m_separations.end(),
                                        [&](const Separation& s) { return s.entry == entry.entry; });
        if (found == m_separations.end()) return text;
        if (found->kind == SeparationKind::None)
            return text + QLatin1Char(' ') + tr("Neither objects nor iterations would separate them.");
        return text + QLatin1Char(' ')
               + tr("%1 would separate them: %2 of its critical and %3 of its other time.")
                     .arg(words(*found, m_store), formatShare(found->covered), formatShare(found->others));
    }

    QString verdict() const
    {
        QStringList sentences;
        const auto isByEntry = [](const Advice& a) { return a.kind == QStringLiteral("prioritize"); };
        const auto byEntry = std::find_if(m_found.advice.begin(), m_found.advice.end(), isByEntry);
        const QString unmet = unmetWords(m_found, m_graph.run.length());
        if (!unmet.isEmpty()) sentences << tr("Priorities won't help.") << unmet;
        else if (byEntry != m_found.advice.end())
            sentences << tr("%1: %2.").arg(byEntry->title, predictionWords(*byEntry->prediction));
        else sentences << noSchemeWords();
        sentences << notAdvisedWords(m_found.tried);
        for (const Advice& advice : m_found.advice) {
            if (advice.kind == QStringLiteral("prioritize_objects"))
                sentences << tr("%1, if you know them beforehand: %2.")
                                 .arg(advice.title, predictionWords(*advice.prediction));
            if (advice.kind == QStringLiteral("split"))
                sentences << tr("%1: critical tasks waited %2 for the rest of running ones.")
                                 .arg(advice.title, formatTime(advice.residual));
        }
        return sentences.join(QLatin1Char(' '));
    }

    QString noSchemeWords() const
    {
        QStringList mixed, separating;
        for (const EntryId entry : mixedEntries(m_found.entries, m_isUser)) mixed << nameOfEntry(m_store, entry);
        for (const Separation& found : m_separations)
            if (const QString part = isMixed(found.entry) ? words(found, m_store) : QString();
                !part.isEmpty() && !separating.contains(part))
                separating << part;
        const bool isByObject = std::any_of(m_found.advice.begin(), m_found.advice.end(), [](const Advice& a) {
            return a.kind == QStringLiteral("prioritize_objects");
        });
        QString text = noPriorityWords(outcomeOf(m_found.tried), isByObject);
        if (!mixed.isEmpty())
            text += QLatin1Char(' ')
                    + (mixed.size() == 1 ? tr("%1 does critical and other work alike.")
                                         : tr("%1 do critical and other work alike."))
                          .arg(listed(mixed, 3));
        if (!separating.isEmpty() && !isByObject)
            text += QLatin1Char(' ')
                    + tr("They could be told apart by %1, if the program knows beforehand which these are.")
                          .arg(listed(separating, 3));
        return text;
    }

    Results& m_results;
    const TraceStore& m_store;
    const ActivityGraph& m_graph;
    const CriticalPath& m_path;
    const Thresholds& m_thresholds;
    const Progress& m_progress;
    std::vector<CriticalWait> m_waits;
    WaitEvidence m_evidence;
    GainBound m_bound;
    std::vector<bool> m_isUser;
    std::set<std::pair<EntryId, EntryId>> m_broadcasts;  // on the path: who sends, and what
    TaskObjects m_objects;
    std::vector<Separation> m_separations;
    std::vector<PriorityScheme> m_schemes;  // as m_found.tried
    SchedulingAnalysis m_found;
};

}  // namespace

SchedulingAnalysis schedulingOfRanks()
{
    SchedulingAnalysis nothing;
    nothing.notEvaluated = tr("MPI has no priorities.");
    return nothing;
}

Result<SchedulingAnalysis> schedulingAdvice(Results& results, const ActivityGraph& graph, const CriticalPath& path,
                                            const ProcessorIdle& idle, const Thresholds& thresholds,
                                            const Progress& progress)
{
    if (const QString why = whyNot(results.store(), graph, criticalTasks(graph, path)); !why.isEmpty()) {
        SchedulingAnalysis nothing;
        nothing.notEvaluated = why;
        return nothing;
    }
    return Adviser(results, graph, path, idle, thresholds, progress).find();
}

}  // namespace longpole
