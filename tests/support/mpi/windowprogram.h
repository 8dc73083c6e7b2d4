// SPDX-License-Identifier: GPL-3.0-or-later
// MPI programs of one-sided calls, drawn at random and played with exact times: what each call waited for is known from
// the play, not from looking at its times.
#pragma once

#include "support/mpi/mpiranks.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace longpole {

class WindowProgram {
public:
    // When a start waits for the posts that it needs.
    enum class Blocks { InStart, InAccess, InComplete };

    struct Truth {
        WaitPattern pattern = WaitPattern::None;
        TimeNs severity = 0;
        std::int32_t culprit = -1;
        std::uint32_t culpritCall = noCall;
        bool isLateComplete = false;
    };

    explicit WindowProgram(std::uint32_t seed) : m_random(seed)
    {
        const std::uint32_t ranks = 2 + below(5);
        run.ranks.resize(ranks);
        m_now.resize(ranks);
        for (TimeNs& now : m_now) now = drawn();
        truth.resize(ranks);
        std::vector<std::uint32_t> all(ranks);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) all[rank] = rank;
        run.addCommunicator(QStringLiteral("world"), all);
        m_blocks = static_cast<Blocks>(below(3));
        for (std::uint32_t phase = 0; phase < 12; ++phase) {
            m_window = 1 + static_cast<std::int32_t>(below(2));
            if (below(2) == 0) epochs();
            else locks();
        }
    }

    MpiRun run;
    std::vector<std::vector<Truth>> truth;  // by rank and call

