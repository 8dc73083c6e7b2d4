// SPDX-License-Identifier: GPL-3.0-or-later
// Locks of one target are granted in the order in which they are given back. Nothing here looks at all other locks for
// one of them: a file may have a million that contend.
#include "importers/mpi/windowlocks.h"

#include "core/base/limits.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>

namespace longpole {
namespace {

constexpr std::uint32_t nobody = 0xffffffffu;

// A list of times in which the first one from a place on that is later than a given time is found in O(log n).
class FirstLater {
public:
    explicit FirstLater(std::vector<TimeNs> times)
    {
        m_levels.push_back(std::move(times));
        while (m_levels.back().size() > 1) {
            const std::vector<TimeNs>& below = m_levels.back();
            std::vector<TimeNs> level;
            for (std::size_t i = 0; i < below.size(); i += 2)
                level.push_back(i + 1 < below.size() ? std::max(below[i], below[i + 1]) : below[i]);
            m_levels.push_back(std::move(level));
        }
    }

    // The place of that time; the number of all times if there is none.
    std::size_t from(std::size_t place, TimeNs time) const
    {
        std::size_t level = 0;
        while (place < m_levels[level].size() && m_levels[level][place] <= time) {
            ++place;
            for (; place % 2 == 0 && level + 1 < m_levels.size(); place /= 2) ++level;
        }
        if (place >= m_levels[level].size()) return m_levels.front().size();
        for (; level > 0; --level) {
            place *= 2;
            if (m_levels[level - 1][place] <= time) ++place;
        }
        return place;
    }

private:
    std::vector<std::vector<TimeNs>> m_levels;  // level 0: the times; each level above: the later of every two below it
};

// The earliest of some ranks' times, and the earliest of all ranks but that one: so the earliest without any given rank
// is known.
class EarliestOfTwo {
public:
    void add(std::uint32_t rank, TimeNs time)
    {
        if (rank == m_rank) {
            m_first = std::min(m_first, time);
        } else if (time < m_first) {
            m_other = m_first;
            m_first = time;
            m_rank = rank;
        } else {
            m_other = std::min(m_other, time);
        }
    }
    void add(const EarliestOfTwo& more)
    {
        if (more.m_rank == nobody) return;
        // The rank of m_other is not kept: m_other is the answer only if the rank to leave out is that of m_first,
        // which m_other is not of.
        if (more.m_rank == m_rank) {
            m_first = std::min(m_first, more.m_first);
            m_other = std::min(m_other, more.m_other);
            return;
        }
        const bool isBefore = more.m_first < m_first;
        m_other = std::min({m_other, more.m_other, isBefore ? m_first : more.m_first});
        if (isBefore) std::tie(m_rank, m_first) = std::tie(more.m_rank, more.m_first);
    }
    TimeNs without(std::uint32_t rank) const { return rank == m_rank ? m_other : m_first; }

private:
    std::uint32_t m_rank = nobody;
    TimeNs m_first = maxTime, m_other = maxTime;
};

// Of places that are added in order: the last one, and the last one of any other rank.
class LastOfTwo {
public:
    void add(std::uint32_t rank, std::size_t place)
    {
        if (rank != m_rank) {
            m_other = m_last;
            m_rank = rank;
        }
        m_last = place;
    }
    std::size_t without(std::uint32_t rank) const { return rank == m_rank ? m_other : m_last; }
    static constexpr std::size_t none = ~std::size_t{0};

private:
    std::uint32_t m_rank = nobody;
    std::size_t m_last = none, m_other = none;
};

// Finds the EarliestOfTwo over any range of places in O(log n).
class EarliestInRange {
public:
    explicit EarliestInRange(std::size_t places) : m_size(places), m_nodes(2 * places) {}
    void set(std::size_t place, std::uint32_t rank, TimeNs time) { m_nodes[m_size + place].add(rank, time); }
    void finish()
    {
        for (std::size_t node = m_size; node-- > 1;) {
            m_nodes[node] = m_nodes[2 * node];
            m_nodes[node].add(m_nodes[2 * node + 1]);
        }
    }
    EarliestOfTwo of(std::size_t first, std::size_t end) const
    {
        EarliestOfTwo earliest;
        for (first += m_size, end += m_size; first < end; first /= 2, end /= 2) {
            if (first % 2 == 1) earliest.add(m_nodes[first++]);
            if (end % 2 == 1) earliest.add(m_nodes[--end]);
        }
        return earliest;
    }

private:
    std::size_t m_size;
    std::vector<EarliestOfTwo> m_nodes;  // a binary tree: node n covers nodes 2n and 2n + 1
};

// Accesses of a rank to a target, or to all.
struct AccessRows {
    const std::vector<std::uint32_t>* rows;
    FirstLater ends;
};

class LockSearch {
public:
    LockSearch(std::span<const WindowRow> rows, const std::vector<WindowLock>& locks, const WindowLocks::Meet& meet,
               const WindowLocks::IsWanted& isWanted, const Progress& progress)
        : m_rows(rows), m_locks(locks), m_meet(meet), m_isWanted(isWanted), m_progress(progress)
    {
        for (const WindowLock& lock : locks)
            m_givenBack.push_back(lock.unlock == noWindowRow ? maxTime : rows[lock.unlock].begin);
    }

