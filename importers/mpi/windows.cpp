// SPDX-License-Identifier: GPL-3.0-or-later
// Epochs of windows: the k-th start of a rank that names another belongs to the k-th post of that one that names it.
#include "importers/mpi/windows.h"

#include "importers/mpi/windowlocks.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

// From MPI_Win_start to MPI_Win_complete, or from MPI_Win_post to MPI_Win_wait.
struct WindowEpoch {
    std::uint32_t firstRow = noWindowRow, rows = 0;  // rows of the call that opens it: one for each member of its group
    std::uint32_t closedBy = noWindowRow;
    std::vector<std::uint32_t> accesses;
};

// The posts that an access epoch waits for, sorted by when they came.
class Posts {
public:
    void add(std::uint32_t rank, TimeNs begin, std::uint32_t row)
    {
        m_all.push_back({noRank, begin, m_all.size(), row});
        m_ofRanks.push_back({static_cast<std::int32_t>(rank), begin, m_ofRanks.size(), row});
    }
    void finish()
    {
        std::sort(m_all.begin(), m_all.end());
        std::sort(m_ofRanks.begin(), m_ofRanks.end());
    }
    std::size_t count() const { return m_all.size(); }

    // The row of the post by `rank` (noRank: by any) that came last between `begin` and `end`; of equal ones the first
    // added. O(log n).
    std::uint32_t lastBetween(std::int32_t rank, TimeNs begin, TimeNs end) const
    {
        const std::vector<Post>& posts = rank == noRank ? m_all : m_ofRanks;
        const auto after = std::lower_bound(posts.begin(), posts.end(), Post{rank, end, 0, 0});
        if (after == posts.begin()) return noWindowRow;
        const Post& last = *std::prev(after);
        if (last.rank != rank || last.begin <= begin) return noWindowRow;
        return std::lower_bound(posts.begin(), after, Post{rank, last.begin, 0, 0})->row;
    }

private:
    struct Post {
        std::int32_t rank;
        TimeNs begin;
        std::size_t number;
        std::uint32_t row;
        auto operator<=>(const Post&) const = default;
    };
    std::vector<Post> m_all, m_ofRanks;
};

class OneWindow {
public:
    OneWindow(std::span<const WindowRow> all, std::uint32_t first, std::vector<WindowFindings>& findings)
        : m_all(all), m_first(first), m_findings(findings), m_locks(all)
    {
    }

    // The steps of one rank, in order.
    void take(std::span<const std::uint32_t> steps)
    {
        m_openAccess = m_openExposure = noWindowRow;
        m_locks.beginRank();
        m_isFenced = false;
        for (const std::uint32_t row : steps) take(row);
    }

    void find(const Progress& progress)
    {
        for (std::uint32_t epoch = 0; epoch < m_accesses.size() && !progress.isCancelled(); ++epoch)
            access(m_accesses[epoch], progress);
        for (std::uint32_t epoch = 0; epoch < m_exposures.size() && !progress.isCancelled(); ++epoch)
            exposure(m_exposures[epoch], progress);
        m_locks.find([this](std::uint32_t rank) { return isWanted(rank); },
                     [this](std::uint32_t row, std::uint32_t unlock, TimeNs from) {
                         meet(row, unlock, from, WaitPattern::LockCompetition);
                     },
                     progress);
    }

private:
    // the rank that names the other in its group, and the one that it names
    using Pair = std::pair<std::uint32_t, std::uint32_t>;
    struct Place {
        std::uint32_t epoch, row;
    };

    const WindowRow& at(std::uint32_t row) const { return m_all[row]; }
    std::uint32_t peerOf(std::uint32_t row) const { return static_cast<std::uint32_t>(at(row).peer); }

