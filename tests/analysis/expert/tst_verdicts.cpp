// SPDX-License-Identifier: GPL-3.0-or-later
// What the expert says of every trace: short sentences without talk of tests, losses that their queries add up to,
// places inside the scope, and the verdicts of twelve traces as a file to read.
#include "analysis/base/naming.h"
#include "analysis/expert/expertquestions.h"
#include "analysis/expert/expertwords.h"
#include "analysis/expert/replayedadvice.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/graph/programentry.h"
#include "analysis/paths/taskquestions.h"
#include "analysis/realtraces.h"
#include "analysis/replay/replayquestions.h"
#include "analysis/report/analyses.h"
#include "analysis/waiting/sqltables.h"
#include "core/sql/sqlsession.h"
#include "support/glossary.h"
#include "support/sentences.h"
#include "support/testmain.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>

using namespace longpole;

namespace {

const QString archiveFolder = QStringLiteral("otf2/");

QStringList allTraces()
{
    QStringList names = RealTraces::names();
    for (const char* archive :
         {"casita_4_mpi_ls_barr", "pipit_ping-pong", "sst_emberotf2", "casita_2_jacobi_blame_cpu_050",
          "casita_10_scorep_mpi_tags", "casita_1_scorep-ompt-host-nested"})
        if (const QString name = archiveFolder % QLatin1String(archive);
            RealTraces::has(name) && importerFor(RealTraces::folder(name)) != nullptr)
            names << name;
    return names;
}

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

}  // namespace

class TestVerdicts : public QObject {
    Q_OBJECT
    RealTraces m_traces;
    std::map<QString, std::shared_ptr<Results>> m_results;

