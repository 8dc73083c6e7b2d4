// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/phases/rounds.h"

#include "analysis/base/chunkscan.h"
#include "analysis/base/naming.h"
#include "analysis/phases/callrounds.h"
#include "core/base/wide.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace longpole {

namespace {

// Entry method, index, and the PE for objects without an index.
using ObjectEntry = std::array<std::int64_t, 8>;

// A symbol of a phase's root that may mark its iterations.
struct MarkChoice {
    std::uint32_t symbol = 0;
    std::size_t first = 0;      // run of it on the path
    std::int64_t onPath = 0;    // runs of it
    std::int64_t byObject = 0;  // executions by an object of the path, the lower median of these
    TimeNs time = 0;            // on the path
};

class Rounds {
public:
    Rounds(const TraceStore& store, TimeRange range, PathPhases& phases, const Progress& progress)
        : m_store(store), m_range(range.isEmpty() ? TimeRange{minTime, maxTime} : range), m_phases(phases),
          m_progress(progress)
    {
        for (const Phase& phase : phases.phases)
            for (std::size_t i = 0; i < phase.rootLength; ++i) addEntry(phase.pattern[i]);
    }

    Result<> find()
    {
        if (m_isIndexed.empty()) return Unit{};
        if (Result<> counted = countExecutions(); !counted) return counted;
        if (Result<> counted = countOnPath(); !counted) return counted;
        std::set<std::uint32_t> marks;
        std::vector<const MarkChoice*> chosen;
        for (const Phase& phase : m_phases.phases) {
            chosen.push_back(bestMark(phase));
            if (chosen.back() != nullptr) marks.insert(chosen.back()->symbol);
        }
        if (marks.empty()) return Unit{};
        if (Result<> read = readBegins(marks); !read) return read;
        for (std::size_t i = 0; i < chosen.size(); ++i)
            if (chosen[i] != nullptr) setRounds(m_phases.phases[i], *chosen[i]);
        return Unit{};
    }

private:
    // The run-time system's own chares run beside the iterations.
    void addEntry(std::uint32_t symbol)
    {
        const Entry* const entry = m_store.entry(EntryId{symbol});
        if (entry == nullptr || entry->kind != EntryKind::User) return;
        const Chare* const chare = findChare(m_store, entry->chareId);
        m_isIndexed[symbol] = chare != nullptr && chare->dimensions > 0;
    }

    ObjectEntry keyOf(const TaskRow& task, ProcessorId pe) const
    {
        ObjectEntry key{index(task.entry())};
        bool hasIndex = m_isIndexed.at(index(task.entry()));
        for (std::size_t i = 0; i < 6; ++i) {
            key[i + 1] = task.objectIndex(i);
            hasIndex = hasIndex || key[i + 1] != 0;
        }
        key[7] = hasIndex ? -1 : std::int64_t{index(pe)};
        return key;
    }

    // Calls visit(task, pe) for the executions of wanted entry methods that begin in the range.
    template <typename Wanted, typename Visit>
    Result<> eachExecution(std::uint32_t fields, Wanted isWanted, Visit visit) const
    {
        for (const Processor& processor : m_store.processors()) {
            auto tasks = m_store.rows<TaskRow>(processor.track, fields | TaskRow::Begin | TaskRow::Entry,
                                               {.touching = m_range, .progress = &m_progress});
            for (const TaskRow& task : tasks)
                if (m_range.contains(task.begin()) && isWanted(index(task.entry()))) visit(task, processor.pe);
            if (const Result<> read = tasks.result(); !read) return read;
        }
        return Unit{};
    }

    Result<> countExecutions()
    {
        const auto isKnown = [this](std::uint32_t entry) { return m_isIndexed.contains(entry); };
        return eachExecution(TaskRow::Object | TaskRow::Range, isKnown, [this](const TaskRow& task, ProcessorId pe) {
            ++m_counts[keyOf(task, pe)];
            TimeNs& end = m_ends[index(task.entry())];
            end = std::max(end, task.end());
        });
    }

