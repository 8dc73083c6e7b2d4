// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the messages of reductions, then walks each PE in time order and gathers what came before each of them.
#include "analysis/graph/reductionmerges.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

namespace longpole {

namespace {

constexpr std::uint32_t noChare = 0xffffffffu;

bool isOfManager(const Entry& entry)
{
    constexpr std::array<const char*, 4> chares{"CkReductionMgr", "CkNodeReductionMgr", "CkArrayReductionMgr",
                                                "CProxy_CkArrayReductionMgr"};
    return std::any_of(chares.begin(), chares.end(),
                       [&entry](const char* chare) { return entry.chare == QLatin1String(chare); });
}

// Whether it is the entry method with which a manager receives contributions of the managers below it.
bool isManager(const Entry& entry) { return isOfManager(entry) && entry.name.startsWith(QLatin1String("RecvMsg")); }

// Whether it receives the result of a reduction: redn_wrapper_done(CkReductionMsg *).
bool isClient(const Entry& entry) { return entry.name.contains(QLatin1String("CkReductionMsg")); }

// A message of a reduction: from a task, at a time, to a task.
struct Sending {
    std::uint32_t pe;
    TimeNs time;
    std::uint32_t sender;
    std::uint32_t target;
};

// What a manager has got since it last sent, for the elements of one chare.
struct Gathering {
    std::unordered_map<std::uint32_t, std::uint32_t> lastOfElement;  // object -> task
    std::vector<std::uint32_t> managers;                             // tasks that a manager below started
};

class Finder {
public:
    Finder(const ActivityGraph& graph, const TaskObjects& objects, const std::vector<bool>& silent)
        : m_graph(graph), m_objects(objects), m_silent(silent)
    {
        m_result.contributes.resize(graph.size());
    }

    Reductions find(std::span<const Entry> entries)
    {
        readEntries(entries);
        findSendings();
        for (auto first = m_sendings.begin(); first != m_sendings.end();) {
            const auto last = std::find_if(first, m_sendings.end(),
                                           [&first](const Sending& sending) { return sending.pe != first->pe; });
            walkProcessor({first, last});
            first = last;
        }
        return std::move(m_result);
    }

private:
    void readEntries(std::span<const Entry> entries)
    {
        for (const Entry& entry : entries) {
            const std::uint32_t id = index(entry.id);
            if (id >= mostIds) continue;
            if (id >= m_entries.size()) m_entries.resize(id + std::size_t{1});
            m_entries[id] = {index(entry.chareId), isManager(entry), isOfManager(entry), isClient(entry), false};
        }
    }

    struct EntryFacts {
        std::uint32_t chare = noChare;
        bool isManager = false;
        bool isOfManager = false;
        bool isClient = false;
        bool contributes = false;  // it was seen to send a message of a reduction
    };
    EntryFacts factsOf(std::uint32_t task) const
    {
        const std::uint32_t entry = m_graph.entry[task];
        return entry < m_entries.size() ? m_entries[entry] : EntryFacts{};
    }
    bool isManagerTask(std::uint32_t task) const { return factsOf(task).isManager; }

    // Finds all messages of reductions, and for each task of a manager the chare whose elements contribute.
    void findSendings()
    {
        for (std::uint32_t task = 0; task < m_graph.size(); ++task) {
            const std::uint32_t sender = m_graph.source[task];
            if (sender == noTask || (m_graph.flags[task] & ActivityGraph::BlockEdge) != 0) continue;
            const EntryFacts facts = factsOf(task);
            const bool fromManager = isManagerTask(sender);
            const bool isResult = (facts.isClient || fromManager) && !facts.isOfManager;
            if (!facts.isManager && !isResult) continue;
            if (facts.isManager) m_chareOf[task] = chareOf(sender);
            if (!fromManager && m_graph.entry[sender] < m_entries.size())
                m_entries[m_graph.entry[sender]].contributes = true;
            m_sendings.push_back({m_graph.pe[sender], m_graph.begin[sender] + m_graph.offset[task], sender, task});
        }
        std::sort(m_sendings.begin(), m_sendings.end(), [](const Sending& a, const Sending& b) {
            return std::tie(a.pe, a.time, a.sender, a.target) < std::tie(b.pe, b.time, b.sender, b.target);
        });
    }

    std::uint32_t chareOf(std::uint32_t task) const
    {
        if (!isManagerTask(task)) return factsOf(task).chare;
        const auto known = m_chareOf.find(task);
        return known == m_chareOf.end() ? noChare : known->second;
    }

