// SPDX-License-Identifier: GPL-3.0-or-later
// Steps at windows as no program makes them: locks in each other, a rank named again and again. What is found is what
// the definitions say (docs/algorithms.md 7.2), and a million steps take no longer than their sorting.
#include "importers/mpi/waits.h"
#include "importers/mpi/windows.h"
#include "support/mpi/mpiranks.h"
#include "support/testmain.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include <sys/resource.h>

using namespace longpole;

namespace {

constexpr std::uint32_t none = 0xffffffffu;

// The steps of some ranks at one window, one after the other.
class Steps {
public:
    void rank()
    {
        ++m_rank;
        m_call = 0;
        m_now = 0;
    }
    // A call that begins `after` the end of the one before and takes `duration`.
    void call(WindowStep step, std::int32_t peer, TimeNs after = 5, TimeNs duration = 5, bool isExclusive = false)
    {
        m_now += after;
        m_begin = m_now;
        m_now += duration;
        ++m_call;
        more(step, peer, isExclusive);
    }
    // The same call names another rank, too.
    void more(WindowStep step, std::int32_t peer, bool isExclusive = false)
    {
        WindowRow row;
        row.rank = m_rank;
        row.call = m_call;
        row.comm = 0;
        row.window = 1;
        row.step = step;
        row.peer = peer;
        row.isExclusive = isExclusive;
        row.begin = m_begin;
        row.end = m_now;
        rows.push_back(row);
    }

    std::vector<WindowRow> rows;

private:
    std::uint32_t m_rank = none;
    std::uint32_t m_call = 0;
    TimeNs m_now = 0, m_begin = 0;
};

struct DefinedLock {
    std::uint32_t unlock = none;
    std::vector<std::uint32_t> calls;
};

// Whom each lock waited for, as defined: each is held against all others of its target.
class LocksByDefinition {
public:
    explicit LocksByDefinition(const std::vector<WindowRow>& rows) : m_rows(rows)
    {
        std::vector<std::size_t> open;
        for (std::uint32_t row = 0; row < rows.size(); ++row) {
            if (row > 0 && rows[row].rank != rows[row - 1].rank) open.clear();
            const std::int32_t peer = rows[row].peer;
            if (rows[row].step == WindowStep::Lock) {
                open.push_back(m_locks.size());
                m_locks.push_back({none, {row}});
            } else if (rows[row].step == WindowStep::Unlock) {
                const auto of = std::find_if(open.begin(), open.end(),
                                             [&](std::size_t lock) { return target(m_locks[lock]) == peer; });
                if (of == open.end()) continue;
                m_locks[*of].unlock = row;
                m_locks[*of].calls.push_back(row);
                open.erase(of);
            } else {
                for (const std::size_t lock : open)
                    if (peer == noRank || target(m_locks[lock]) == noRank || target(m_locks[lock]) == peer)
                        m_locks[lock].calls.push_back(row);
            }
        }
    }

    using Found = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, TimeNs>;  // rank, call, row, from
    std::vector<Found> waits(std::int32_t ranks) const
    {
        std::vector<Found> found;
        for (std::int32_t of = 0; of < ranks; ++of) {
            std::vector<const DefinedLock*> locks;
            for (const DefinedLock& lock : m_locks)
                if (target(lock) == of || target(lock) == noRank) locks.push_back(&lock);
            std::stable_sort(locks.begin(), locks.end(), [this](const DefinedLock* a, const DefinedLock* b) {
                return givenBack(*a) < givenBack(*b);
            });
            for (std::size_t i = 0; i < locks.size(); ++i)
                wait(of, {locks.begin(), locks.begin() + long(i)}, *locks[i], found);
        }
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());  // many locks may be about the same wait
        return found;
    }

private:
    const WindowRow& first(const DefinedLock& lock) const { return m_rows[lock.calls.front()]; }
    std::int32_t target(const DefinedLock& lock) const { return first(lock).peer; }
    TimeNs givenBack(const DefinedLock& lock) const
    {
        return lock.unlock == none ? maxTime : m_rows[lock.unlock].begin;
    }
    bool excludes(const DefinedLock& a, const DefinedLock& b) const
    {
        const auto isExclusive = [this](const DefinedLock& lock) {
            return first(lock).isExclusive && target(lock) != noRank;
        };
        return (isExclusive(a) || isExclusive(b)) && first(a).rank != first(b).rank;
    }
    void wait(std::int32_t of, std::vector<const DefinedLock*> before, const DefinedLock& mine,
              std::vector<Found>& found) const
    {
        std::erase_if(before, [&](const DefinedLock* other) { return !excludes(*other, mine); });
        if (before.empty()) return;
        const TimeNs released = givenBack(*before.back());
        for (const std::uint32_t row : mine.calls) {
            const bool isThere = m_rows[row].peer == noRank || m_rows[row].peer == of;
            if (!isThere || m_rows[row].begin >= released || released >= m_rows[row].end) continue;
            TimeNs asked = maxTime;
            for (const DefinedLock* other : before)
                if (givenBack(*other) > m_rows[row].begin) asked = std::min(asked, first(*other).begin);
            found.emplace_back(m_rows[row].rank, m_rows[row].call, before.back()->unlock,
                               std::max(asked, m_rows[row].begin));
            return;
        }
    }