    void take(std::uint32_t row)
    {
        const WindowRow& step = at(row);
        switch (step.step) {
        case WindowStep::Fence: m_isFenced = true; break;
        case WindowStep::Post: open(m_exposures, m_openExposure, m_posts, row); break;
        case WindowStep::Start: open(m_accesses, m_openAccess, m_starts, row); break;
        case WindowStep::Complete: close(m_accesses, m_openAccess, row); break;
        case WindowStep::Wait: close(m_exposures, m_openExposure, row); break;
        case WindowStep::Lock:
            m_locks.lock(row);
            m_isFenced = false;
            break;
        case WindowStep::Unlock: m_locks.unlock(row); break;
        case WindowStep::Access: access(row); break;
        }
    }

    void open(std::vector<WindowEpoch>& epochs, std::uint32_t& current, std::map<Pair, std::vector<Place>>& places,
              std::uint32_t row)
    {
        const bool isSameCall = current != noWindowRow && at(epochs[current].firstRow).call == at(row).call;
        if (!isSameCall) {
            current = static_cast<std::uint32_t>(epochs.size());
            epochs.push_back({row, 0, noWindowRow, {}});
        }
        ++epochs[current].rows;
        places[{at(row).rank, peerOf(row)}].push_back({current, row});
    }

    static void close(std::vector<WindowEpoch>& epochs, std::uint32_t& current, std::uint32_t row)
    {
        if (current != noWindowRow) epochs[current].closedBy = row;
        current = noWindowRow;
    }

    void access(std::uint32_t row)
    {
        if (m_locks.access(row)) return;
        if (m_openAccess != noWindowRow) {
            m_accesses[m_openAccess].accesses.push_back(row);
            TimeNs& last = m_lastAccess.try_emplace({m_openAccess, at(row).peer}, minTime).first->second;
            last = std::max(last, at(row).end);
        } else if (m_isFenced) {
            judge(row);
        }
    }

    bool isWanted(std::uint32_t rank) const { return rank >= m_first && rank - m_first < m_findings.size(); }
    void judge(std::uint32_t row)
    {
        if (isWanted(at(row).rank)) m_findings[at(row).rank - m_first].judged.push_back(at(row).call);
    }
    void meet(std::uint32_t row, std::uint32_t with, TimeNs from, WaitPattern pattern, TimeNs lastAccess = 0)
    {
        if (isWanted(at(row).rank) && at(row).rank != at(with).rank)
            m_findings[at(row).rank - m_first].meetings.push_back({at(row).call, with, from, pattern, lastAccess});
    }

    // The epoch on the other side of a row that opens one, if it is there. `others`: by who names and who is named.
    static const Place* partner(const std::map<Pair, std::vector<Place>>& own,
                                const std::map<Pair, std::vector<Place>>& others, std::uint32_t rank,
                                std::uint32_t peer, std::uint32_t row)
    {
        const auto mine = own.find({rank, peer});
        const auto theirs = others.find({peer, rank});
        if (mine == own.end() || theirs == others.end()) return nullptr;
        const auto place = std::lower_bound(mine->second.begin(), mine->second.end(), row,
                                            [](const Place& one, std::uint32_t wanted) { return one.row < wanted; });
        const auto number = static_cast<std::size_t>(place - mine->second.begin());
        return number < theirs->second.size() ? &theirs->second[number] : nullptr;
    }

    void access(const WindowEpoch& epoch, const Progress& progress)
    {
        const std::uint32_t rank = at(epoch.firstRow).rank;
        if (!isWanted(rank)) return;
        Posts posts;
        for (std::uint32_t row = epoch.firstRow; row < epoch.firstRow + epoch.rows; ++row)
            if (const Place* const post = partner(m_starts, m_posts, rank, peerOf(row), row))
                posts.add(at(post->row).rank, at(post->row).begin, post->row);
        posts.finish();
        const bool isKnown = posts.count() == epoch.rows;
        const auto look = [&](std::uint32_t row, std::int32_t target) {
            const std::uint32_t latest = posts.lastBetween(target, at(row).begin, at(row).end);
            if (latest != noWindowRow) meet(row, latest, at(row).begin, WaitPattern::LatePost);
            if (isKnown) judge(row);
        };
        look(epoch.firstRow, noRank);
        for (const std::uint32_t row : epoch.accesses) {
            if (progress.isCancelled()) return;
            look(row, at(row).peer);
        }
        if (epoch.closedBy != noWindowRow) look(epoch.closedBy, noRank);
    }

