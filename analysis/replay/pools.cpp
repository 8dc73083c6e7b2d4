// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/pools.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace longpole {

namespace {

constexpr std::size_t fewestAnswers = 8;
constexpr std::size_t fewestRefusals = 2;
constexpr std::size_t unansweredOneIn = 20;

// An execution that another processor's message, or its own's, started.
struct Request {
    std::uint32_t object;
    std::uint32_t entry;
    std::uint32_t task;
    friend auto operator<=>(const Request&, const Request&) = default;
};

class PoolFinder {
public:
    PoolFinder(const ActivityGraph& graph, const TaskObjects& objects) : m_graph(graph), m_objects(objects)
    {
        // First what is answered at all: of most messages the answer goes elsewhere.
        eachAnswer([&](const AnswerKey& key, std::uint32_t asker, std::uint32_t task) {
            if (graph.pe[asker] == graph.pe[task]) m_answers.try_emplace(key);
        });
        if (m_answers.empty()) return;
        eachAnswer([&](const AnswerKey& key, std::uint32_t asker, std::uint32_t task) {
            const auto known = m_answers.find(key);
            if (known == m_answers.end()) return;
            Answers& answers = known->second;
            ++answers.sent;
            answers.replies += graph.pe[asker] == graph.pe[task];
            if (answers.askers.size() < 2) answers.askers.insert(graph.pe[asker]);
        });
    }

    ReplayPools find()
    {
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> pools;  // object, entry -> entry of its pieces
        for (const auto& [key, answers] : m_answers)
            if (answers.askers.size() > 1 && answers.replies >= fewestAnswers
                && (answers.sent - answers.replies) * unansweredOneIn <= answers.sent)
                pools.try_emplace({std::get<0>(key), std::get<1>(key)}, std::get<2>(key));
        if (pools.empty()) return {};
        std::vector<Request> requests;
        for (std::uint32_t task = 0; task < m_graph.size(); ++task)
            if (pools.contains({m_objects.object[task], m_graph.entry[task]}) && m_graph.source[task] != noTask)
                requests.push_back({m_objects.object[task], m_graph.entry[task], task});
        std::sort(requests.begin(), requests.end());
        markPieces(pools);
        for (auto first = requests.begin(); first != requests.end();) {
            const auto last = std::find_if(first, requests.end(), [&](const Request& request) {
                return request.object != first->object || request.entry != first->entry;
            });
            add(first, last);
            first = last;
        }
        if (m_result.isEmpty()) return {};
        m_result.firstRequest.push_back(static_cast<std::uint32_t>(m_result.requests.size()));
        return std::move(m_result);
    }

private:
    struct Answers {
        std::size_t sent = 0;
        std::size_t replies = 0;
        std::set<std::uint32_t> askers;
    };

    using AnswerKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // object, entry, piece's entry

    // Calls visit(key, who asked, the task that the answer started).
    template <typename Visit>
    void eachAnswer(Visit visit) const
    {
        for (std::uint32_t task = 0; task < m_graph.size(); ++task) {
            const std::uint32_t asked = m_graph.source[task];
            if (asked == noTask || isBlock(task) || isBlock(asked) || m_objects.object[asked] == noObject) continue;
            const std::uint32_t asker = m_graph.source[asked];
            if (asker != noTask)
                visit({m_objects.object[asked], m_graph.entry[asked], m_graph.entry[task]}, asker, task);
        }
    }

    bool isBlock(std::uint32_t task) const { return (m_graph.flags[task] & ActivityGraph::BlockEdge) != 0; }

    void markPieces(const std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>& pools)
    {
        m_answered.resize(m_graph.size());
        m_pieces.resize(m_graph.size(), 0);
        for (std::uint32_t task = 0; task < m_graph.size(); ++task) {
            const std::uint32_t asked = m_graph.source[task];
            if (asked == noTask || m_graph.source[asked] == noTask || isBlock(task)) continue;
            const auto pool = pools.find({m_objects.object[asked], m_graph.entry[asked]});
            if (pool == pools.end() || pool->second != m_graph.entry[task]) continue;
            m_answered[asked] = true;
            m_pieces[task] = m_graph.pe[m_graph.source[asked]] == m_graph.pe[task];
        }
    }

    void add(std::vector<Request>::const_iterator first, std::vector<Request>::const_iterator last)
    {
        const auto answered = static_cast<std::size_t>(std::count_if(first, last, [this](const Request& request) {
            return m_answered[request.task];
        }));
        const std::size_t refused = static_cast<std::size_t>(last - first) - answered;
        if (refused < fewestRefusals || refused > answered) return;
        if (m_result.poolOf.empty()) {
            m_result.poolOf.resize(m_graph.size(), ReplayPools::none);
            m_result.isPiece = m_pieces;
        }
        const auto pool = static_cast<std::uint32_t>(m_result.firstRequest.size());
        m_result.firstRequest.push_back(static_cast<std::uint32_t>(m_result.requests.size()));
        for (auto request = first; request != last; ++request) {
            m_result.requests.push_back(request->task);
            m_result.poolOf[request->task] = pool;
        }
    }

    const ActivityGraph& m_graph;
    const TaskObjects& m_objects;
    std::map<AnswerKey, Answers> m_answers;
    std::vector<bool> m_answered;
    std::vector<std::uint8_t> m_pieces;
    ReplayPools m_result;
};

}  // namespace

ReplayPools findPools(const ActivityGraph& graph, const TaskObjects& objects)
{
    return PoolFinder(graph, objects).find();
}

}  // namespace longpole
