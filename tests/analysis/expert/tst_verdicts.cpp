// SPDX-License-Identifier: GPL-3.0-or-later
// What the expert finds in every trace: losses that their queries add up to, places inside the scope, and the verdicts
// of the traces that lie here as a file to read.
#include "analysis/expert/expertquestions.h"
#include "analysis/expert/judgedtraces.h"
#include "analysis/waiting/sqltables.h"
#include "core/sql/sqlsession.h"
#include "support/testmain.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>

using namespace longpole;

namespace {

// What a column of a query adds up to; what is wrong with it as an error. `least`: its least value.
Result<TimeNs> sumOf(SqlSession& session, const QString& sql, const QString& column, TimeNs* least = nullptr)
{
    qsizetype at = -1;
    TimeNs sum = 0;
    const Result<> ran = session.run(
        sql, [&](const QStringList& columns) { at = columns.indexOf(column); },
        [&](std::span<const QVariant> row) {
            if (at < 0) return true;
            sum += row[std::size_t(at)].toLongLong();
            if (least != nullptr) *least = std::min<TimeNs>(*least, row[std::size_t(at)].toLongLong());
            return true;
        },
        Progress{});
    if (!ran) return ran.error();
    if (at < 0) return Error{QStringLiteral("no column ") % column, sql, {}};
    return sum;
}

bool liesIn(const TimeRange& range, const AdviceScope& scope)
{
    return scope.ranges.empty()
           || std::any_of(scope.ranges.begin(), scope.ranges.end(), [&range](const TimeRange& part) {
                  return part.begin <= range.begin && range.end <= part.end;
              });
}

// What the query of an advice adds up to.
TimeNs lostOf(const Advice& advice)
{
    if (!advice.isOfScheduling()) return advice.severity;
    return advice.kind == QLatin1String("split") ? advice.residual : advice.over;
}

}  // namespace

class TestVerdicts : public QObject {
    Q_OBJECT

    JudgedTraces m_judged;

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void queriesAddUp_data() { JudgedTraces::addTraces(); }
    void queriesAddUp()
    {
        QFETCH(QString, trace);
        const std::shared_ptr<Results> results = m_judged.resultsOf(trace);
        QVERIFY(results);
        const auto expert = m_judged.expertOf(trace);
        QVERIFY(expert);
        const auto session = SqlSession::open(results->sharedStore(), waitingTables(results));
        QVERIFY2(session.ok(), session ? "" : qPrintable(toText(session.error())));
        for (const Advice& advice : expert->advice) {
            TimeNs least = 0;
            const Result<TimeNs> lost = sumOf(**session, advice.sql, QStringLiteral("lost_ns"), &least);
            QVERIFY2(lost.ok(), lost ? "" : qPrintable(advice.sql % toText(lost.error())));
            QVERIFY2(*lost == lostOf(advice), qPrintable(QStringLiteral("%1: %2 instead of %3\n%4")
                                                             .arg(advice.id)
                                                             .arg(*lost)
                                                             .arg(lostOf(advice))
                                                             .arg(advice.sql)));
            // A loss that is capped counts a part of its rows, and takes no lump off.
            static const QRegularExpression lump(QStringLiteral("[ ,(]-[0-9]"));
            QVERIFY2(!advice.sql.contains(lump), qPrintable(advice.sql));
            if (advice.sql.contains(QStringLiteral("counted_ns"))) QCOMPARE(least, 0);
        }
        std::vector<Evidence> all;
        for (const Advice& advice : expert->advice)
            all.insert(all.end(), advice.evidence.begin(), advice.evidence.end());
        for (const TreeNode& node : expert->tree.nodes)
            all.insert(all.end(), node.evidence.begin(), node.evidence.end());
        for (const Evidence& evidence : all) {
            if (evidence.sql.isEmpty()) continue;
            const Result<TimeNs> time = sumOf(**session, evidence.sql, QStringLiteral("time_ns"));
            QVERIFY2(time.ok(), time ? "" : qPrintable(evidence.sql % toText(time.error())));
            QVERIFY2(*time == evidence.time, qPrintable(QStringLiteral("%1: %2 instead of %3\n%4")
                                                            .arg(evidence.text)
                                                            .arg(*time)
                                                            .arg(evidence.time)
                                                            .arg(evidence.sql)));
        }
    }

