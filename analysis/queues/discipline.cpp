// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/queues/discipline.h"

#include "analysis/queues/queueevidence.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace longpole {

namespace {

// One message in twenty arrives outside of its bounds, so fewer overtakings than this may be chance.
constexpr std::int64_t fewestOvertakes = 5;
constexpr std::int64_t fewestAlways = 3;  // so many overtakings are enough where the opposite was never seen
constexpr std::int64_t overtakesPerException = 9;
constexpr std::int64_t meetingsPerOvertake = 7;

class DisciplineFinder {
public:
    explicit DisciplineFinder(const QueueEvidence& evidence) : m_evidence(evidence)
    {
        for (const auto& [pair, met] : evidence)
            for (const std::uint32_t entry : {pair.first, pair.second}) m_entries.push_back(entry);
        std::sort(m_entries.begin(), m_entries.end());
        m_entries.erase(std::unique(m_entries.begin(), m_entries.end()), m_entries.end());
        m_group.resize(m_entries.size());
        std::iota(m_group.begin(), m_group.end(), std::size_t{0});
        for (const std::uint32_t entry : m_entries) m_isLifo.push_back(runsNewestFirst(entry));
        m_seenLifo = m_isLifo;
        if (allRunNewestFirst()) m_isLifo.assign(m_entries.size(), true);
        for (std::size_t i = 0; i < m_entries.size(); ++i)
            m_isByMessage.push_back(!m_isLifo[i] && isOften(met(m_entries[i], m_entries[i])));
    }

    QueueDiscipline find()
    {
        findPairs();
        findLevels();
        QueueDiscipline found;
        found.usual = allRunNewestFirst() ? -1 : 0;
        for (std::size_t i = 0; i < m_entries.size(); ++i) {
            const std::int32_t rank = rankOf(i);
            if (rank == found.usual) continue;
            if (m_entries[i] >= found.rankOf.size()) found.rankOf.resize(m_entries[i] + std::size_t{1}, found.usual);
            found.rankOf[m_entries[i]] = rank;
        }
        for (std::size_t i = 0; i < m_entries.size(); ++i) {
            if (!waitsByMessage(rankOf(i))) continue;
            if (m_entries[i] >= found.isByMessage.size()) found.isByMessage.resize(m_entries[i] + std::size_t{1});
            found.isByMessage[m_entries[i]] = 1;
        }
        report(found);
        countUnexplained(found);
        return found;
    }

private:
    struct Edge {
        std::size_t first;
        std::size_t second;
        std::int64_t evidence;
    };

    QueueMeetings met(std::uint32_t began, std::uint32_t waited) const
    {
        const auto found = m_evidence.find({began, waited});
        return found == m_evidence.end() ? QueueMeetings{} : found->second;
    }
    bool runsNewestFirst(std::uint32_t entry) const
    {
        const QueueMeetings own = met(entry, entry);
        return own.overtook >= fewestOvertakes && own.overtook >= overtakesPerException * own.keptNewer;
    }
    // Whether the whole queue runs newest first, as no entry method shows anything else.
    bool allRunNewestFirst() const
    {
        std::int64_t overtook = 0, kept = 0;
        for (const auto& [pair, met] : m_evidence) {
            overtook += met.overtook;
            kept += met.keptNewer;
        }
        return std::find(m_seenLifo.begin(), m_seenLifo.end(), true) != m_seenLifo.end()
               && overtook >= overtakesPerException * kept;
    }
    static bool isOften(const QueueMeetings& met)
    {
        if (met.overtook >= fewestAlways && met.overtook == met.all) return true;
        return met.overtook >= fewestOvertakes && met.overtook * meetingsPerOvertake >= met.all;
    }

    void findPairs()
    {
        for (std::size_t a = 0; a < m_entries.size(); ++a)
            for (std::size_t b = a + 1; b < m_entries.size(); ++b) judge(a, b);
        const auto key = [](const Edge& edge) { return std::tuple(-edge.evidence, edge.first, edge.second); };
        std::sort(m_edges.begin(), m_edges.end(), [&](const Edge& x, const Edge& y) { return key(x) < key(y); });
    }

    void judge(std::size_t a, std::size_t b)
    {
        const QueueMeetings ab = met(m_entries[a], m_entries[b]);
        const QueueMeetings ba = met(m_entries[b], m_entries[a]);
        if (ab.all == 0 && ba.all == 0) return;
        const std::int64_t overtook = ab.overtook + ba.overtook;
        const std::int64_t kept = ab.keptNewer + ba.keptNewer;
        if (m_isLifo[a] && m_isLifo[b] && overtook >= overtakesPerException * kept) return unite(a, b);
        if (isOften(ab) && ab.overtook >= overtakesPerException * ba.all) return m_edges.push_back({a, b, ab.overtook});
        if (isOften(ba) && ba.overtook >= overtakesPerException * ab.all) return m_edges.push_back({b, a, ba.overtook});
        const bool isBothWays = ab.keptNewer >= fewestOvertakes && ba.keptNewer >= fewestOvertakes;
        if (isBothWays && m_isLifo[a] == m_isLifo[b] && kept >= overtook) unite(a, b);
    }

    void unite(std::size_t a, std::size_t b)
    {
        const std::size_t from = std::max(m_group[a], m_group[b]), to = std::min(m_group[a], m_group[b]);
        std::replace(m_group.begin(), m_group.end(), from, to);
    }