    void addAccesses(std::pair<std::uint32_t, std::int32_t> of, const std::vector<std::uint32_t>& rows)
    {
        std::vector<TimeNs> ends;
        ends.reserve(rows.size());
        for (const std::uint32_t row : rows) ends.push_back(m_rows[row].end);
        m_accesses.emplace(of, AccessRows{&rows, FirstLater(std::move(ends))});
    }

    void find()
    {
        std::vector<std::uint32_t> ofAll;
        std::map<std::int32_t, std::vector<std::uint32_t>> byTarget;
        for (const WindowLock& lock : m_locks)
            if (lock.isExclusive) byTarget[target(lock)];
        for (std::uint32_t i = 0; i < m_locks.size(); ++i) {
            if (target(m_locks[i]) == noRank) ofAll.push_back(i);
            else if (const auto found = byTarget.find(target(m_locks[i])); found != byTarget.end())
                found->second.push_back(i);
        }
        const auto pairs = static_cast<std::int64_t>(ofAll.size() * byTarget.size());
        if (pairs > limits::windowLocks.of(static_cast<std::int64_t>(m_locks.size()))) ofAll.clear();
        const auto isBefore = [this](std::uint32_t a, std::uint32_t b) {
            return std::tuple(m_givenBack[a], a) < std::tuple(m_givenBack[b], b);
        };
        std::sort(ofAll.begin(), ofAll.end(), isBefore);
        for (auto& [target, own] : byTarget) {
            std::sort(own.begin(), own.end(), isBefore);
            std::vector<std::uint32_t> all;
            std::merge(own.begin(), own.end(), ofAll.begin(), ofAll.end(), std::back_inserter(all), isBefore);
            contend(target, all);
            giveMet();
            if (m_progress.isCancelled()) return;
        }
    }

private:
    struct Met {
        std::uint32_t row, unlock;
        TimeNs from;
        friend auto operator<=>(const Met&, const Met&) = default;
    };

    std::int32_t target(const WindowLock& lock) const { return m_rows[lock.row].peer; }
    std::uint32_t holder(std::uint32_t lock) const { return m_rows[m_locks[lock].row].rank; }

    // `locks`: of one target, in the order in which they were given back.
    void contend(std::int32_t target, const std::vector<std::uint32_t>& locks)
    {
        EarliestInRange asked(locks.size()), askedExclusively(locks.size());
        for (std::size_t i = 0; i < locks.size(); ++i) {
            const WindowLock& lock = m_locks[locks[i]];
            asked.set(i, holder(locks[i]), m_rows[lock.row].begin);
            if (lock.isExclusive) askedExclusively.set(i, holder(locks[i]), m_rows[lock.row].begin);
        }
        asked.finish();
        askedExclusively.finish();
        LastOfTwo last, lastExclusive;
        constexpr std::size_t lookEvery = 1024;
        for (std::size_t i = 0; i < locks.size(); ++i) {
            if (i % lookEvery == 0 && m_progress.isCancelled()) return;
            const bool isExclusive = m_locks[locks[i]].isExclusive;
            const std::uint32_t own = holder(locks[i]);
            const std::size_t before = (isExclusive ? last : lastExclusive).without(own);
            if (before != LastOfTwo::none && m_isWanted(own))
                waited(target, locks, i, before, isExclusive ? asked : askedExclusively);
            last.add(own, i);
            if (isExclusive) lastExclusive.add(own, i);
        }
    }

