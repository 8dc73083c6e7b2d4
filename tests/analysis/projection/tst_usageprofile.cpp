// SPDX-License-Identifier: GPL-3.0-or-later
// Usage profiles: the tables' figures and those counted from the chunks are the same, and add up to the time there is.
#include "analysis/projection/usageprofile.h"
#include "analysis/randomtrace.h"
#include "analysis/realtraces.h"

#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

class TestUsageProfile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void realTraces_data() { RealTraces::addRows(); }
    void realTraces()
    {
        QFETCH(QString, name);
        const auto opened = m_traces.open(name);
        if (!opened) QSKIP("not imported");
        const TraceStore& store = **opened;
        const UsageProfile table = usageProfile(store, {});
        QCOMPARE(table.total.usage.user, store.info().busy);
        QCOMPARE(table.total.usage.idle, store.info().idle);
        QCOMPARE(table.total.usage.overhead, store.info().overhead());
        const auto counted = usageProfile(store, store.info().range(), {}, Progress{});
        QVERIFY(counted.ok());
        QCOMPARE(counted->processors.size(), table.processors.size());
        for (std::size_t i = 0; i < table.processors.size(); ++i) {
            QCOMPARE(counted->processors[i].usage, table.processors[i].usage);
            QCOMPARE(counted->processors[i].entries, table.processors[i].entries);
            TimeNs user = 0;
            for (const EntryUsage& entry : table.processors[i].entries) user += entry.time;
            QCOMPARE(user, table.processors[i].usage.user);
        }
        // Two halves are the whole.
        const TimeRange run = store.info().range();
        const TimeNs middle = run.begin + run.length() / 3;
        const auto first = usageProfile(store, {run.begin, middle}, {}, Progress{});
        const auto second = usageProfile(store, {middle, run.end}, {}, Progress{});
        QCOMPARE(first->total.usage.user + second->total.usage.user, store.info().busy);
        QCOMPARE(first->total.usage.idle + second->total.usage.idle, store.info().idle);
        QCOMPARE(first->total.usage.sum(), (middle - run.begin) * TimeNs(first->processors.size()));
    }

    // Four entry methods on up to four PEs, looked at by the one, the other, or all at once.
    void fewCellsAtOnce()
    {
        const QTemporaryDir folder;
        TimeNs user = 0;
        for (unsigned seed = 0; seed < 30; ++seed) {
            const auto store = RandomTrace(seed).write(folder.filePath(QString::number(seed)));
            QVERIFY(store.ok());
            const TimeRange run = (*store)->info().range();
            const auto whole = usageProfile(**store, run, {}, Progress{});
            QVERIFY(whole.ok());
            user += whole->total.usage.user;
            for (const std::size_t cells : {0, 1, 5, 8, 12}) {
                const auto parts = usageProfile(**store, run, {}, Progress{}, cells);
                QVERIFY(parts.ok());
                QCOMPARE(parts->processors.size(), whole->processors.size());
                QCOMPARE(parts->total.usage, whole->total.usage);
                QCOMPARE(parts->total.entries, whole->total.entries);
                for (std::size_t i = 0; i < whole->processors.size(); ++i) {
                    QCOMPARE(parts->processors[i].pe, whole->processors[i].pe);
                    QCOMPARE(parts->processors[i].usage, whole->processors[i].usage);
                    QCOMPARE(parts->processors[i].entries, whole->processors[i].entries);
                }
            }
        }
        QVERIFY(user > 0);
    }

private:
    RealTraces m_traces;
};

LONGPOLE_TEST(TestUsageProfile)
#include "tst_usageprofile.moc"
