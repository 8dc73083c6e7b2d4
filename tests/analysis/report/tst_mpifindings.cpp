// SPDX-License-Identifier: GPL-3.0-or-later
// What the report says of an MPI run: its waits, its calls, and how far clocks and matching can be trusted.
#include "analysis/asked.h"
#include "analysis/expert/health.h"
#include "analysis/findingresult.h"
#include "analysis/report/analyses.h"
#include "analysis/report/findings.h"
#include "analysis/statistics/negativelatency.h"
#include "core/smalltrace.h"
#include "core/trace/issues.h"
#include "support/mpi/waitprogram.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

class TestMpiFindings : public QObject {
    Q_OBJECT

private:
    std::shared_ptr<const TraceStore> written(const WaitProgram& program, const std::vector<Issue>& issues = {})
    {
        MpiRows rows = program.rows();
        rows.issues = issues;
        return store(rows, m_folder.filePath(QStringLiteral("%1.longpole").arg(m_files++)));
    }
    static Finding finding(const AnalysisResults& results, const char* id)
    {
        for (const Finding& found : results.findings)
            if (found.id == QLatin1String(id)) return found;
        return {};
    }
    // In the report or, where there is nothing to advise, in its appendix.
    static QStringList said(const Finding& finding) { return finding.paragraphs + finding.appendix.paragraphs; }
    static WaitProgram example()
    {
        WaitProgram program(2, {"work", "other"});
        for (int i = 0; i < 3; ++i) {
            program.compute(0, 10'000 + 1'000 * i);
            program.compute(1, 4'000);
            program.meetAll(WaitProgram::Barrier, {0, 1}, {1'000, 2'000});
            program.compute(0, 2'000, 1);
            program.exchange(0, 1, 500, 500);
        }
        return program;
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void waitsAndCalls()
    {
        const auto trace = written(example());
        QVERIFY(trace);
        const auto results = asked(trace, AnalysesQuestion{});
        QVERIFY2(results.ok(), results.ok() ? "" : qPrintable(toText(results.error())));
        const Finding waits = finding(**results, "waits");
        QVERIFY2(waits.notEvaluated.isEmpty(), qPrintable(waits.notEvaluated));
        const QStringList words = said(waits);
        QCOMPARE(words.size(), 3);
        QVERIFY2(words[0].startsWith(QStringLiteral("Ranks waited ")), qPrintable(words[0]));
        QVERIFY(words[0].contains(QStringLiteral("was wait at barrier. Ranks came to a barrier")));
        QVERIFY2(words[1].startsWith(QStringLiteral("The longest wait was rank 1's: 8 us in MPI_Barrier")),
                 qPrintable(words[1]));
        QVERIFY(words[1].endsWith(QStringLiteral("for rank 0, in work.")));
        QVERIFY2(words[2].contains(QStringLiteral("of the waiting traces back to work")), qPrintable(words[2]));
        std::vector<FindingFigure> figures = waits.figures;
        figures.insert(figures.end(), waits.appendix.figures.begin(), waits.appendix.figures.end());
        QCOMPARE(figures.size(), std::size_t(1));
        QCOMPARE(figures[0].pes, (std::vector<ProcessorId>{ProcessorId{0}, ProcessorId{1}}));
        const JsonValue waited = resultOf(waits);
        std::int64_t sum = integerOf(waited, "unexplained_ns", -1);
        for (const JsonValue& cause : listOf(waited, "causes"))
            sum += integerOf(cause, "direct_ns", -1) + integerOf(cause, "propagated_ns", -1);
        QCOMPARE(sum, integerOf(waited, "total_ns", -1));

        const Finding mpi = finding(**results, "mpi");
        QVERIFY(said(mpi)[0].startsWith(QStringLiteral("12 MPI calls took ")));
        QVERIFY(said(mpi)[1].startsWith(QStringLiteral("Parallel efficiency is ")));
        QVERIFY(said(mpi)[3].contains(QStringLiteral("wait / execution is ")));
        const JsonValue mpiJson = resultOf(mpi);
        const JsonValue& efficiency = memberOf(mpiJson, "efficiency");
        QCOMPARE(efficiency.at("parallel").get<double>(), efficiency.at("load_balance").get<double>()
                                                              * efficiency.at("serialization").get<double>()
                                                              * efficiency.at("transfer").get<double>());
        QCOMPARE(mpi.appendix.tables[0].rows[0][0].toString(), QStringLiteral("MPI_Barrier"));
        QCOMPARE(mpi.appendix.tables[0].rows[0][1].toInt(), 6);
        QCOMPARE(mpi.appendix.tables[1].rows.size(), std::size_t(2));
        const QRegularExpression leftOver(QStringLiteral("%[0-9]"));
        for (const Finding& found : (*results)->findings) {
            for (const QString& paragraph : said(found)) QVERIFY2(!paragraph.contains(leftOver), qPrintable(paragraph));
            for (const TableData& table : found.appendix.tables)
                for (const auto& row : table.rows) QCOMPARE(row.size(), table.columns.size());
        }
    }

    void withoutWaits()
    {
        WaitProgram program(2, {"work"});
        program.compute(0, 5);
        program.compute(1, 5);
        program.meetAll(WaitProgram::Barrier, {0, 1}, {1, 1});
        const auto trace = written(program);
        QVERIFY(trace);
        const auto results = asked(trace, AnalysesQuestion{});
        QVERIFY(results.ok());
        QCOMPARE(said(finding(**results, "waits")), QStringList{QStringLiteral("No rank waited for another.")});
    }

    void notOfOtherPrograms()
    {
        const QString path = m_folder.filePath(QStringLiteral("charm.longpole"));
        QVERIFY(writeSmallTrace(path).ok());
        const auto opened = TraceStore::open(path);
        QVERIFY(opened.ok());
        const auto results = asked(*opened, AnalysesQuestion{});
        QVERIFY(results.ok());
        QVERIFY(finding(**results, "waits").id.isEmpty());
        QVERIFY(finding(**results, "mpi").id.isEmpty());
    }

    // Rank 1's clock is behind: it left two receives 7 and 9 before their sends began, and one after.
    void clocksThatDisagree()
    {
        WaitProgram program(2, {"work"});
        for (const TimeNs late : {7, 9, 0}) {
            program.compute(0, 100);
            program.exchange(0, 1, 5, 5);
            WrittenCall& received = program.lastCall(1);
            received.end = program.lastCall(0).begin - late + (late == 0 ? 5 : 0);
            if (late > 0) received.severity = received.waitBefore = received.end - received.begin;
        }
        const auto trace = written(program,
                                   {{issueIdentifier(IssueKind::NegativeLatency), 2, QStringLiteral("rank 1")}});
        QVERIFY(trace);
        const auto pairs = negativeLatencies(*trace, Progress{});
        QVERIFY(pairs.ok());
        QCOMPARE(pairs->size(), std::size_t(1));
        QCOMPARE(index(pairs->front().from), 0u);
        QCOMPARE(index(pairs->front().to), 1u);
        QCOMPARE(pairs->front().count, 2);
        QCOMPARE(pairs->front().median, 7);
        QCOMPARE(pairs->front().worst, 9);
        const auto results = asked(trace, AnalysesQuestion{});
        QVERIFY(results.ok());
        const Finding found = finding(**results, "health");
        QVERIFY2(found.paragraphs[0].contains(QStringLiteral("2 dependencies that lead back in time were left out")),
                 qPrintable(found.paragraphs[0]));
        QCOMPARE(found.appendix.tables.back().title,
                 QStringLiteral("Calls that ended before what they waited for began, by ranks"));
        QVERIFY(negativeLatencies(*written(program), Progress{})->empty());  // none was counted: not looked for
    }

    void whatHasNoPartner_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("count");
        QTest::addColumn<QString>("says");
        QTest::newRow("send") << int(IssueKind::UnmatchedSend) << 1
                              << QStringLiteral("1 send or receive has no partner");
        QTest::newRow("receive") << int(IssueKind::UnmatchedReceive) << 3
                                 << QStringLiteral("3 sends or receives have no partner");
        QTest::newRow("member") << int(IssueKind::IncompleteCollective) << 2
                                << QStringLiteral("2 collective calls lack members");
        QTest::newRow("different") << int(IssueKind::MismatchedCollective) << 1
                                   << QStringLiteral("1 collective call lacks members");
    }
    void whatHasNoPartner()
    {
        QFETCH(int, kind);
        QFETCH(int, count);
        QFETCH(QString, says);
        const auto trace = written(example(), {{issueIdentifier(IssueKind(kind)), count, QStringLiteral("rank 1")}});
        QVERIFY(trace);
        const auto graph = loadActivityGraph(*trace, Progress{});
        QVERIFY(graph.ok());
        const Health found = health(*trace, **graph, {}, {});
        QVERIFY(found.trust != Trust::Good);
        QVERIFY2(found.verdict.contains(says), qPrintable(found.verdict));
        const auto good = written(example());
        const auto goodGraph = loadActivityGraph(*good, Progress{});
        QVERIFY(goodGraph.ok());
        QVERIFY(health(*good, **goodGraph, {}, {}).trust == Trust::Good);
    }

private:
    QTemporaryDir m_folder;
    int m_files = 0;
};

LONGPOLE_TEST(TestMpiFindings)
#include "tst_mpifindings.moc"