    void walkProcessor(std::span<const Sending> sendings)
    {
        const std::span<const std::uint32_t> tasks = m_graph.byProcessor[sendings.front().pe];
        std::map<std::uint32_t, Gathering> gatherings;  // by chare
        std::size_t next = 0;
        for (auto first = sendings.begin(); first != sendings.end();) {
            const auto last = std::find_if(first, sendings.end(), [&](const Sending& s) {
                return s.sender != first->sender || s.time != first->time;
            });
            for (; next < tasks.size() && tasks[next] < first->sender; ++next) gather(tasks[next], gatherings);
            const std::uint32_t chare = chareOf(first->sender);
            close({first, last}, gatherings[chare]);
            gatherings.erase(chare);
            if (next < tasks.size() && tasks[next] == first->sender) ++next;
            first = last;
        }
    }

    void gather(std::uint32_t task, std::map<std::uint32_t, Gathering>& gatherings) const
    {
        const EntryFacts facts = factsOf(task);
        if (facts.isManager) {
            if (const std::uint32_t chare = chareOf(task); chare != noChare) gatherings[chare].managers.push_back(task);
        } else if (facts.contributes && m_objects.object[task] != noObject && (m_silent.empty() || !m_silent[task])) {
            gatherings[facts.chare].lastOfElement[m_objects.object[task]] = task;
        }
    }

    // Messages of a reduction leave: all that was gathered belongs to it, except what the sender itself contributed.
    void close(std::span<const Sending> sendings, const Gathering& gathering)
    {
        const std::uint32_t sender = sendings.front().sender;
        ReductionGroup group{.firstSource = m_result.sources.size(), .firstTarget = m_result.targets.size()};
        for (const auto& [object, task] : gathering.lastOfElement)
            if (object != m_objects.object[sender]) {
                m_result.sources.push_back(task);
                m_result.contributes[task] = true;
            }
        addManagers(gathering.managers, sender);
        std::sort(m_result.sources.begin() + static_cast<std::ptrdiff_t>(group.firstSource), m_result.sources.end());
        group.sources = m_result.sources.size() - group.firstSource;
        if (group.sources == 0) return;
        if (isManagerTask(sender)) m_result.targets.push_back(sender);
        else
            for (const Sending& sending : sendings) m_result.targets.push_back(sending.target);
        group.targets = m_result.targets.size() - group.firstTarget;
        m_result.groups.push_back(group);
    }

    // Adds the managers below, each of which sends one message per reduction. If several came from one of them, nobody
    // can tell which belongs to this reduction, so none is added.
    void addManagers(const std::vector<std::uint32_t>& managers, std::uint32_t sender)
    {
        // by PE of the manager that sent: the task it started, and how many came
        std::map<std::uint32_t, std::pair<std::uint32_t, int>> byProcessor;
        const auto count = [&](std::uint32_t task) {
            auto& [last, messages] = byProcessor[m_graph.pe[m_graph.source[task]]];
            last = task;
            ++messages;
        };
        for (const std::uint32_t task : managers) count(task);
        if (isManagerTask(sender) && m_graph.source[sender] != noTask) count(sender);
        for (const auto& [pe, message] : byProcessor)
            if (message.second == 1 && message.first != sender) m_result.sources.push_back(message.first);
    }

    const ActivityGraph& m_graph;
    const TaskObjects& m_objects;
    const std::vector<bool>& m_silent;
    std::vector<EntryFacts> m_entries;
    std::unordered_map<std::uint32_t, std::uint32_t> m_chareOf;  // managers' tasks
    std::vector<Sending> m_sendings;                             // by PE and time
    Reductions m_result;
};

}  // namespace

std::vector<bool> reductionManagers(std::span<const Entry> entries)
{
    std::vector<bool> managers;
    for (const Entry& entry : entries) {
        if (index(entry.id) >= mostIds) continue;
        if (index(entry.id) >= managers.size()) managers.resize(index(entry.id) + std::size_t{1});
        managers[index(entry.id)] = isOfManager(entry);
    }
    return managers;
}

Reductions findReductions(const ActivityGraph& graph, const TaskObjects& objects, std::span<const Entry> entries,
                          const std::vector<bool>& silent)
{
    return Finder(graph, objects, silent).find(entries);
}

}  // namespace longpole
