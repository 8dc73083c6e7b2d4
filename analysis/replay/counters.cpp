// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/counters.h"

#include "analysis/base/timemedian.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

namespace {

constexpr std::int64_t shortness = 8;  // times shorter than the task in which a nanosecond of work lies
constexpr std::int64_t quickness = 4;  // times shorter than those that act
constexpr std::size_t exceptionsOneIn = 20;
constexpr std::size_t fewestSendings = 3;
constexpr std::size_t mostAlone = 8;  // entry methods that send to the same one, to be tried one by one
// Executions looked at for all counters together: a program in which everything sends to everything has none.
constexpr std::size_t leastBudget = 200'000'000, budgetPerTask = 16;
constexpr std::size_t clearedAtOnce = 64;  // bytes, in the time that looking at an execution takes
constexpr std::uint32_t noChare = 0xffffffffu;

struct EntryRow {
    std::uint32_t chare = noChare;
    std::int64_t executions = 0;
    std::int64_t sending = 0;  // that sent anything
    TimeNs time = 0;
};

// A chare's executions that send to an entry method, ascending.
struct Sendings {
    std::uint32_t chare;
    std::uint32_t target;
    std::span<const std::uint32_t> senders;
};

// Positions in the list of all objects' tasks.
struct ObjectTasks {
    std::size_t first;
    std::size_t last;
};

using EntrySet = std::vector<std::uint32_t>;  // sorted

class CounterFinder {
public:
    CounterFinder(const ActivityGraph& graph, const TaskObjects& objects, const Progress& progress)
        : m_graph(graph), m_objects(objects), m_progress(progress)
    {
    }

    Counters find(std::span<const Entry> entries)
    {
        m_budget = std::max(leastBudget, budgetPerTask * m_graph.size());
        readEntries(entries);
        findNotifications();
        orderByObject();
        eachSendings([this](const Sendings& sendings) { findCounter(sendings); });
        std::stable_sort(m_result.groups.begin(), m_result.groups.end(),
                         [](const CounterGroup& a, const CounterGroup& b) { return a.actor < b.actor; });
        return std::move(m_result);
    }

private:
    std::uint32_t chareOf(std::uint32_t task) const
    {
        const std::uint32_t entry = m_graph.entry[task];
        return m_objects.object[task] != noObject && entry < m_entries.size() ? m_entries[entry].chare : noChare;
    }
    bool isBlock(std::uint32_t task) const { return (m_graph.flags[task] & ActivityGraph::BlockEdge) != 0; }

    void readEntries(std::span<const Entry> entries)
    {
        for (const Entry& entry : entries) {
            if (index(entry.id) >= mostIds) continue;
            if (index(entry.id) >= m_entries.size()) m_entries.resize(index(entry.id) + std::size_t{1});
            m_entries[index(entry.id)].chare = index(entry.chareId);
        }
        for (std::uint32_t task = 0; task < m_graph.size(); ++task) {
            if (m_graph.entry[task] >= m_entries.size()) continue;
            EntryRow& row = m_entries[m_graph.entry[task]];
            ++row.executions;
            row.sending += m_objects.sends[task];
            row.time += m_graph.duration[task];
        }
        std::vector<TimeNs> durations;
        constexpr std::uint32_t enough = 1u << 20;
        const std::uint32_t step = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(m_graph.size()) / enough);
        for (std::uint32_t task = 0; task < m_graph.size(); task += step) durations.push_back(m_graph.duration[task]);
        std::sort(durations.begin(), durations.end());
        const TimeNs half = std::accumulate(durations.begin(), durations.end(), TimeNs{0}) / 2;
        TimeNs sum = 0;
        for (const TimeNs duration : durations)
            if ((sum += duration) >= half) {
                m_grain = duration;
                break;
            }
    }

