// SPDX-License-Identifier: GPL-3.0-or-later
// Whose time a path is, by entry method, chare, PE and object: sums that must agree with the path and with each other,
// on real traces with nested executions.
#include "analysis/statistics/pathshares.h"

#include "analysis/graph/taskwindow.h"
#include "analysis/realtraces.h"

#include "support/testmain.h"

#include <QTest>

#include <map>

namespace longpole {

namespace {

constexpr ProfileBy everyKey[] = {ProfileBy::Entry, ProfileBy::Chare, ProfileBy::Pe, ProfileBy::Object};

TimeNs sumOf(const BusyTimes& busy)
{
    TimeNs sum = 0;
    for (const auto& [key, time] : busy) sum += time;
    return sum;
}

}  // namespace

class TestPathShares : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void addUp_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("mode");
        for (const QLatin1String name : {QLatin1String("features_p4"), QLatin1String("gauss_seidel_p8"),
                                         QLatin1String("jacobi2d_sdag_p4"), QLatin1String("nqueen_p4")})
            for (const PathMode mode : {PathMode::Work, PathMode::Elapsed, PathMode::Sweep})
                QTest::newRow(qPrintable(QStringLiteral("%1, mode %2").arg(name).arg(int(mode))))
                    << QString(name) << int(mode);
    }
    void addUp()
    {
        QFETCH(QString, name);
        QFETCH(int, mode);
        load(name);
        const CriticalPath path = pathOf(static_cast<PathMode>(mode), {});
        QVERIFY(path.parts.compute > 0);
        for (const ProfileBy by : everyKey) {
            const std::vector<PathShare> shares = sharesOf(path, by, {});
            TimeNs time = 0;
            double share = 0;
            for (const PathShare& row : shares) {
                time += row.time;
                share += row.share;
                QVERIFY(row.busyShare >= 0 && row.busyShare <= 1);
                QVERIFY(!row.name.isEmpty());
            }
            QCOMPARE(time, path.parts.compute);
            QVERIFY(std::abs(share - 1) < 1e-9);
        }
    }

    void agreeWithThePathsOwnProfile_data() { addUp_data(); }
    void agreeWithThePathsOwnProfile()
    {
        QFETCH(QString, name);
        QFETCH(int, mode);
        load(name);
        const CriticalPath path = pathOf(static_cast<PathMode>(mode), {});
        const std::vector<PathShare> shares = sharesOf(path, ProfileBy::Entry, {});
        QCOMPARE(shares.size(), path.profile.size());
        std::map<EntryId, const PathShare*> byEntry;
        for (const PathShare& row : shares) byEntry[row.key.entry] = &row;
        for (const PathProfileRow& row : path.profile) {
            QVERIFY(byEntry.contains(row.entry));
            const PathShare& share = *byEntry[row.entry];
            QCOMPARE(share.count, row.count);
            QCOMPARE(share.time, row.time);
            QVERIFY(std::abs(share.share - row.share) < 1e-9);
            QVERIFY(std::abs(share.busyShare - row.busyShare) < 1e-9);
        }
        // And by PE with the steps themselves.
        std::map<ProcessorId, TimeNs> byPe;
        for (const PathStep& step : path.steps)
            if (step.part == PathPart::Compute) byPe[step.pe] += step.end - step.begin;
        for (const PathShare& row : sharesOf(path, ProfileBy::Pe, {})) QCOMPARE(row.time, byPe[row.key.pe]);
    }

    void pathsOfARange()
    {
        load(QStringLiteral("features_p4"));
        const TimeRange run = m_graph->run;
        const TimeRange range{run.begin + run.length() / 3, run.begin + run.length() * 2 / 3};
        for (const PathMode mode : {PathMode::Work, PathMode::Elapsed, PathMode::Sweep}) {
            const CriticalPath path = pathOf(mode, range);
            for (const ProfileBy by : everyKey) {
                TimeNs time = 0;
                for (const PathShare& row : sharesOf(path, by, range)) time += row.time;
                QCOMPARE(time, path.parts.compute);
            }
            const std::vector<PathShare> shares = sharesOf(path, ProfileBy::Entry, range);
            QCOMPARE(shares.size(), path.profile.size());
            for (std::size_t i = 0; i < shares.size(); ++i) {
                QCOMPARE(shares[i].time, path.profile[i].time);
                QVERIFY(std::abs(shares[i].busyShare - path.profile[i].busyShare) < 1e-9);
            }
        }
    }

    // What the profile table says of the run, the tasks themselves say too. (Not where executions come in several
    // pieces: a graph task has the moments between them as well.)
    void busyTimesOfTheRunAsARange_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"gauss_seidel_p8", "nqueen_p4"}) QTest::newRow(name) << QString::fromLatin1(name);
    }
    void busyTimesOfTheRunAsARange()
    {
        QFETCH(QString, name);
        load(name);
        for (const ProfileBy by : everyKey) {
            auto table = busyTimes(*m_store, *m_graph, {}, by, Progress{});
            const auto tasks = busyTimes(*m_store, *m_graph, m_graph->run, by, Progress{});
            QVERIFY(table.ok() && tasks.ok());
            QCOMPARE(sumOf(*tasks), sumOf(*table));
            std::erase_if(*table, [](const auto& row) { return row.second == 0; });
            for (const auto& [key, time] : *tasks)
                if (time > 0) QCOMPARE(time, (*table)[key]);
        }
    }

    void cancelled()
    {
        load(QStringLiteral("features_p4"));
        const Progress stopped;
        stopped.cancel();
        const CriticalPath path = pathOf(PathMode::Work, {});
        QVERIFY(!pathShares(*m_store, *m_graph, path, ProfileBy::Pe, {}, stopped).ok());
        QVERIFY(!busyTimes(*m_store, *m_graph, m_graph->run, ProfileBy::Pe, stopped).ok());
    }

private:
    void load(const QString& name)
    {
        if (name == m_name) return;
        const auto store = m_traces.open(name);
        QVERIFY2(store.ok(), store.ok() ? "" : qPrintable(toText(store.error())));
        const auto graph = loadActivityGraph(**store, Progress{});
        QVERIFY(graph.ok());
        m_store = *store;
        m_graph = *graph;
        m_name = name;
    }
    CriticalPath pathOf(PathMode mode, TimeRange range)
    {
        const Result<CriticalPath> path = [&]() -> Result<CriticalPath> {
            if (mode == PathMode::Sweep) return range.isEmpty() ? sweepPath(*m_graph) : sweepPath(*m_graph, range);
            if (mode == PathMode::Elapsed)
                return range.isEmpty() ? elapsedPath(*m_graph) : elapsedPath(*m_graph, range);
            if (!range.isEmpty()) return workPath(*m_graph, dependencies(*m_graph, EdgeLevel::Order), range);
            return workPath(*m_graph, workHeads(*m_graph, EdgeLevel::Order, Progress{}));
        }();
        return path.ok() ? *path : CriticalPath{};
    }
    std::vector<PathShare> sharesOf(const CriticalPath& path, ProfileBy by, TimeRange range)
    {
        const auto busy = busyTimes(*m_store, *m_graph, range, by, Progress{});
        if (!busy.ok()) return {};
        const auto shares = pathShares(*m_store, *m_graph, path, by, *busy, Progress{});
        return shares.ok() ? *shares : std::vector<PathShare>{};
    }

    RealTraces m_traces;
    QString m_name;
    std::shared_ptr<const TraceStore> m_store;
    std::shared_ptr<const ActivityGraph> m_graph;
};

}  // namespace longpole

LONGPOLE_TEST(longpole::TestPathShares)
#include "tst_pathshares.moc"