    Result<> countOnPath()
    {
        std::map<std::uint32_t, std::vector<std::int64_t>> counts;  // by symbol, of the objects of its runs
        std::map<std::uint32_t, RowSeeker<TaskRow>> tasksOf;        // by PE
        const CollapsedRuns& searched = m_phases.searched;
        for (std::size_t run = 0; run < searched.symbols.size(); ++run) {
            const std::uint32_t symbol = searched.symbols[run];
            if (!m_isIndexed.contains(symbol)) continue;
            MarkChoice& choice = m_choices.try_emplace(symbol, MarkChoice{symbol, run}).first->second;
            ++choice.onPath;
            for (std::size_t i = searched.begins[run]; i < searched.begins[run + 1]; ++i)
                choice.time = saturatingAdd(choice.time, m_phases.path.parts[i].length());
            const TaskId task = m_phases.path.tasks[searched.begins[run]];
            const Processor* const processor = m_store.processor(task.pe);
            if (processor == nullptr) continue;
            auto& seeker = tasksOf
                               .try_emplace(index(task.pe), m_store, processor->track, TaskRow::Entry | TaskRow::Object)
                               .first->second;
            const Result<const TaskRow*> row = seeker.find(task.index);
            if (!row) return row.error();
            if (*row == nullptr || index((*row)->entry()) != symbol) continue;
            if (const auto known = m_counts.find(keyOf(**row, task.pe)); known != m_counts.end())
                counts[symbol].push_back(known->second);
        }
        for (auto& [symbol, some] : counts) {
            const auto middle = some.begin() + static_cast<std::ptrdiff_t>((some.size() - 1) / 2);
            std::nth_element(some.begin(), middle, some.end());
            m_choices.at(symbol).byObject = *middle;
        }
        return Unit{};
    }

    // The path misses some iterations at most: what an object runs much more often, or less often than the path meets
    // it, is not run once in each.
    static bool isOncePerIteration(const MarkChoice& choice)
    {
        return choice.byObject >= choice.onPath && 10 * choice.byObject <= 13 * choice.onPath;
    }

    // Loops may be nested (load balancing every so many steps): the one that has most of the path's time counts, and in
    // it what the path has most often, first.
    const MarkChoice* bestMark(const Phase& phase) const
    {
        std::vector<const MarkChoice*> choices;
        const std::set<std::uint32_t> repeated(phase.pattern.begin(),
                                               phase.pattern.begin() + static_cast<std::ptrdiff_t>(phase.rootLength));
        for (const std::uint32_t symbol : repeated)
            if (const auto known = m_choices.find(symbol);
                known != m_choices.end() && isOncePerIteration(known->second))
                choices.push_back(&known->second);
        std::sort(choices.begin(), choices.end(),
                  [](const MarkChoice* a, const MarkChoice* b) { return a->byObject < b->byObject; });
        std::vector<Wide> times{0};  // of so many of the first choices
        for (const MarkChoice* choice : choices) times.push_back(times.back() + choice->time);
        const MarkChoice* best = nullptr;
        TimeNs bestTime = -1;
        std::size_t first = 0, last = 0;  // the choices that are run about as often
        for (const MarkChoice* choice : choices) {
            const std::int64_t apart = choice->byObject / 10;
            while (choices[first]->byObject < choice->byObject - apart) ++first;
            while (last < choices.size() && choices[last]->byObject <= choice->byObject + apart) ++last;
            const auto time = static_cast<TimeNs>(std::min<Wide>(times[last] - times[first], maxTime));
            const bool isBetter = best == nullptr || time > bestTime
                                  || (time == bestTime
                                      && std::pair(-choice->onPath, choice->first)
                                             < std::pair(-best->onPath, best->first));
            if (!isBetter) continue;
            best = choice;
            bestTime = time;
        }
        return best;
    }

    // The k-th execution of a mark by the first of the objects that have as many as the mark has rounds.
    Result<> readBegins(const std::set<std::uint32_t>& marks)
    {
        const auto isMark = [&marks](std::uint32_t entry) { return marks.contains(entry); };
        // An object that migrates goes on elsewhere: its executions are gathered before they are numbered.
        std::map<ObjectEntry, std::vector<TimeNs>> begins;
        const auto read = eachExecution(TaskRow::Object, isMark, [&](const TaskRow& task, ProcessorId pe) {
            const ObjectEntry key = keyOf(task, pe);
            const auto symbol = static_cast<std::uint32_t>(key[0]);
            if (m_counts.at(key) == m_choices.at(symbol).byObject) begins[key].push_back(task.begin());
        });
        if (!read) return read;
        for (auto& [key, times] : begins) {
            std::sort(times.begin(), times.end());
            std::vector<TimeNs>& first = m_begins[static_cast<std::uint32_t>(key[0])];
            if (first.empty()) first.assign(times.size(), maxTime);
            for (std::size_t k = 0; k < times.size(); ++k) first[k] = std::min(first[k], times[k]);
        }
        return Unit{};
    }