    // Notes the call under the lock at place `own` that waited until the lock at place `before`, which excludes it, was
    // given back. `asked`: when ranks asked for the locks that exclude it.
    void waited(std::int32_t target, const std::vector<std::uint32_t>& locks, std::size_t own, std::size_t before,
                const EarliestInRange& asked)
    {
        const TimeNs released = m_givenBack[locks[before]];
        const std::uint32_t row = covering(locks[own], target, released);
        if (row == noWindowRow) return;
        const auto isLater = [this](TimeNs time, std::uint32_t lock) { return time < m_givenBack[lock]; };
        const auto first = std::upper_bound(locks.begin(), locks.begin() + static_cast<std::ptrdiff_t>(before),
                                            m_rows[row].begin, isLater);
        const TimeNs from = asked.of(static_cast<std::size_t>(first - locks.begin()), before + 1)
                                .without(holder(locks[own]));
        constexpr std::size_t most = 1 << 16;
        m_met.push_back({row, m_locks[locks[before]].unlock, std::max(from, m_rows[row].begin)});
        if (m_met.size() >= most) giveMet();
    }

    // Several locks may have found the same wait, which is reported once.
    void giveMet()
    {
        std::sort(m_met.begin(), m_met.end());
        const auto end = std::unique(m_met.begin(), m_met.end());
        for (auto met = m_met.begin(); met != end; ++met) m_meet(met->row, met->unlock, met->from);
        m_met.clear();
    }

    bool covers(std::uint32_t row, TimeNs time) const { return m_rows[row].begin < time && time < m_rows[row].end; }

    // The first call under a lock that is about the target and was under way at that time.
    std::uint32_t covering(std::uint32_t number, std::int32_t target, TimeNs time) const
    {
        const WindowLock& lock = m_locks[number];
        if (covers(lock.row, time)) return lock.row;
        std::uint32_t first = noWindowRow;
        for (const std::int32_t peer : {target, noRank})
            first = std::min(first, accessCovering({holder(number), peer}, lock, time));
        if (first == noWindowRow && lock.unlock != noWindowRow && covers(lock.unlock, time)) return lock.unlock;
        return first;
    }

    std::uint32_t accessCovering(std::pair<std::uint32_t, std::int32_t> of, const WindowLock& lock, TimeNs time) const
    {
        const auto known = m_accesses.find(of);
        if (known == m_accesses.end()) return noWindowRow;
        const std::vector<std::uint32_t>& rows = *known->second.rows;
        const auto first = std::upper_bound(rows.begin(), rows.end(), lock.row);
        const std::size_t place = known->second.ends.from(static_cast<std::size_t>(first - rows.begin()), time);
        const bool isThere = place < rows.size() && rows[place] < lock.unlock && covers(rows[place], time);
        return isThere ? rows[place] : noWindowRow;
    }

    std::span<const WindowRow> m_rows;
    const std::vector<WindowLock>& m_locks;
    const WindowLocks::Meet& m_meet;
    const WindowLocks::IsWanted& m_isWanted;
    const Progress& m_progress;
    std::vector<TimeNs> m_givenBack;  // by lock
    std::vector<Met> m_met;           // not given yet
    std::map<std::pair<std::uint32_t, std::int32_t>, AccessRows> m_accesses;
};

}  // namespace

// Locking all ranks counts as a shared lock of each rank.
void WindowLocks::lock(std::uint32_t row)
{
    const bool isExclusive = m_rows[row].isExclusive && m_rows[row].peer != noRank;
    m_open.emplace(m_rows[row].peer, static_cast<std::uint32_t>(m_locks.size()));
    m_locks.push_back({row, noWindowRow, isExclusive});
}

void WindowLocks::unlock(std::uint32_t row)
{
    const auto [first, last] = m_open.equal_range(m_rows[row].peer);
    if (first == last) return;
    m_locks[first->second].unlock = row;
    m_open.erase(first);
}

bool WindowLocks::access(std::uint32_t row)
{
    const std::int32_t peer = m_rows[row].peer;
    const bool isLocked = peer == noRank ? !m_open.empty() : m_open.contains(peer) || m_open.contains(noRank);
    if (isLocked) m_accesses[{m_rows[row].rank, peer}].push_back(row);
    return isLocked;
}

void WindowLocks::find(const IsWanted& isWanted, const Meet& meet, const Progress& progress) const
{
    LockSearch search(m_rows, m_locks, meet, isWanted, progress);
    for (const auto& [of, rows] : m_accesses)
        if (isWanted(of.first)) search.addAccesses(of, rows);
    search.find();
}

}  // namespace longpole
