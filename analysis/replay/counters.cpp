// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/counters.h"

#include "analysis/base/timemedian.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

namespace longpole {

namespace {

constexpr std::int64_t shortness = 8;  // times shorter than the task in which a nanosecond of work lies
constexpr std::int64_t quickness = 4;  // times shorter than those that act
constexpr std::size_t exceptionsOneIn = 20;
constexpr std::size_t fewestSendings = 3;
constexpr std::size_t mostAlone = 8;  // entry methods that send to the same one, to be tried one by one
// Executions looked at for all counters together: a program in which everything sends to everything has none.
constexpr std::size_t leastBudget = 200'000'000, budgetPerTask = 16;
constexpr std::uint32_t noChare = 0xffffffffu;

struct EntryRow {
    std::uint32_t chare = noChare;
    std::int64_t executions = 0;
    std::int64_t sending = 0;  // that sent anything
    TimeNs time = 0;
};

// Who sends to an entry method.
struct Sending {
    std::uint32_t chare;
    std::uint32_t target;
    std::uint32_t sender;  // graph task
    friend auto operator<=>(const Sending&, const Sending&) = default;
};

// Positions in the list of all objects' tasks.
struct ObjectTasks {
    std::size_t first;
    std::size_t last;
};

using EntrySet = std::vector<std::uint32_t>;  // sorted

class CounterFinder {
public:
    CounterFinder(const ActivityGraph& graph, const TaskObjects& objects) : m_graph(graph), m_objects(objects) {}

    Counters find(std::span<const Entry> entries)
    {
        m_budget = std::max(leastBudget, budgetPerTask * m_graph.size());
        readEntries(entries);
        orderByObject();
        findSendings();
        for (auto first = m_sendings.begin(); first != m_sendings.end();) {
            const auto last = std::find_if(first, m_sendings.end(), [&](const Sending& sending) {
                return sending.chare != first->chare || sending.target != first->target;
            });
            findCounter({first, last});
            first = last;
        }
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

    void findSendings()
    {
        for (std::uint32_t task = 0; task < m_graph.size(); ++task) {
            const std::uint32_t sender = m_graph.source[task];
            if (sender == noTask || isBlock(task)) continue;
            const std::uint32_t chare = chareOf(sender);
            if (chare != noChare) m_sendings.push_back({chare, m_graph.entry[task], sender});
        }
        std::sort(m_sendings.begin(), m_sendings.end());
        m_sendings.erase(std::unique(m_sendings.begin(), m_sendings.end()), m_sendings.end());
    }

    bool isShort(std::uint32_t entry) const
    {
        return m_entries[entry].time * shortness < m_grain * m_entries[entry].executions;
    }

    // Entry methods that only notify.
    EntrySet notificationsOf(std::uint32_t chare) const
    {
        EntrySet found;
        for (std::uint32_t entry = 0; entry < m_entries.size(); ++entry) {
            const EntryRow& row = m_entries[entry];
            if (row.chare == chare && row.executions > 1 && row.sending == 0 && isShort(entry)) found.push_back(entry);
        }
        return found;
    }

    void findCounter(std::span<const Sending> sendings)
    {
        if (sendings.size() < fewestSendings) return;
        EntrySet senders;
        for (const Sending& sending : sendings) senders.push_back(m_graph.entry[sending.sender]);
        std::sort(senders.begin(), senders.end());
        senders.erase(std::unique(senders.begin(), senders.end()), senders.end());
        const EntrySet notifications = notificationsOf(sendings.front().chare);
        std::vector<EntrySet> tries;
        const auto tryWithNotifications = [&](const EntrySet& counted) {
            if (!notifications.empty()) tries.push_back(together(counted, notifications));
            tries.push_back(counted);
            for (const std::uint32_t entry : notifications) tries.push_back(together(counted, {entry}));
        };
        // The fewest first: what sends there once, to start with, may be no part of the count.
        if (senders.size() > 1 && senders.size() <= mostAlone)
            for (const std::uint32_t entry : senders) tryWithNotifications({entry});
        tryWithNotifications(senders);
        for (const Sending& sending : sendings) m_isSender[sending.sender] = true;
        for (const EntrySet& counted : tries) {
            if (m_budget == 0) break;
            if (const std::vector<std::size_t> each = countFor(sendings, counted); !each.empty()) {
                addGroups(sendings, counted, each);
                break;
            }
        }
        for (const Sending& sending : sendings) m_isSender[sending.sender] = false;
    }

    static EntrySet together(const EntrySet& a, const EntrySet& b)
    {
        EntrySet all;
        std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
        return all;
    }

    // Calls counted(task) and sent(task) for the executions of the entries, object after object; begins(object's
    // tasks). Who sends stands in m_isSender.
    template <typename Begin, typename Counted, typename Sent>
    void walk(std::span<const Sending> sendings, const EntrySet& entries, Begin begin, Counted counted, Sent sent) const
    {
        const std::uint32_t lowest = entries.front();
        std::vector<std::uint8_t> isCounted(entries.back() - lowest + std::size_t{1}, 0);
        for (const std::uint32_t entry : entries) isCounted[entry - lowest] = 1;
        for (const ObjectTasks& object : m_objectsOf.at(sendings.front().chare)) {
            m_budget -= std::min(m_budget, object.last - object.first);
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
    std::vector<std::size_t> countFor(std::span<const Sending> sendings, const EntrySet& entries) const
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
    bool keepsTo(const std::vector<std::size_t>& each, std::span<const Sending> sendings, const EntrySet& entries) const
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

    void addGroups(std::span<const Sending> sendings, const EntrySet& entries, const std::vector<std::size_t>& each)
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
                m_result.groups.push_back({task, sendings.front().target, m_result.members.size(), count, sharesRoles});
                const auto first = pending.begin() + static_cast<std::ptrdiff_t>(taken);
                m_result.members.insert(m_result.members.end(), first, first + static_cast<std::ptrdiff_t>(count));
                taken += count;
            });
    }

    bool hasQuickOthers(std::span<const Sending> sendings, const EntrySet& entries) const
    {
        auto counted = std::make_unique<TimeMedian>();
        auto sent = std::make_unique<TimeMedian>();
        walk(
            sendings, entries, [] {}, [&](std::uint32_t task) { counted->add(m_graph.duration[task]); },
            [&](std::uint32_t task) { sent->add(m_graph.duration[task]); });
        return counted->median() * quickness < sent->median();
    }

    const ActivityGraph& m_graph;
    const TaskObjects& m_objects;
    std::vector<EntryRow> m_entries;
    std::vector<std::uint32_t> m_tasks;                             // object after object
    std::vector<std::uint32_t> m_entryAt;                           // of each of them
    std::map<std::uint32_t, std::vector<ObjectTasks>> m_objectsOf;  // by chare
    std::vector<bool> m_isSender;                                   // per graph task: to the target in hand
    mutable std::size_t m_budget = 0;                               // executions that may still be looked at
    std::vector<Sending> m_sendings;
    TimeNs m_grain = 0;  // half of the work lies in tasks at least that long
    Counters m_result;
};

}  // namespace

Counters findCounters(const ActivityGraph& graph, const TaskObjects& objects, std::span<const Entry> entries)
{
    return CounterFinder(graph, objects).find(entries);
}

}  // namespace longpole
