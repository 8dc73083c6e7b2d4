// SPDX-License-Identifier: GPL-3.0-or-later
// How the expert speaks of every trace: in short sentences without talk of tests, in the program's own words, with a
// base for each share, and never against another answer.
#include "analysis/base/naming.h"
#include "analysis/expert/expertquestions.h"
#include "analysis/expert/expertwords.h"
#include "analysis/expert/judgedtraces.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/graph/programentry.h"
#include "analysis/paths/taskquestions.h"
#include "analysis/report/analyses.h"
#include "support/glossary.h"
#include "support/sentences.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

using namespace longpole;

class TestAdviceWords : public QObject {
    Q_OBJECT

    JudgedTraces m_judged;

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void sentencesAreShortAndPlain_data() { JudgedTraces::addTraces(); }
    void sentencesAreShortAndPlain()
    {
        QFETCH(QString, trace);
        const auto expert = m_judged.expertOf(trace);
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
        const auto findings = m_judged.resultsOf(trace)->ask(AnalysesQuestion{}, Progress{});
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
            if (!m_judged.resultsOf(trace)->store().info().hasRanks()) continue;
            const auto expert = m_judged.expertOf(trace);
            QVERIFY(expert);
            QStringList texts;
            for (const TreeNode& node : expert->tree.nodes) texts << node.question << node.why;
            for (const Advice& advice : expert->advice) texts << textOf(advice) << advice.title << advice.doubts;
            const auto findings = m_judged.resultsOf(trace)->ask(AnalysesQuestion{}, Progress{});
            QVERIFY(findings);
            for (const Finding& finding : (*findings)->findings) texts << finding.title << finding.paragraphs;
            for (const QString& text : texts)
                QVERIFY2(!QString(text).remove(QStringLiteral(" queue,")).contains(foreign),
                         qPrintable(trace % u' ' % text));
        }
    }

    // Nobody can change the run-time system's entry methods: advice names the program's own behind them.
    void adviceNamesTheProgram_data() { JudgedTraces::addTraces(); }
    void adviceNamesTheProgram()
    {
        QFETCH(QString, trace);
        const std::shared_ptr<Results> results = m_judged.resultsOf(trace);
        const auto expert = m_judged.expertOf(trace);
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
        const std::shared_ptr<Results> results = m_judged.resultsOf(
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
    void sharesSayTheirBase_data() { JudgedTraces::addTraces(); }
    void sharesSayTheirBase()
    {
        QFETCH(QString, trace);
        const auto findings = m_judged.resultsOf(trace)->ask(AnalysesQuestion{}, Progress{});
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
        for (const Advice& advice : m_judged.expertOf(trace)->advice)
            QVERIFY2(!advice.effect.startsWith(QStringLiteral("Lost: "))
                         || advice.effect.contains(QStringLiteral("-time.")),
                     qPrintable(advice.effect));
    }

    // The report and longpole parallelism say the same of the same task, and at which level.
    void parallelismIsOneAnswer_data() { JudgedTraces::addTraces(); }
    void parallelismIsOneAnswer()
    {
        QFETCH(QString, trace);
        const std::shared_ptr<Results> results = m_judged.resultsOf(trace);
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

    // A report that finds no priority to help tells nobody to raise one.
    void noSentenceDeniesTheReplay_data() { JudgedTraces::addTraces(); }
    void noSentenceDeniesTheReplay()
    {
        QFETCH(QString, trace);
        const auto findings = m_judged.resultsOf(trace)->ask(AnalysesQuestion{}, Progress{});
        const auto expert = m_judged.expertOf(trace);
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
            "Main::Quiescence1.");
        add("wave2d_killed_p3",
            "This trace fails checks on which every verdict rests: Logs. Start with the first of 2 pieces of advice: "
            "Send what entry 150 needs earlier, and in fewer messages.");
        add("otf2/sst_emberotf2",
            "Nothing to advise. Start-up and shut-down of MPI take 100.0 % of the run's rank-time, which is paid once: "
            "record a longer run.");
    }
    void openingSentences()
    {
        QFETCH(QString, trace);
        QFETCH(QString, opening);
        if (!allTraces().contains(trace)) QSKIP("without OTF2");
        const auto expert = m_judged.expertOf(trace);
        QVERIFY(expert);
        QCOMPARE(leadText(*expert, m_judged.resultsOf(trace)->store()), opening);
        const QString priorities = prioritiesText(expert->scheduling);
        QCOMPARE(!priorities.isEmpty(), trace == QLatin1String("cpath_p4"));
    }
};

LONGPOLE_TEST(TestAdviceWords)
#include "tst_advicewords.moc"