private:
    // Times are different from each other, so that nothing depends on how ties are broken.
    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(m_random() % limit); }
    TimeNs drawn() { return static_cast<TimeNs>(below(1'000'000)) + 10; }
    std::uint32_t ranks() const { return static_cast<std::uint32_t>(run.ranks.size()); }

    std::uint32_t call(std::uint32_t rank, const char* name, TimeNs end, WindowStep step,
                       const std::vector<std::int32_t>& peers, bool isExclusive = false)
    {
        const std::uint32_t number = run.addCall(rank, QLatin1String(name), m_now[rank], end);
        for (const std::int32_t peer : peers)
            run.ranks[rank].windowSteps.push_back({number, 0, m_window, step, peer, isExclusive});
        truth[rank].emplace_back();
        m_now[rank] = end;
        return number;
    }
    TimeNs beginOf(std::uint32_t rank, std::uint32_t number) const { return run.ranks[rank].calls[number].begin; }

    // Every rank posts, then accesses, then waits: some for nobody.
    void epochs()
    {
        std::vector<std::vector<std::int32_t>> targets(ranks()), origins(ranks());
        for (std::uint32_t from = 0; from < ranks(); ++from) {
            for (std::uint32_t to = 0; to < ranks(); ++to) {
                if (below(3) != 0) continue;
                targets[from].push_back(static_cast<std::int32_t>(to));
                origins[to].push_back(static_cast<std::int32_t>(from));
            }
        }
        std::vector<std::uint32_t> posts(ranks(), noCall), completes(ranks(), noCall);
        for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
            m_now[rank] += drawn();
            if (!origins[rank].empty())
                posts[rank] = call(rank, "MPI_Win_post", m_now[rank] + 3, WindowStep::Post, origins[rank]);
        }
        std::vector<TimeNs> lastAccess(ranks() * ranks());
        for (std::uint32_t rank = 0; rank < ranks(); ++rank)
            if (!targets[rank].empty()) completes[rank] = access(rank, targets[rank], posts, lastAccess);
        for (std::uint32_t rank = 0; rank < ranks(); ++rank)
            if (!origins[rank].empty()) wait(rank, origins[rank], completes, lastAccess);
    }

    // A call that goes on when all these have posted. Itself a rank does not wait for.
    void untilPosted(std::uint32_t rank, const char* name, WindowStep step, const std::vector<std::int32_t>& peers,
                     const std::vector<std::int32_t>& needed, const std::vector<std::uint32_t>& posts)
    {
        Truth found;
        TimeNs end = m_now[rank] + 1;  // nothing can fall into a call that does not wait
        for (const std::int32_t target : needed) {
            const auto other = static_cast<std::uint32_t>(target);
            const TimeNs posted = beginOf(other, posts[other]);
            end = std::max(end, posted + 7);
            if (posted - m_now[rank] > found.severity && other != rank)
                found = {WaitPattern::LatePost, posted - m_now[rank], target, posts[other], false};
        }
        const std::uint32_t number = call(rank, name, end, step, peers);
        truth[rank][number] = found;
    }

    std::uint32_t access(std::uint32_t rank, const std::vector<std::int32_t>& targets,
                         const std::vector<std::uint32_t>& posts, std::vector<TimeNs>& lastAccess)
    {
        const std::vector<std::int32_t> none;
        m_now[rank] += drawn();
        untilPosted(rank, "MPI_Win_start", WindowStep::Start, targets, m_blocks == Blocks::InStart ? targets : none,
                    posts);
        for (const std::int32_t target : targets) lastAccess[rank * ranks() + std::size_t(target)] = m_now[rank];
        for (const std::int32_t target : targets) {
            if (below(4) == 0) continue;
            m_now[rank] += drawn() / 2;
            const std::vector<std::int32_t> one{target};
            untilPosted(rank, "MPI_Put", WindowStep::Access, one, m_blocks == Blocks::InAccess ? one : none, posts);
            lastAccess[rank * ranks() + std::size_t(target)] = m_now[rank];
        }
        m_now[rank] += drawn();
        // An access that did not come has not waited: then the complete does, whatever the program does else.
        untilPosted(rank, "MPI_Win_complete", WindowStep::Complete, {noRank},
                    m_blocks == Blocks::InStart ? none : targets, posts);
        return static_cast<std::uint32_t>(run.ranks[rank].calls.size() - 1);
    }

    void wait(std::uint32_t rank, const std::vector<std::int32_t>& origins, const std::vector<std::uint32_t>& completes,
              const std::vector<TimeNs>& lastAccess)
    {
        m_now[rank] += drawn();
        Truth found;
        TimeNs end = m_now[rank] + 5;
        for (const std::int32_t origin : origins) {
            const auto other = static_cast<std::uint32_t>(origin);
            const TimeNs completed = beginOf(other, completes[other]);
            end = std::max(end, completed + 9);
            if (completed - m_now[rank] <= found.severity || other == rank) continue;
            const TimeNs paused = completed - std::max(lastAccess[other * ranks() + rank], m_now[rank]);
            const TimeNs waited = completed - m_now[rank];
            found = {WaitPattern::EarlyWait, waited, origin, completes[other], paused > waited / 2};
        }
        const std::uint32_t number = call(rank, "MPI_Win_wait", end, WindowStep::Wait, {noRank});
        truth[rank][number] = found;
    }

    // Locks are granted in the order in which they are asked for; several may share one.
    struct Asked {
        std::uint32_t rank;
        bool isExclusive;
    };
    struct Target {
        std::vector<Asked> holders;
        std::vector<Asked> queue;
    };
    struct Actor {
        int left = 0;
        std::int32_t target = noRank;  // noRank: has no lock
        bool isExclusive = false;
        bool isWaiting = false;
    };

    void locks()
    {
        std::vector<Actor> actors(ranks());
        std::fill(m_now.begin(), m_now.end(), *std::max_element(m_now.begin(), m_now.end()));
        std::vector<Target> targets(ranks());
        std::set<std::pair<TimeNs, std::uint32_t>> next;  // when a rank asks or gives back
        for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
            actors[rank].left = static_cast<int>(below(4));
            m_now[rank] += drawn();
            if (actors[rank].left > 0) next.insert({m_now[rank], rank});
        }
        while (!next.empty()) {
            const auto [now, rank] = *next.begin();
            next.erase(next.begin());
            Actor& actor = actors[rank];
            if (actor.target == noRank) {
                actor.target = static_cast<std::int32_t>(below(below(2) == 0 ? 1 : ranks()));
                actor.isExclusive = below(3) != 0;
                targets[std::size_t(actor.target)].queue.push_back({rank, actor.isExclusive});
                actor.isWaiting = true;
                grant(targets[std::size_t(actor.target)], now, noRank, noCall, actors, next);
                continue;
            }
            Target& target = targets[std::size_t(actor.target)];
            const std::uint32_t number = call(rank, "MPI_Win_unlock", now + 4, WindowStep::Unlock, {actor.target});
            std::erase_if(target.holders, [by = rank](const Asked& one) { return one.rank == by; });
            actor.target = noRank;
            m_now[rank] += drawn();
            if (--actor.left > 0) next.insert({m_now[rank], rank});
            grant(target, now, static_cast<std::int32_t>(rank), number, actors, next);
        }
    }

    // Gives the lock to those whose turn it is, after `by` gave it back in its call `number`.
    void grant(Target& target, TimeNs now, std::int32_t by, std::uint32_t number, std::vector<Actor>& actors,
               std::set<std::pair<TimeNs, std::uint32_t>>& next)
    {
        while (!target.queue.empty()) {
            const Asked asked = target.queue.front();
            const bool isFree = target.holders.empty() || (!asked.isExclusive && !target.holders.front().isExclusive);
            if (!isFree) return;
            target.queue.erase(target.queue.begin());
            target.holders.push_back(asked);
            const std::int32_t of = actors[asked.rank].target;
            Truth found;
            if (now > m_now[asked.rank])
                found = {WaitPattern::LockCompetition, now - m_now[asked.rank], by, number, false};
            const std::uint32_t lock = call(asked.rank, "MPI_Win_lock", now + 6, WindowStep::Lock, {of},
                                            asked.isExclusive);
            truth[asked.rank][lock] = found;
            m_now[asked.rank] += drawn() / 3;
            call(asked.rank, "MPI_Put", m_now[asked.rank] + 2, WindowStep::Access, {of});
            m_now[asked.rank] += drawn();
            next.insert({m_now[asked.rank], asked.rank});
        }
    }

    std::mt19937 m_random;
    std::vector<TimeNs> m_now;
    Blocks m_blocks{};
    std::int32_t m_window = 1;
};

}  // namespace longpole