    // The executions of each chare's objects, one object after the other, in the order of time.
    void orderByObject()
    {
        std::vector<std::uint32_t> first(m_objects.objects + std::size_t{1}, 0);
        for (const std::uint32_t object : m_objects.object)
            if (object != noObject) ++first[object + 1];
        std::partial_sum(first.begin(), first.end(), first.begin());
        m_tasks.resize(first.back());
        std::vector<std::uint32_t> next = first;
        for (std::uint32_t task = 0; task < m_graph.size(); ++task)
            if (m_objects.object[task] != noObject) m_tasks[next[m_objects.object[task]]++] = task;
        for (std::size_t object = 0; object + 1 < first.size(); ++object)
            if (first[object] < first[object + 1])
                m_objectsOf[chareOf(m_tasks[first[object]])].push_back({first[object], first[object + 1]});
        m_entryAt.reserve(m_tasks.size());
        for (const std::uint32_t task : m_tasks) m_entryAt.push_back(m_graph.entry[task]);
        m_isSender.resize(m_graph.size());
    }

    // By target, then chare. There may be as many as tasks, so that memory counts.
    template <typename Use>
    void eachSendings(Use use) const
    {
        const auto rowOf = [this](std::uint32_t task) {
            return std::min<std::size_t>(m_graph.entry[task], m_entries.size());
        };
        const auto isSent = [this](std::uint32_t task) {
            const std::uint32_t sender = m_graph.source[task];
            return sender != noTask && !isBlock(task) && chareOf(sender) != noChare;
        };
        std::vector<std::size_t> end(m_entries.size() + 2, 0);  // of the senders to each entry method, in place
        for (std::uint32_t task = 0; task < m_graph.size(); ++task)
            if (isSent(task)) ++end[rowOf(task) + 1];
        std::partial_sum(end.begin(), end.end(), end.begin());
        std::vector<std::uint32_t> senders(end.back());
        std::vector<std::uint32_t> lastTarget(m_entries.size() + 1, 0);
        for (std::uint32_t task = 0; task < m_graph.size(); ++task) {
            if (!isSent(task)) continue;
            senders[end[rowOf(task)]++] = m_graph.source[task];
            lastTarget[rowOf(task)] = m_graph.entry[task];
        }
        std::vector<std::uint32_t> ofChares;
        for (std::size_t row = 0; row <= m_entries.size(); ++row) {
            const auto first = senders.begin() + static_cast<std::ptrdiff_t>(row == 0 ? 0 : end[row - 1]);
            const auto last = senders.begin() + static_cast<std::ptrdiff_t>(end[row]);
            std::sort(first, last);
            std::map<std::uint32_t, std::size_t> place;  // by chare: first how many
            const auto unique = std::unique(first, last);
            for (auto sender = first; sender != unique; ++sender) ++place[chareOf(*sender)];
            std::size_t sum = 0;
            for (auto& [chare, count] : place) sum += std::exchange(count, sum);
            ofChares.resize(sum);
            for (auto sender = first; sender != unique; ++sender) ofChares[place[chareOf(*sender)]++] = *sender;
            std::size_t begin = 0;
            for (const auto& [chare, next] : place) {
                use(Sendings{chare,
                             lastTarget[row],
                             {ofChares.begin() + static_cast<std::ptrdiff_t>(begin), next - begin}});
                begin = next;
            }
        }
    }

    bool isShort(std::uint32_t entry) const
    {
        return m_entries[entry].time * shortness < m_grain * m_entries[entry].executions;
    }

    // Entry methods that only notify.
    void findNotifications()
    {
        for (std::uint32_t entry = 0; entry < m_entries.size(); ++entry) {
            const EntryRow& row = m_entries[entry];
            if (row.executions > 1 && row.sending == 0 && isShort(entry)) m_notifications[row.chare].push_back(entry);
        }
    }

    void findCounter(const Sendings& sendings)
    {
        if (sendings.senders.size() < fewestSendings) return;
        EntrySet senders;
        for (const std::uint32_t sender : sendings.senders) senders.push_back(m_graph.entry[sender]);
        std::sort(senders.begin(), senders.end());
        senders.erase(std::unique(senders.begin(), senders.end()), senders.end());
        for (const std::uint32_t sender : sendings.senders) m_isSender[sender] = true;
        // The fewest first: what sends there once, to start with, may be no part of the count.
        bool isFound = false;
        if (senders.size() > 1 && senders.size() <= mostAlone)
            isFound = std::any_of(senders.begin(), senders.end(),
                                  [&](std::uint32_t entry) { return triesWithNotifications(sendings, {entry}); });
        if (!isFound) triesWithNotifications(sendings, senders);
        for (const std::uint32_t sender : sendings.senders) m_isSender[sender] = false;
    }