    // Gives each entry method a level: the length of the longest chain from it down to what runs last. An edge that
    // contradicts edges of more evidence is left out.
    void findLevels()
    {
        m_level.assign(m_entries.size(), 0);
        m_below.assign(m_entries.size(), std::vector<bool>(m_entries.size()));
        for (const Edge& edge : m_edges) {
            const std::size_t first = m_group[edge.first], second = m_group[edge.second];
            if (first == second || m_below[second][first]) continue;
            m_kept.push_back(edge);
            if (!m_below[first][second]) putBelow(first, second);
        }
        // Groups are sorted by how many groups lie below them, so that everything below a group has its level already.
        std::vector<std::size_t> order(m_entries.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto depth = [this](std::size_t group) {
            return std::count(m_below[group].begin(), m_below[group].end(), true);
        };
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return depth(a) < depth(b); });
        std::vector<std::int32_t> levelOf(m_entries.size(), 0);
        for (const std::size_t group : order)
            for (std::size_t other = 0; other < m_entries.size(); ++other)
                if (m_below[group][other]) levelOf[group] = std::max(levelOf[group], levelOf[other] + 1);
        for (std::size_t i = 0; i < m_entries.size(); ++i) m_level[i] = levelOf[m_group[i]];
    }
    // Notes that group `first` runs before `second` and before all that `second` runs before; the same for all groups
    // that run before `first`.
    void putBelow(std::size_t first, std::size_t second)
    {
        for (std::size_t above = 0; above < m_below.size(); ++above) {
            if (above != first && !m_below[above][first]) continue;
            m_below[above][second] = true;
            for (std::size_t other = 0; other < m_below.size(); ++other)
                if (m_below[second][other]) m_below[above][other] = true;
        }
    }

    // Of one priority the queue that is newest first goes before the one that is first in, first out, as in Charm++.
    std::int32_t rankOf(std::size_t i) const { return -2 * m_level[i] - (m_isLifo[i] ? 1 : 0); }

    // Whether an entry method of that rank has messages with priorities of their own: then what waits at that rank does
    // not run in order of arrival.
    bool waitsByMessage(std::int32_t rank) const
    {
        for (std::size_t i = 0; i < m_entries.size(); ++i)
            if (m_isByMessage[i] && rankOf(i) == rank) return true;
        return false;
    }

    void report(QueueDiscipline& found) const
    {
        std::map<std::size_t, std::size_t> overtaken;  // by entry: how many others it runs before
        for (const Edge& edge : m_kept) ++overtaken[edge.first];
        for (const Edge& edge : m_kept) {
            const bool isAll = overtaken[edge.first] > 1 && overtaken[edge.first] == others(edge.first);
            found.order.push_back({EntryId{m_entries[edge.first]}, EntryId{m_entries[edge.second]},
                                   isAll ? RecordedConduct::Expedited : RecordedConduct::Before, edge.evidence});
        }
        for (std::size_t i = 0; i < m_entries.size(); ++i)
            if (m_seenLifo[i] || m_isByMessage[i])
                found.order.push_back({EntryId{m_entries[i]}, EntryId{m_entries[i]},
                                       m_seenLifo[i] ? RecordedConduct::Lifo : RecordedConduct::Messages,
                                       met(m_entries[i], m_entries[i]).overtook});
        std::sort(found.order.begin(), found.order.end(), [](const RecordedOrder& x, const RecordedOrder& y) {
            return std::tuple(-x.evidence, index(x.entry), index(x.before))
                   < std::tuple(-y.evidence, index(y.entry), index(y.before));
        });
    }
    // How many other entry methods had messages that waited at the same time as those of this one.
    std::size_t others(std::size_t i) const
    {
        std::size_t found = 0;
        for (const std::uint32_t other : m_entries)
            found += other != m_entries[i]
                     && met(m_entries[i], other).all + met(other, m_entries[i]).all >= fewestOvertakes;
        return found;
    }

    void countUnexplained(QueueDiscipline& found) const
    {
        for (const auto& [pair, meetings] : m_evidence) {
            const std::int32_t began = found.of(pair.first), waited = found.of(pair.second);
            found.decisions += meetings.all;
            if (began > waited) found.unexplained += meetings.all;
            if (began == waited && !(found.isOrderedByMessage(pair.first) && found.isOrderedByMessage(pair.second)))
                found.unexplained += QueueDiscipline::isLifo(began) ? meetings.keptNewer : meetings.overtook;
        }
    }

    const QueueEvidence& m_evidence;
    std::vector<std::uint32_t> m_entries;
    std::vector<bool> m_seenLifo;
    std::vector<bool> m_isLifo;
    std::vector<bool> m_isByMessage;
    std::vector<std::size_t> m_group;  // by entry: the number of its group; entries of one group have one priority
    std::vector<Edge> m_edges;
    std::vector<Edge> m_kept;
    std::vector<std::vector<bool>> m_below;  // by group: the groups it runs before, directly or through others
    std::vector<std::int32_t> m_level;       // by entry
};

}  // namespace

QueueDiscipline findDiscipline(ProcessorRecords& records, const ReplayFacts& facts, const LatencyClasses& latencies)
{
    return DisciplineFinder(queueEvidence(records, facts, latencies)).find();
}

}  // namespace longpole
