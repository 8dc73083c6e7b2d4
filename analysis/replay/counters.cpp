// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/counters.h"

#include "analysis/base/timemedian.h"
#include "core/base/timerange.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

namespace {

constexpr std::int64_t shortness = 8;  // an entry method is short if its tasks are so many times shorter than m_grain
// counted tasks are quick if they are so many times shorter than the tasks that send
constexpr std::int64_t quickness = 4;
constexpr std::size_t exceptionsOneIn = 20;
constexpr std::size_t fewestSendings = 3;
constexpr std::size_t mostAlone = 8;  // if at most so many entry methods send to the same one, each is also tried alone
// The search ends after so many executions. A program in which everything sends to everything would take longer, and
// has no counters.
constexpr std::size_t leastBudget = 200'000'000, budgetPerTask = 16;
constexpr std::size_t clearedAtOnce = 64;  // clearing so many bytes takes as long as looking at one execution
constexpr std::uint32_t noChare = 0xffffffffu;

struct EntryRow {
    std::uint32_t chare = noChare;
    std::int64_t executions = 0;
    std::int64_t sending = 0;  // executions that sent at least one message
    TimeNs time = 0;
};

// All executions of one chare that send to the same entry method, ascending.
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
            addSaturating(row.time, m_graph.duration[task]);
        }
        std::vector<TimeNs> durations;
        constexpr std::uint32_t enough = 1u << 20;
        const std::uint32_t step = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(m_graph.size()) / enough);
        for (std::uint32_t task = 0; task < m_graph.size(); task += step) durations.push_back(m_graph.duration[task]);
        std::sort(durations.begin(), durations.end());
        const TimeNs half = std::accumulate(durations.begin(), durations.end(), TimeNs{0}, saturatingAdd) / 2;
        TimeNs sum = 0;
        for (const TimeNs duration : durations)
            if (addSaturating(sum, duration); sum >= half) {
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

    // Calls use() with the sendings of each target and chare. There may be as many of them as tasks, so they are not
    // all kept in memory.
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
        return saturatingMultiply(m_entries[entry].time, shortness)
               < saturatingMultiply(m_grain, m_entries[entry].executions);
    }

    // Finds the entry methods that only notify: they never send, and are short.
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
        // Small sets first: an entry method that sends there only once, at the start, is not part of the count.
        bool isFound = false;
        if (senders.size() > 1 && senders.size() <= mostAlone)
            isFound = std::any_of(senders.begin(), senders.end(),
                                  [&](std::uint32_t entry) { return triesWithNotifications(sendings, {entry}); });
        if (!isFound) triesWithNotifications(sendings, senders);
        for (const std::uint32_t sender : sendings.senders) m_isSender[sender] = false;
    }

    // Whether the entry methods `counted` make up a counter: together with all that only notify, alone, or with one of
    // those that only notify.
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

    // Goes through the executions of `entries`, object after object: calls begin() for each object, sent(task) for each
    // execution that m_isSender marks, and counted(task) for all others.
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

    // By object of the chare: how many executions come before each sending, without the one that sends; empty if there
    // is no fixed number. The number is the same for all objects, or else each has its own: objects at a border have
    // fewer neighbours.
    std::vector<std::size_t> countFor(const Sendings& sendings, const EntrySet& entries) const
    {
        // by object: how many executions lie between one sending and the next
        std::vector<std::vector<std::size_t>> runs;
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

    // Whether `each` executions, by object, come before nearly every sending. Executions after an object's last sending
    // may be left over, and the first sending may be the start of the program: neither counts against it.
    bool keepsTo(const std::vector<std::size_t>& each, const Sendings& sendings, const EntrySet& entries) const
    {
        std::size_t sent = 0, wanted = 0, missing = 0;
        std::size_t left = 0;  // executions that no sending has used, added up at the last sending of each object
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
    std::vector<std::uint32_t> m_tasks;                             // graph tasks, object after object
    std::vector<std::uint32_t> m_entryAt;                           // the entry method of each of them
    std::map<std::uint32_t, std::vector<ObjectTasks>> m_objectsOf;  // by chare
    std::vector<bool> m_isSender;      // per graph task: whether it sends to the target that is looked at
    mutable std::size_t m_budget = 0;  // executions that may still be looked at
    TimeNs m_grain = 0;                // half of the work lies in tasks at least that long
    Counters m_result;
};

}  // namespace

Counters findCounters(const ActivityGraph& graph, const TaskObjects& objects, std::span<const Entry> entries,
                      const Progress& progress)
{
    return CounterFinder(graph, objects, progress).find(entries);
}

}  // namespace longpole