    // Whether these count, with all that only notify, alone, or with one of those.
    bool triesWithNotifications(const Sendings& sendings, const EntrySet& counted)
    {
        const auto found = m_notifications.find(sendings.chare);
        if (found == m_notifications.end()) return tries(sendings, counted, {});
        const EntrySet& notifications = found->second;
        if (tries(sendings, counted, notifications) || tries(sendings, counted, {})) return true;
        return std::any_of(notifications.begin(), notifications.end(), [&](std::uint32_t entry) {
            return tries(sendings, counted, {&entry, 1});
        });
    }

    bool tries(const Sendings& sendings, const EntrySet& counted, std::span<const std::uint32_t> others)
    {
        if (m_budget == 0) return false;
        m_budget -= std::min(m_budget, counted.size() + others.size());
        const EntrySet entries = together(counted, others);
        const std::vector<std::size_t> each = countFor(sendings, entries);
        if (each.empty()) return false;
        addGroups(sendings, entries, each);
        return true;
    }

    static EntrySet together(const EntrySet& a, std::span<const std::uint32_t> b)
    {
        EntrySet all;
        std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
        return all;
    }

    // Calls counted(task) and sent(task) for the executions of the entries, object after object; begins(object's
    // tasks). Who sends stands in m_isSender.
    template <typename Begin, typename Counted, typename Sent>
    void walk(const Sendings& sendings, const EntrySet& entries, Begin begin, Counted counted, Sent sent) const
    {
        const std::uint32_t lowest = entries.front();
        std::vector<std::uint8_t> isCounted(entries.back() - lowest + std::size_t{1}, 0);
        m_budget -= std::min(m_budget, isCounted.size() / clearedAtOnce);
        for (const std::uint32_t entry : entries) isCounted[entry - lowest] = 1;
        for (const ObjectTasks& object : m_objectsOf.at(sendings.chare)) {
            m_budget -= std::min(m_budget, object.last - object.first);
            if (m_progress.isCancelled()) {
                m_budget = 0;
                return;
            }
            begin();
            for (std::size_t at = object.first; at < object.last; ++at) {
                const std::uint32_t entry = m_entryAt[at] - lowest;
                if (entry >= isCounted.size() || isCounted[entry] == 0) continue;
                if (m_isSender[m_tasks[at]]) sent(m_tasks[at]);
                else counted(m_tasks[at]);
            }
        }
    }

    // How many executions there are for each sending besides the one that sends, for each object of the chare; empty if
    // they do not keep to a number. One number for all, or else each object its own: those at a border have fewer
    // neighbours.
    std::vector<std::size_t> countFor(const Sendings& sendings, const EntrySet& entries) const
    {
        std::vector<std::vector<std::size_t>> runs;  // by object: executions before each sending, after the one before
        std::size_t run = 0;
        const auto begin = [&] {
            runs.emplace_back();
            run = 0;
        };
        walk(
            sendings, entries, begin, [&](std::uint32_t) { ++run; },
            [&](std::uint32_t) { runs.back().push_back(std::exchange(run, 0)); });
        std::vector<std::size_t> all;
        for (const std::vector<std::size_t>& ofObject : runs) all.insert(all.end(), ofObject.begin(), ofObject.end());
        if (all.size() < fewestSendings) return {};
        const std::size_t mean = (std::accumulate(all.begin(), all.end(), std::size_t{0}) + all.size() / 2)
                                 / all.size();
        const std::size_t usual = median(all);
        for (const std::vector<std::size_t>& each :
             {std::vector<std::size_t>(runs.size(), usual), std::vector<std::size_t>(runs.size(), mean)})
            if (keepsTo(each, sendings, entries)) return each;
        std::vector<std::size_t> own;
        std::size_t others = 0;
        for (std::vector<std::size_t>& ofObject : runs) {
            own.push_back(ofObject.size() < 2 ? usual : median(ofObject));
            others += ofObject.size()
                      - static_cast<std::size_t>(std::count(ofObject.begin(), ofObject.end(), own.back()));
        }
        if (others * exceptionsOneIn > all.size() + runs.size() * exceptionsOneIn || !keepsTo(own, sendings, entries))
            return {};
        return own;
    }