    void exposure(const WindowEpoch& epoch, const Progress& progress)
    {
        const std::uint32_t rank = at(epoch.firstRow).rank;
        if (!isWanted(rank)) return;
        judge(epoch.firstRow);
        if (epoch.closedBy == noWindowRow) return;
        bool isKnown = true;
        for (std::uint32_t row = epoch.firstRow; row < epoch.firstRow + epoch.rows; ++row) {
            if (progress.isCancelled()) return;
            const Place* const start = partner(m_posts, m_starts, rank, peerOf(row), row);
            if (start == nullptr || m_accesses[start->epoch].closedBy == noWindowRow) {
                isKnown = false;
                continue;
            }
            const WindowEpoch& other = m_accesses[start->epoch];
            meet(epoch.closedBy, other.closedBy, at(epoch.closedBy).begin, WaitPattern::EarlyWait,
                 lastAccess(start->epoch, rank));
        }
        if (isKnown) judge(epoch.closedBy);
    }

    TimeNs lastAccess(std::uint32_t epoch, std::uint32_t target) const
    {
        const auto last = m_lastAccess.find({epoch, static_cast<std::int32_t>(target)});
        const TimeNs opened = at(m_accesses[epoch].firstRow).end;
        return last == m_lastAccess.end() ? opened : std::max(opened, last->second);
    }

    std::span<const WindowRow> m_all;
    std::uint32_t m_first;
    std::vector<WindowFindings>& m_findings;
    std::vector<WindowEpoch> m_accesses, m_exposures;
    std::map<Pair, std::vector<Place>> m_starts, m_posts;  // by row within each
    // by access epoch and target: when the last access ended
    std::map<std::pair<std::uint32_t, std::int32_t>, TimeNs> m_lastAccess;
    WindowLocks m_locks;
    // The open epochs of the rank whose steps are being read.
    std::uint32_t m_openAccess = noWindowRow, m_openExposure = noWindowRow;
    bool m_isFenced = false;  // what it accesses without a start or a lock is between two fences
};

}  // namespace

std::vector<WindowFindings> findWindowMeetings(std::span<const WindowRow> rows, std::uint32_t first, std::size_t count,
                                               const Progress& progress)
{
    std::vector<WindowFindings> findings(count);
    std::map<std::pair<std::uint32_t, std::int32_t>, std::vector<std::uint32_t>> windows;
    for (std::uint32_t row = 0; row < rows.size(); ++row) windows[{rows[row].comm, rows[row].window}].push_back(row);
    for (const auto& [window, steps] : windows) {
        if (progress.isCancelled()) return findings;
        OneWindow one(rows, first, findings);
        for (std::size_t begin = 0; begin < steps.size();) {
            std::size_t end = begin + 1;
            while (end < steps.size() && rows[steps[end]].rank == rows[steps[begin]].rank) ++end;
            one.take(std::span(steps).subspan(begin, end - begin));
            begin = end;
        }
        one.find(progress);
    }
    for (WindowFindings& of : findings) {
        std::sort(of.meetings.begin(), of.meetings.end(), [](const WindowMeeting& a, const WindowMeeting& b) {
            return std::tuple(a.call, a.with, a.pattern, a.from) < std::tuple(b.call, b.with, b.pattern, b.from);
        });
        of.meetings.erase(std::unique(of.meetings.begin(), of.meetings.end()), of.meetings.end());
        std::sort(of.judged.begin(), of.judged.end());
        of.judged.erase(std::unique(of.judged.begin(), of.judged.end()), of.judged.end());
    }
    return findings;
}

}  // namespace longpole