    const std::vector<WindowRow>& m_rows;
    std::vector<DefinedLock> m_locks;
};

}  // namespace

class TestManyWindowSteps : public QObject {
    Q_OBJECT

    QElapsedTimer m_time;
    long m_before = 0;

    // The largest that this process ever was, kB.
    static long peak()
    {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    }

private Q_SLOTS:
    void init()
    {
        m_before = peak();
        m_time.start();
    }
    // Each of them took minutes or gigabytes when every lock was held against every other one.
    void cleanup()
    {
        QVERIFY2(m_time.elapsed() < 20'000, qPrintable(QString::number(m_time.elapsed())));
        QVERIFY2(peak() - m_before < 500'000, qPrintable(QString::number(peak() - m_before)));
    }

    void locksAsDefined()
    {
        std::mt19937 random(7);
        std::size_t all = 0;
        for (int run = 0; run < 12'000; ++run) {
            const auto below = [&random](unsigned limit) { return static_cast<std::int32_t>(random() % limit); };
            const std::int32_t ranks = 2 + below(3);
            Steps steps;
            for (std::int32_t rank = 0; rank < ranks; ++rank) {
                steps.rank();
                for (int i = below(14); i > 0; --i) {
                    const WindowStep step[] = {WindowStep::Lock, WindowStep::Lock, WindowStep::Unlock,
                                               WindowStep::Unlock, WindowStep::Access};
                    const std::int32_t peer = below(5) == 0 ? noRank : below(static_cast<unsigned>(ranks));
                    steps.call(step[below(5)], peer, below(12), 1 + below(40), below(3) != 0 && peer != noRank);
                }
            }
            const auto findings = findWindowMeetings(steps.rows, 0, static_cast<std::size_t>(ranks));
            std::vector<LocksByDefinition::Found> found;
            for (std::uint32_t rank = 0; rank < findings.size(); ++rank)
                for (const WindowMeeting& meeting : findings[rank].meetings)
                    found.emplace_back(rank, meeting.call, meeting.with, meeting.from);
            std::sort(found.begin(), found.end());
            const auto defined = LocksByDefinition(steps.rows).waits(ranks);
            QVERIFY2(
                found == defined,
                qPrintable(QStringLiteral("run %1: %2 instead of %3").arg(run).arg(found.size()).arg(defined.size())));
            all += found.size();
        }
        QVERIFY2(all > 2000, qPrintable(QString::number(all)));
    }

    // Accesses under locks that are never given back: each was noted for every lock.
    void accessesUnderManyLocks()
    {
        Steps steps;
        steps.rank();
        for (int i = 0; i < 100'000; ++i) steps.call(WindowStep::Lock, 1, 5, 5, true);
        for (int i = 0; i < 100'000; ++i) steps.call(WindowStep::Access, 1);
        QVERIFY(findWindowMeetings(steps.rows, 0, 1)[0].meetings.empty());
    }

    // Locks that a rank gives back in the order in which it got them.
    void locksInEachOther()
    {
        Steps steps;
        steps.rank();
        for (int i = 0; i < 100'000; ++i) steps.call(WindowStep::Lock, 1, 5, 5, true);
        for (int i = 0; i < 100'000; ++i) {
            steps.call(WindowStep::Lock, 0, 5, 5, true);
            steps.call(WindowStep::Unlock, 0);
        }
        QVERIFY(findWindowMeetings(steps.rows, 0, 1)[0].meetings.empty());
    }

    // Many under one access that waits, while another rank takes and gives back as many.
    void locksThatAllWait()
    {
        constexpr int many = 100'000;
        Steps steps;
        steps.rank();
        for (int i = 0; i < many; ++i) steps.call(WindowStep::Lock, 0, 0, 1, true);
        steps.call(WindowStep::Access, 0, 1, 100 * many);
        for (int i = 0; i < many; ++i) steps.call(WindowStep::Unlock, 0, 0, 1);
        steps.rank();
        steps.call(WindowStep::Lock, 0, 2 * many, 1, true);
        for (int i = 1; i < many; ++i) {
            steps.call(WindowStep::Unlock, 0, 4, 1);
            steps.call(WindowStep::Lock, 0, 4, 1, true);
        }
        steps.call(WindowStep::Unlock, 0, 4, 1);
        const std::vector<WindowFindings> found = findWindowMeetings(steps.rows, 0, 2);
        QVERIFY(!found[0].meetings.empty() && found[0].meetings.size() <= 2);  // the same wait is listed once
        for (const WindowMeeting& meeting : found[0].meetings) QCOMPARE(meeting.from, TimeNs{2 * many});
    }

    // A lock of all ranks is one of each target: 4000 times 100000.
    void locksOfAllRanks()
    {
        Steps steps;
        steps.rank();
        for (std::int32_t i = 0; i < 4000; ++i) {
            steps.call(WindowStep::Lock, i, 5, 5, true);
            steps.call(WindowStep::Unlock, i);
        }
        for (int i = 0; i < 100'000; ++i) {
            steps.call(WindowStep::Lock, noRank);
            steps.call(WindowStep::Unlock, noRank);
        }
        QVERIFY(findWindowMeetings(steps.rows, 0, 1)[0].meetings.empty());
    }

    // One start that names a rank again and again, as that one's post does.
    void partnersOfOneCall()
    {
        constexpr int many = 100'000;
        Steps steps;
        steps.rank();
        steps.call(WindowStep::Start, 1);
        for (int i = 1; i < many; ++i) steps.more(WindowStep::Start, 1);
        for (int i = 0; i < many; ++i) steps.call(WindowStep::Access, 1);
        steps.call(WindowStep::Complete, noRank);
        steps.rank();
        steps.call(WindowStep::Post, 0, 1, 1);
        for (int i = 1; i < many; ++i) steps.more(WindowStep::Post, 0);
        steps.call(WindowStep::Wait, noRank, 1, 100 * many);
        const std::vector<WindowFindings> found = findWindowMeetings(steps.rows, 0, 2);
        QCOMPARE(found[1].meetings.size(), std::size_t{1});  // the same meeting is listed once
        QCOMPARE(found[0].judged.size(), std::size_t{many + 2});
    }

    // A call that completes many receives, after many loops of polls: each loop waited for each message.
    void loopsBeforeManyMessages()
    {
        constexpr std::uint32_t many = 60'000;
        MpiRun run;
        run.ranks.resize(2);
        run.addCommunicator(QStringLiteral("world"), {0, 1});
        const auto add = [&](std::uint32_t rank, const char* name, TimeNs begin, TimeNs end) {
            return run.addCall(rank, QLatin1String(name), begin, end);
        };
        for (std::uint32_t i = 0; i < many; ++i) {
            const std::uint32_t call = add(0, "MPI_Send", 1'000'000 + 10 * i, 1'000'005 + 10 * i);
            run.ranks[0].sends.push_back({call, call, 0, 1, 0, false, false, 1});
        }
        for (std::uint32_t i = 0; i < many; ++i)
            run.ranks[1].receives.push_back({add(1, "MPI_Irecv", i, i), 2 * many, 0, 0, 0, false, 1});
        for (std::uint32_t i = 0; i < many; ++i)
            run.ranks[1].calls[add(1, "MPI_Test", 1'000'000 + 10 * i, 1'000'008 + 10 * i)].isPolling = true;
        add(1, "MPI_Waitall", 1'000'000 + 10 * many, 1'000'000 + 20 * many);
        ImportLog log;
        const MpiMatches matches = *matchMpi(run.ranks, run.names, 2, log, Progress{});
        const auto waits = mpiWaits(run.ranks, run.names, matches, 2);
        // The loop before the last message waited for it; the message that came as it ended is the one after.
        QCOMPARE(waits[1][many + 10].severity, 8);
        QCOMPARE(waits[1][many + 10].culpritCall, 11u);
        QCOMPARE(waits[1][2 * many - 1].severity, 0);
    }
};

LONGPOLE_TEST(TestManyWindowSteps)
#include "tst_manywindowsteps.moc"