    static std::size_t median(std::vector<std::size_t>& values)
    {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    }

    // Whether there are so many for each sending. Those after the last one may belong to one that was not needed any
    // more, and the first one may be what starts the program.
    bool keepsTo(const std::vector<std::size_t>& each, const Sendings& sendings, const EntrySet& entries) const
    {
        std::size_t sent = 0, wanted = 0, missing = 0;
        std::size_t left = 0;  // at the last sending of each object
        std::size_t pending = 0, leftHere = 0;
        std::size_t object = 0;
        const auto begin = [&] {
            left += std::exchange(leftHere, 0);
            pending = 0;
            ++object;
        };
        walk(
            sendings, entries, begin, [&](std::uint32_t) { ++pending; },
            [&](std::uint32_t) {
                const std::size_t count = each[object - 1];
                ++sent;
                wanted += count;
                missing += pending < count;
                leftHere = pending -= std::min(pending, count);
            });
        begin();
        return wanted > 0 && missing * exceptionsOneIn <= sent + exceptionsOneIn && left * exceptionsOneIn <= wanted;
    }

    void addGroups(const Sendings& sendings, const EntrySet& entries, const std::vector<std::size_t>& each)
    {
        const bool sharesRoles = hasQuickOthers(sendings, entries);
        std::vector<std::uint32_t> pending;
        std::size_t taken = 0;
        std::size_t object = 0;
        const auto begin = [&] {
            pending.clear();
            taken = 0;
            ++object;
        };
        walk(
            sendings, entries, begin, [&](std::uint32_t task) { pending.push_back(task); },
            [&](std::uint32_t task) {
                const std::size_t count = std::min(pending.size() - taken, each[object - 1]);
                if (count == 0) return;
                m_result.groups.push_back({task, sendings.target, m_result.members.size(), count, sharesRoles});
                const auto first = pending.begin() + static_cast<std::ptrdiff_t>(taken);
                m_result.members.insert(m_result.members.end(), first, first + static_cast<std::ptrdiff_t>(count));
                taken += count;
            });
    }

    bool hasQuickOthers(const Sendings& sendings, const EntrySet& entries) const
    {
        TimeMedian counted, sent;
        walk(
            sendings, entries, [] {}, [&](std::uint32_t task) { counted.add(m_graph.duration[task]); },
            [&](std::uint32_t task) { sent.add(m_graph.duration[task]); });
        return counted.median() * quickness < sent.median();
    }

    const ActivityGraph& m_graph;
    const TaskObjects& m_objects;
    const Progress& m_progress;
    std::vector<EntryRow> m_entries;
    std::map<std::uint32_t, EntrySet> m_notifications;              // by chare
    std::vector<std::uint32_t> m_tasks;                             // object after object
    std::vector<std::uint32_t> m_entryAt;                           // of each of them
    std::map<std::uint32_t, std::vector<ObjectTasks>> m_objectsOf;  // by chare
    std::vector<bool> m_isSender;                                   // per graph task: to the target in hand
    mutable std::size_t m_budget = 0;                               // executions that may still be looked at
    TimeNs m_grain = 0;                                             // half of the work lies in tasks at least that long
    Counters m_result;
};

}  // namespace

Counters findCounters(const ActivityGraph& graph, const TaskObjects& objects, std::span<const Entry> entries,
                      const Progress& progress)
{
    return CounterFinder(graph, objects, progress).find(entries);
}

}  // namespace longpole