    void placesLieInTheScope_data() { JudgedTraces::addTraces(); }
    void placesLieInTheScope()
    {
        QFETCH(QString, trace);
        const auto expert = m_judged.expertOf(trace);
        QVERIFY(expert);
        for (const Advice& advice : expert->advice) {
            QVERIFY2(!advice.scope.text.isEmpty(), qPrintable(advice.id));
            QCOMPARE(advice.scope.kind == ScopeKind::Run, advice.scope.ranges.empty());
            // A task that is too long is a whole one, also where it reaches out of the stretch.
            if (advice.node == QLatin1String("grainsize")) continue;
            for (const Evidence& evidence : advice.evidence)
                QVERIFY2(liesIn(evidence.range, advice.scope),
                         qPrintable(advice.id % QLatin1Char(' ') % evidence.text));
        }
    }

    // What a verdict names is what is waited for in its scope, whatever the whole run waits for most.
    void verdictsNameWhatIsInTheirScope_data() { JudgedTraces::addTraces(); }
    void verdictsNameWhatIsInTheirScope()
    {
        QFETCH(QString, trace);
        const std::shared_ptr<Results> results = m_judged.resultsOf(trace);
        const auto expert = m_judged.expertOf(trace);
        QVERIFY(results && expert);
        const auto session = SqlSession::open(results->sharedStore(), waitingTables(results));
        QVERIFY(session.ok());
        for (const Advice& advice : expert->advice) {
            if (advice.id != QLatin1String("latency") && advice.id != QLatin1String("synchronization")) continue;
            if (advice.entry == noEntry) continue;
            std::vector<TimeRange> ranges = advice.scope.ranges;
            if (ranges.empty()) ranges.push_back(results->store().info().range());
            QStringList scope;
            for (const TimeRange& range : ranges) scope << QStringLiteral("(%1, %2)").arg(range.begin).arg(range.end);
            const QString sql = QStringLiteral(
                                    "WITH scope(a, b) AS (VALUES %1) SELECT t.entry AS entry FROM idle_cause i "
                                    "JOIN scope ON i.begin_ns < b AND i.end_ns > a JOIN task t ON t.task = i.task "
                                    "WHERE cause = '%2' GROUP BY t.entry "
                                    "ORDER BY sum(min(i.end_ns, b) - max(i.begin_ns, a)) DESC LIMIT 1")
                                    .arg(scope.join(QStringLiteral(", ")), advice.id);
            const Result<TimeNs> entry = sumOf(**session, sql, QStringLiteral("entry"));
            QVERIFY2(entry.ok(), entry ? "" : qPrintable(toText(entry.error())));
            QCOMPARE(*entry, TimeNs(index(advice.entry)));
        }
    }

    // A share of a whole is not more than it.
    void sharesAreOfAWhole()
    {
        for (const QString& trace : allTraces()) {
            const auto expert = m_judged.expertOf(trace);
            QVERIFY(expert);
            for (const TreeNode& node : expert->tree.nodes)
                for (const NodeTest& test : node.tests)
                    if (test.kind == MetricKind::Share && test.metric.contains(QStringLiteral(", of ")))
                        QVERIFY2(test.value <= 1.0000001, qPrintable(trace % u' ' % test.metric));
        }
    }

    // LONGPOLE_UPDATE writes the file anew.
    void verdictsOfTraces()
    {
        QString said;
        int traces = 0;
        for (const QString& trace : allTraces()) {
            const QString folder = QStringLiteral(LONGPOLE_TEST_DATA "/") % trace;
            if (!QFile::exists(folder)) continue;
            if (trace.startsWith(archiveFolder) && trace != archiveFolder % QLatin1String("casita_4_mpi_ls_barr"))
                continue;
            ++traces;
            const auto expert = m_judged.expertOf(trace);
            QVERIFY(expert);
            said += trace % QLatin1Char('\n');
            if (expert->advice.empty())
                said += QStringLiteral("    nothing: ") % expert->tree.nodes.front().why % QLatin1Char('\n');
            int number = 0;
            for (const Advice& advice : expert->advice)
                said += isWorthIt(advice) ? QStringLiteral("    %1. %2\n").arg(++number).arg(advice.verdict)
                                          : QStringLiteral("    not worth it: %1\n").arg(advice.verdict);
            said += QLatin1Char('\n');
        }
        QVERIFY(traces >= 16);
        QFile golden(QStringLiteral(LONGPOLE_TEST_DATA "/verdicts.txt"));
        if (qEnvironmentVariableIsSet("LONGPOLE_UPDATE")) {
            QVERIFY(golden.open(QIODevice::WriteOnly) && golden.write(said.toUtf8()) > 0);
            return;
        }
        QVERIFY(golden.open(QIODevice::ReadOnly));
        const QStringList expected = QString::fromUtf8(golden.readAll()).split(QLatin1Char('\n'));
        QCOMPARE(said.split(QLatin1Char('\n')), expected);
    }
};

LONGPOLE_TEST(TestVerdicts)
#include "tst_verdicts.moc"