    std::shared_ptr<Results> resultsOf(const QString& name)
    {
        std::shared_ptr<Results>& results = m_results[name];
        if (!results)
            if (const auto store = m_traces.open(name)) results = std::make_shared<Results>(*store);
        return results;
    }
    std::shared_ptr<const Expert> expertOf(const QString& name)
    {
        const std::shared_ptr<Results> results = resultsOf(name);
        const auto found = results->ask(ExpertQuestion{}, Progress{});
        return found ? *found : nullptr;
    }
    static void addTraces()
    {
        QTest::addColumn<QString>("trace");
        for (const QString& name : allTraces()) QTest::newRow(qPrintable(name)) << name;
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void queriesAddUp_data() { addTraces(); }
    void queriesAddUp()
    {
        QFETCH(QString, trace);
        const std::shared_ptr<Results> results = resultsOf(trace);
        QVERIFY(results);
        const auto expert = expertOf(trace);
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

    void placesLieInTheScope_data() { addTraces(); }
    void placesLieInTheScope()
    {
        QFETCH(QString, trace);
        const auto expert = expertOf(trace);
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
    void verdictsNameWhatIsInTheirScope_data() { addTraces(); }
    void verdictsNameWhatIsInTheirScope()
    {
        QFETCH(QString, trace);
        const std::shared_ptr<Results> results = resultsOf(trace);
        const auto expert = expertOf(trace);
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
            const auto expert = expertOf(trace);
            QVERIFY(expert);
            for (const TreeNode& node : expert->tree.nodes)
                for (const NodeTest& test : node.tests)
                    if (test.kind == MetricKind::Share && test.metric.contains(QStringLiteral(", of ")))
                        QVERIFY2(test.value <= 1.0000001, qPrintable(trace % u' ' % test.metric));
        }
    }

    // The report and longpole parallelism say the same of the same task, and at which level.
    void parallelismIsOneAnswer_data() { addTraces(); }
    void parallelismIsOneAnswer()
    {
        QFETCH(QString, trace);
        const std::shared_ptr<Results> results = resultsOf(trace);
        QVERIFY(results);
        const ExposingQuestion question;
        const auto tasks = results->ask(question, Progress{});
        if (!tasks) return;  // of ranks it is not asked
        const QString sentence = exposingSentence(results->store(), **tasks, question.edges);
        const auto findings = results->ask(AnalysesQuestion{}, Progress{});
        QVERIFY(findings);
        QString said;
        for (const Finding& finding : (*findings)->findings)
            if (finding.id == QLatin1String("parallelism"))
                said = (finding.paragraphs.isEmpty() ? finding.appendix.paragraphs : finding.paragraphs)
                           .join(QLatin1Char(' '));
        if (sentence.isEmpty()) return;
        QVERIFY2(said.startsWith(sentence), qPrintable(said));
        if (!sentence.isEmpty()) QVERIFY2(sentence.endsWith(QStringLiteral("(edges messages).")), qPrintable(sentence));
    }

    void sentencesAreShortAndPlain_data() { addTraces(); }
    void sentencesAreShortAndPlain()
    {
        QFETCH(QString, trace);
        const auto expert = expertOf(trace);
        QVERIFY(expert);
        QStringList texts;
        for (const TreeNode& node : expert->tree.nodes) texts << node.question << node.why << node.advice;
        for (const Advice& advice : expert->advice) {
            QCOMPARE(sentencesOf(advice.verdict).size(), 1);
            QVERIFY2(!advice.verdict.isEmpty() && !advice.action.isEmpty() && !advice.effect.isEmpty(),
                     qPrintable(advice.id));
            texts << advice.title << textOf(advice) << advice.doubts;
            for (const Evidence& evidence : advice.evidence) texts << evidence.text;
        }
        texts << expert->scheduling.verdict << expert->health.verdict;
        const auto findings = resultsOf(trace)->ask(AnalysesQuestion{}, Progress{});
        QVERIFY(findings);
        for (const Finding& finding : (*findings)->findings) {
            texts << finding.paragraphs;
            for (const QString& text : finding.appendix.paragraphs)
                QVERIFY2(bannedIn(text).isEmpty(), qPrintable(bannedIn(text) % u' ' % text));
            for (const TableData& table : finding.appendix.tables) {
                QStringList heads{table.title};
                for (const Column& column : table.columns) heads << column.title;
                for (const QString& head : heads)
                    QVERIFY2(bannedIn(head).isEmpty(), qPrintable(bannedIn(head) % u' ' % head));
            }
            for (const FindingItem& item : finding.items) texts << item.paragraphs << item.points;
            // The appendix may speak of tests and thresholds, in short sentences all the same.
            for (const QString& paragraph : finding.appendix.paragraphs)
                for (const QString& sentence : sentencesOf(paragraph))
                    QVERIFY2(wordsIn(sentence) <= 25, qPrintable(sentence));
        }
        for (const QString& text : texts) {
            QVERIFY2(wrongIn(text).isEmpty(), qPrintable(wrongIn(text)));
            QString said = text;
            if (trace == QLatin1String("shared_variables_p6"))  // one of its variables is a search's bound
                said.remove(QRegularExpression(QStringLiteral("\\bbound\\b")));
            QVERIFY2(bannedIn(said).isEmpty(), qPrintable(bannedIn(said) % u' ' % said));
        }
    }

    // MPI has no objects, queues or priorities to give advice about.
    void ranksAreToldNothingOfObjects()
    {
        const QRegularExpression foreign(
            QStringLiteral("\\b(PE|PEs|object|objects|chare|priority|priorities|queue|"
                           "scheduler|entry method|packing)\\b"));
        for (const QString& trace : allTraces()) {
            if (!resultsOf(trace)->store().info().hasRanks()) continue;
            const auto expert = expertOf(trace);
            QVERIFY(expert);
            QStringList texts;
            for (const TreeNode& node : expert->tree.nodes) texts << node.question << node.why;
            for (const Advice& advice : expert->advice) texts << textOf(advice) << advice.title << advice.doubts;
            const auto findings = resultsOf(trace)->ask(AnalysesQuestion{}, Progress{});
            QVERIFY(findings);
            for (const Finding& finding : (*findings)->findings) texts << finding.title << finding.paragraphs;
            for (const QString& text : texts)
                QVERIFY2(!QString(text).remove(QStringLiteral(" queue,")).contains(foreign),
                         qPrintable(trace % u' ' % text));
        }
    }

    // Nobody can change the run-time system's entry methods: advice names the program's own behind them.
    void adviceNamesTheProgram_data() { addTraces(); }
    void adviceNamesTheProgram()
    {
        QFETCH(QString, trace);
        const std::shared_ptr<Results> results = resultsOf(trace);
        const auto expert = expertOf(trace);
        QVERIFY(results && expert);
        const TraceStore& store = results->store();
        if (store.info().hasRanks()) return;
        for (const Advice& advice : expert->advice)
            for (const Entry& entry : store.entries()) {
                if (entry.kind != EntryKind::System) continue;
                const QRegularExpression name(QStringLiteral("(?<!the runtime's )(?<![\\w:])")
                                              % QRegularExpression::escape(entryName(entry))
                                              % QStringLiteral("(?![\\w:])"));
                for (const QString& text : {advice.title, advice.verdict, advice.action})
                    QVERIFY2(!text.contains(name), qPrintable(text));
            }
    }

    void whatIsBehindTheRuntime_data()
    {
        QTest::addColumn<QString>("entry");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("behind");
        const auto add = [](const char* trace, const char* entry, ProgramEntry::Kind kind, const char* behind) {
            QTest::newRow(qPrintable(QString::fromLatin1("%1 %2").arg(QLatin1String(trace), QLatin1String(entry))))
                << QString::fromLatin1(entry) << int(kind) << QString::fromLatin1(behind);
        };
        // By what runs nested in it or behind it with the same message, by what it starts, by who asked for it.
        add("cpath_p4", "CkArray::recvNoKeepBroadcast", ProgramEntry::Kind::Delivers, "W::start");
        add("cpath_p4", "CkReductionMgr::RecvMsg", ProgramEntry::Kind::Delivers, "Main::redn_wrapper_iterDone");
        add("features_p4", "waitqd_QDChare::onQD", ProgramEntry::Kind::SentBy, "Main::driver");
        add("features_p4", "dummy_thread_chare::dummy_thread_ep", ProgramEntry::Kind::Delivers, "A1::thr");
        add("features_smalllog_p4", "CkArray::recvNoKeepBroadcast", ProgramEntry::Kind::Delivers, "A1::work");
        add("cpath_p4", "W::start", ProgramEntry::Kind::Own, "W::start");
        add("cpath_p4", "CkLocMgr::immigrate", ProgramEntry::Kind::Unknown, "");
    }
    void whatIsBehindTheRuntime()
    {
        QFETCH(QString, entry);
        QFETCH(int, kind);
        QFETCH(QString, behind);
        const std::shared_ptr<Results> results = resultsOf(
            QString::fromLatin1(QTest::currentDataTag()).section(QLatin1Char(' '), 0, 0));
        QVERIFY(results);
        const TraceStore& store = results->store();
        const auto graph = results->ask(GraphQuestion{}, Progress{});
        QVERIFY(graph);
        const auto asked = std::find_if(store.entries().begin(), store.entries().end(),
                                        [&entry](const Entry& one) { return entryName(one) == entry; });
        QVERIFY(asked != store.entries().end());
        const ProgramEntry found = programEntryOf(store, **graph, asked->id);
        QCOMPARE(found.entry == noEntry ? QString() : nameOfEntry(store, found.entry), behind);
        QCOMPARE(int(found.kind), kind);
    }

    // Two shares beside each other may be of the duration and of all PE-time: each says which.
    void sharesSayTheirBase_data() { addTraces(); }
    void sharesSayTheirBase()
    {
        QFETCH(QString, trace);
        const auto findings = resultsOf(trace)->ask(AnalysesQuestion{}, Progress{});
        QVERIFY(findings);
        for (const Finding& finding : (*findings)->findings) {
            if (finding.id != QLatin1String("advice")) continue;
            for (const FindingItem& item : finding.items)
                for (const FindingItem::Fact& fact : item.facts) {
                    const bool isLoss = fact.name.endsWith(QStringLiteral("time lost"));
                    const bool isSaving = fact.name.contains(QStringLiteral("sav"));
                    if (isLoss)
                        QVERIFY2(fact.value == QLatin1String("not known")
                                     || fact.value.contains(QStringLiteral(" of all PE-time)"))
                                     || fact.value.contains(QStringLiteral(" of all rank-time)")),
                                 qPrintable(fact.value));
                    if (isSaving)
                        QVERIFY2(fact.value.contains(QStringLiteral(" of the duration")), qPrintable(fact.value));
                }
        }
        for (const Advice& advice : expertOf(trace)->advice)
            QVERIFY2(!advice.effect.startsWith(QStringLiteral("Lost: "))
                         || advice.effect.contains(QStringLiteral("-time.")),
                     qPrintable(advice.effect));
    }

    // A report that finds no priority to help tells nobody to raise one.
    void noSentenceDeniesTheReplay_data() { addTraces(); }
    void noSentenceDeniesTheReplay()
    {
        QFETCH(QString, trace);
        const auto findings = resultsOf(trace)->ask(AnalysesQuestion{}, Progress{});
        const auto expert = expertOf(trace);
        QVERIFY(findings && expert);
        const bool helps = std::any_of(expert->scheduling.advice.begin(), expert->scheduling.advice.end(),
                                       [](const Advice& one) {
                                           return one.kind.startsWith(QLatin1String("prioritize"));
                                       });
        if (helps) return;
        for (const Finding& finding : (*findings)->findings) {
            if (finding.id == QLatin1String("advice")) continue;
            for (const QString& text : finding.paragraphs)
                QVERIFY2(!text.contains(QStringLiteral("priorit")), qPrintable(text));
        }
    }

    // LONGPOLE_UPDATE writes the file anew.
    void verdictsOfTwelveTraces()
    {
        QString said;
        int traces = 0;
        for (const QString& trace : allTraces()) {
            const QString folder = QStringLiteral(LONGPOLE_TEST_DATA "/") % trace;
            if (!QFile::exists(folder) || traces == 12) continue;
            if (trace.startsWith(archiveFolder) && trace != archiveFolder % QLatin1String("casita_4_mpi_ls_barr"))
                continue;
            ++traces;
            const auto expert = expertOf(trace);
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
        QCOMPARE(traces, 12);
        QFile golden(QStringLiteral(LONGPOLE_TEST_DATA "/verdicts.txt"));
        if (qEnvironmentVariableIsSet("LONGPOLE_UPDATE")) {
            QVERIFY(golden.open(QIODevice::WriteOnly) && golden.write(said.toUtf8()) > 0);
            return;
        }
        QVERIFY(golden.open(QIODevice::ReadOnly));
        const QStringList expected = QString::fromUtf8(golden.readAll()).split(QLatin1Char('\n'));
        QCOMPARE(said.split(QLatin1Char('\n')), expected);
    }

    void gainsAreThoseOfTheReplay_data() { addTraces(); }
    // No number is shown that the replay denies: the same question gets the same answer, and a limit stands only where
    // there is no answer.
    void gainsAreThoseOfTheReplay()
    {
        QFETCH(QString, trace);
        const auto expert = expertOf(trace);
        QVERIFY(expert);
        const std::shared_ptr<Results> results = resultsOf(trace);
        const auto predicted = [&results](const ReplayQuestion& question) {
            const auto answer = results->ask(PredictionQuestion{question}, Progress{});
            return answer.ok() ? **answer : Prediction{};
        };
        static const QRegularExpression limit(QStringLiteral("[Cc]ould save|can save|at most"));
        for (const Advice& advice : expert->advice) {
            QVERIFY2(!advice.verdict.contains(limit), qPrintable(advice.verdict));
            const bool isAnswered = advice.replay && predicted(*advice.replay).isUsable();
            if (results->store().info().tasks <= mostReplayedTasks || advice.isOfScheduling())
                QCOMPARE(isReplayed(advice), isAnswered);
            if (isAnswered) {
                const Prediction answer = predicted(*advice.replay);
                QVERIFY2(advice.prediction->gainLow >= std::min(answer.gainLow, advice.prediction->gainHigh)
                             && advice.prediction->gainHigh <= answer.gainHigh,
                         qPrintable(advice.id));
                QVERIFY2(!textOf(advice).contains(limit), qPrintable(textOf(advice)));
                QVERIFY(!limitOf(advice));
            } else if (advice.replay) {
                QVERIFY2(!advice.notReplayed.isEmpty(), qPrintable(advice.id));
            }
            const bool isBalance = advice.kind == QLatin1String("load_balance")
                                   || advice.kind == QLatin1String("bottleneck");
            const bool isNetwork = advice.kind == QLatin1String("latency") || advice.kind == QLatin1String("locality");
            if (results->store().info().hasRanks()) QVERIFY(!advice.replay);
            if (isBalance && !results->store().info().hasRanks()) QVERIFY(advice.replay->perfectBalance);
            if (isNetwork && !results->store().info().hasRanks()) QCOMPARE(advice.replay->network, NetworkModel::Ideal);
            // A limit is of what is advised: no more than is lost.
            if (const auto most = limitOf(advice); most && !advice.isOfScheduling())
                QVERIFY2(*most <= advice.severity, qPrintable(advice.id));
            if (advice.kind != QLatin1String("split") || !limitOf(advice)) continue;
            const Prediction without = predicted({.factors = {{.entries = {advice.entry}, .factor = {0, 1}}}});
            if (without.isUsable())
                QVERIFY(double(*limitOf(advice)) <= without.gainHigh * double(without.recorded) + 1);
        }
    }

    // "Balance the load more often, at most -87 %" stood first where the replay says that it costs. (The checks before
    // all advice withdraw it from this run by now: it had fewer cores than PEs.)
    void whatSavesNothingIsFolded()
    {
        const std::shared_ptr<Results> results = resultsOf(QStringLiteral("chain_and_bulk_p6"));
        QVERIFY(results);
        const QString kind = QStringLiteral("load_balance");
        std::vector<Advice> advice{{.id = kind,
                                    .kind = kind,
                                    .node = kind,
                                    .title = QStringLiteral("Balance the load"),
                                    .severity = 100'000'000}};
        advice.front().bound = results->store().info().duration() * 87 / 100;
        QVERIFY(replayAdvice(advice, *results, Progress{}));
        const Advice& balance = advice.front();
        QVERIFY(isReplayed(balance) && !isWorthIt(balance) && balance.prediction->gainHigh < leastWorth);
        QVERIFY(!limitOf(balance));
        QCOMPARE(countWorthIt(advice), 0u);
        QVERIFY2(notWorthItText(balance).startsWith(QStringLiteral("Balance the load. ")),
                 qPrintable(notWorthItText(balance)));
        // Nor does the tree tell to follow it.
        Expert expert{.advice = advice};
        TreeNode node{.id = kind, .verdict = Verdict::Fired, .why = QStringLiteral("PE 1 has more work.")};
        node.advice = balance.title;
        TreeNode other{.id = QStringLiteral("latency"), .verdict = Verdict::Fired, .advice = QStringLiteral("Send")};
        expert.tree.nodes = {node, other};
        markWhatSavesNothing(expert);
        const TreeNode& marked = expert.tree.nodes.front();
        QVERIFY(!marked.isWorthIt && marked.advice.isEmpty());
        QVERIFY2(marked.why.endsWith(QStringLiteral("A replay shows no gain worth changing it.")),
                 qPrintable(marked.why));
        QVERIFY(expert.tree.nodes.back().isWorthIt && !expert.tree.nodes.back().advice.isEmpty());
    }

    // "From a loss of 2.0 % to 5.1 %" was a predicted saving; a limit of a thousandth of the run was advice of its own.
    void whatMayCostTimeIsNoSaving()
    {
        const std::shared_ptr<Results> results = resultsOf(QStringLiteral("features_smalllog_p4"));
        QVERIFY(results);
        const auto expert = results->ask(ExpertQuestion{}, Progress{});
        QVERIFY(expert.ok());
        const std::vector<Advice>& advice = (*expert)->advice;
        const auto balance = std::find_if(advice.begin(), advice.end(),
                                          [](const Advice& one) { return one.kind == QLatin1String("load_balance"); });
        QVERIFY(balance != advice.end() && isReplayed(*balance));
        QVERIFY(balance->prediction->gainLow < 0 && balance->prediction->gainHigh > leastWorth);
        QVERIFY(!isWorthIt(*balance));
        QVERIFY2(balance->effect.contains(QStringLiteral("A replay can't tell whether it helps: from 2.0 % longer to")),
                 qPrintable(balance->effect));
        QVERIFY(notWorthItText(*balance).contains(QStringLiteral("can't tell whether it helps")));

        const TraceStore& store = results->store();
        Advice small{.title = QStringLiteral("Split it"), .severity = 1};
        small.bound = store.info().duration() / 101;
        sayNumbers(small, store);
        QVERIFY(!isWorthIt(small));
        QVERIFY(notWorthItText(small).startsWith(QStringLiteral("Split it. It could save at most ")));
        small.bound = store.info().duration() / 99;
        sayNumbers(small, store);
        QVERIFY(isWorthIt(small));
    }

    // What the runtime starts by itself comes of what the program did; what no usual latency explains stays in doubt.
    void whatTheRuntimeStartsFollowsTheProgram()
    {
        const auto predicted = [this](const char* trace, const ReplayQuestion& question) {
            const auto answer = resultsOf(QLatin1String(trace))->ask(PredictionQuestion{question}, Progress{});
            return answer.ok() ? **answer : Prediction{};
        };
        const ReplayQuestion ideal{.network = NetworkModel::Ideal};
        const Prediction atEnd = predicted("cpath_p4", ideal);  // its last reductions have no sender
        QVERIFY2(atEnd.pinned.isEmpty() && atEnd.gainLow > 0.3, qPrintable(atEnd.pinned));
        QVERIFY(!atEnd.isUsable() && atEnd.freeBaselineError < -0.2);
        QVERIFY2(whyUnusable(atEnd).startsWith(QStringLiteral("Waits that no usual latency")),
                 qPrintable(whyUnusable(atEnd)));
        const Prediction quiet = predicted("features_smalllog_p4", ideal);
        QVERIFY2(quiet.isUsable() && quiet.gainLow > 0, qPrintable(quiet.pinned));
        // The run as it was takes half the time where arrivals are not fitted to the record.
        const Prediction balance = predicted("fib_subdirs_nogz_p4", {.perfectBalance = true});
        QVERIFY(balance.freeBaselineError < -0.5 && !balance.isUsable());
        QVERIFY(predicted("fib_subdirs_nogz_p4", {}).isUsable());
    }

    void openingSentences_data()
    {
        QTest::addColumn<QString>("trace");
        QTest::addColumn<QString>("opening");
        const auto add = [](const char* trace, const char* opening) {
            QTest::newRow(trace) << QString::fromLatin1(trace) << QString::fromLatin1(opening);
        };
        add("chain_and_bulk_p6", "There is one thing to do: Give Worker::chain_hop a higher priority.");
        add("cpath_p4",
            "There is one thing to do: Overlap the reduction before W::start with other work. "
            "Other causes cannot be judged without a run with a core for every PE.");
        add("features_notes_p4",
            "Nothing to advise. Most causes cannot be judged, because this run had fewer cores than PEs. Record a run "
            "with a core for every PE.");
        add("nqueen_p4",
            "Start with the first of 2 pieces of advice: Find out what the run waits for before "
            "counter::sendCounts.");
        add("otf2/sst_emberotf2",
            "Nothing to advise. Start-up and shut-down of MPI take 100.0 % of the run's rank-time, which is paid once: "
            "record a longer run.");
    }
    void openingSentences()
    {
        QFETCH(QString, trace);
        QFETCH(QString, opening);
        if (!allTraces().contains(trace)) QSKIP("without OTF2");
        const auto expert = expertOf(trace);
        QVERIFY(expert);
        QCOMPARE(leadText(*expert, resultsOf(trace)->store()), opening);
        const QString priorities = prioritiesText(expert->scheduling);
        QCOMPARE(!priorities.isEmpty(), trace == QLatin1String("cpath_p4"));
    }

    // First what a replay says it saves, then the rest by loss times confidence, then what is not worth it.
    void adviceIsRankedAsTheTextSays()
    {
        for (const QString& trace : allTraces()) {
            const auto expert = expertOf(trace);
            QVERIFY(expert);
            const std::vector<Advice>& all = expert->advice;
            constexpr double aboutAsMuch =
                0.95;  // the tree's leading cause may go before those that weigh about as much
            for (std::size_t i = 1; i < all.size(); ++i) {
                const Advice &a = all[i - 1], &b = all[i];
                QVERIFY2(isWorthIt(a) || !isWorthIt(b), qPrintable(trace));
                QVERIFY2(isReplayed(a) || !isReplayed(b) || !isWorthIt(b), qPrintable(trace));
                if (isReplayed(a) || isReplayed(b)) continue;
                QVERIFY2(double(a.severity) * a.confidence >= aboutAsMuch * double(b.severity) * b.confidence,
                         qPrintable(trace % u' ' % b.id));
            }
        }
    }
};

LONGPOLE_TEST(TestVerdicts)
#include "tst_verdicts.moc"