    void setRounds(Phase& phase, const MarkChoice& mark)
    {
        const std::vector<TimeNs>& begins = m_begins[mark.symbol];
        if (begins.size() < 2) return;
        const TimeNs end = std::max(begins.back(), endOf(phase, begins.back()));
        std::vector<TimeNs> edges = begins;
        if (endsIteration(phase, begins, end)) {
            edges.pop_back();
            edges.insert(edges.begin(), beginBefore(phase, begins.front()));
        }
        edges.push_back(end);
        phase.mark = mark.symbol;
        phase.rounds.clear();
        for (std::size_t k = 0; k + 1 < edges.size(); ++k) phase.rounds.push_back({edges[k], edges[k + 1]});
    }

    // A mark at the end of an iteration has the first one before it, and nothing much behind the last.
    bool endsIteration(const Phase& phase, const std::vector<TimeNs>& begins, TimeNs end) const
    {
        std::vector<TimeNs> lengths;
        for (std::size_t k = 1; k < begins.size(); ++k) lengths.push_back(begins[k] - begins[k - 1]);
        const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() - 1) / 2);
        std::nth_element(lengths.begin(), middle, lengths.end());
        const TimeNs before = begins.front() - beginBefore(phase, begins.front());
        const TimeNs behind = end - begins.back();
        return behind < *middle / 2 && before > behind;
    }

    // From where on the path was in the phase without a break before that time.
    TimeNs beginBefore(const Phase& phase, TimeNs time) const
    {
        const std::set<std::uint32_t> own(phase.pattern.begin(), phase.pattern.end());
        const std::vector<std::uint32_t>& symbols = m_phases.searched.symbols;
        TimeNs since = time;
        for (std::size_t run = 0; run < symbols.size(); ++run) {
            const TimeNs begin = m_phases.rangeOf(run, run + 1).begin;
            if (begin >= time) break;
            if (!own.contains(symbols[run])) since = time;
            else since = std::min(since, begin);
        }
        return since;
    }

    // The last round goes on as long as the path stays in the phase; where the path ended before, as long as anything
    // of the phase runs.
    TimeNs endOf(const Phase& phase, TimeNs begin) const
    {
        const std::set<std::uint32_t> own(phase.pattern.begin(), phase.pattern.end());
        const std::vector<std::uint32_t>& symbols = m_phases.searched.symbols;
        std::size_t run = 0;
        while (run < symbols.size() && m_phases.rangeOf(run, run + 1).begin < begin) ++run;
        const std::size_t first = run;
        while (run < symbols.size() && own.contains(symbols[run])) ++run;
        if (run < symbols.size() && run > first) return m_phases.rangeOf(first, run).end;
        TimeNs last = begin;
        for (const std::uint32_t symbol : own)
            if (const auto known = m_ends.find(symbol); known != m_ends.end()) last = std::max(last, known->second);
        return std::min(last, std::min(m_range.end, m_store.info().end));
    }

    const TraceStore& m_store;
    TimeRange m_range;
    PathPhases& m_phases;
    const Progress& m_progress;
    std::map<std::uint32_t, bool> m_isIndexed;  // by entry method that may be a mark: it is an array's
    std::map<ObjectEntry, std::int64_t> m_counts;
    std::map<std::uint32_t, TimeNs> m_ends;  // by entry method: of its last execution
    std::map<std::uint32_t, MarkChoice> m_choices;
    std::map<std::uint32_t, std::vector<TimeNs>> m_begins;  // by mark
};

}  // namespace

Result<> findRounds(const TraceStore& store, TimeRange range, PathPhases& phases, const Progress& progress)
{
    if (store.info().hasRanks()) return findCallRounds(store, range, phases, progress);
    if (phases.phases.empty()) return Unit{};
    return Rounds(store, range, phases, progress).find();
}

}  // namespace longpole
