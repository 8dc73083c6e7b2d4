// SPDX-License-Identifier: GPL-3.0-or-later
// The expert's panels together: one answer for all, computed when one is looked at, errors, how every view goes where
// evidence is, priorities, and what is saved.
#include "analysis/expert/expertwords.h"
#include "analysis/report/advicetables.h"
#include "views/expert/expertwindow.h"
#include "views/expert/nodedetail.h"
#include "views/plots/partbarview.h"
#include "views/plots/treecanvas.h"
#include "views/state/evidenceplace.h"
#include "views/state/viewstate.h"
#include "views/widgets/evidencelist.h"
#include "views/widgets/linklabel.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"
#include "support/units.h"
#include "views/seen.h"

#include <QApplication>
#include <QFile>
#include <QFileInfo>
#include <QLayout>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <algorithm>

namespace longpole {

using namespace test;

class TestExpertPanels : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // The offscreen platform says this of every window with a smallest size.
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)"))); }

    void computedOnceForAllWhenLookedAt()
    {
        ExpertWindow window;
        window.isMade = false;
        window.load();
        QTest::qWait(20);
        QCOMPARE(window.computed(), 0);
        window.advice.show();
        QTRY_VERIFY(window.advice.isThere());
        window.tree.show();
        window.priorities.show();
        QTRY_VERIFY(window.tree.isThere() && window.priorities.isThere());
        QCOMPARE(window.computed(), 1);
    }

    void shownBeforeTheGraphIsThere()
    {
        ExpertWindow window;
        window.isMade = false;
        window.tree.show();
        window.advice.show();
        QCOMPARE(window.tree.headline(), QStringLiteral("Loading tasks …"));
        window.load();
        QTRY_VERIFY(window.tree.isThere() && window.advice.isThere());
        QCOMPARE(window.computed(), 1);
    }

    // What is advised of a damaged trace rests on what is missing in it: that is said first.
    void failedChecksComeFirst()
    {
        ExpertWindow window;
        auto damaged = std::make_shared<Expert>(*window.answer);
        damaged->health.checks = {
            {.id = CheckId::Interrupted, .level = CheckLevel::Failed, .says = QStringLiteral("Tasks were held up.")},
            {.id = CheckId::Logs, .level = CheckLevel::Failed, .says = QStringLiteral("1 of 8 PEs have no log.")},
            {.id = CheckId::Messages, .level = CheckLevel::Doubtful, .says = QStringLiteral("Some have no sender.")}};
        window.answer = damaged;
        window.show();
        const QString failed = QStringLiteral("This trace fails checks on which every verdict rests: Logs.");
        QVERIFY2(window.advice.toText().startsWith(
                     failed
                     + QStringLiteral("\nInterrupted tasks Tasks were held up.\nLogs 1 of 8 PEs have no log.\n")),
                 qPrintable(window.advice.toText()));
        QVERIFY(window.advice.lead().startsWith(failed + QLatin1Char(' ')));
        const QList<LinkLabel*> labels = window.advice.findChildren<LinkLabel*>();
        const auto title = std::find_if(labels.begin(), labels.end(),
                                        [&failed](const LinkLabel* label) { return label->plainText() == failed; });
        QVERIFY(title != labels.end());
        QWidget* card = (*title)->parentWidget();
        QCOMPARE(card->parentWidget()->layout()->itemAt(0)->widget(), card);
        damaged->health.checks[1].level = CheckLevel::Doubtful;
        QVERIFY(!leadText(*damaged, window.state.store()).contains(QStringLiteral("fails checks")));
    }

    // The answer is for all, and its computation goes on for who still waits for it.
    void cancelIsOfOneAndComputeBeginsAgain()
    {
        ExpertWindow window;
        window.isMade = false;
        window.load();
        window.advice.show();
        while (window.computed() == 0) QThread::yieldCurrentThread();  // else the tree may be the only one who asks
        window.tree.show();
        QVERIFY(window.tree.isComputing() && window.advice.isComputing());
        window.tree.button().click();
        QCOMPARE(window.tree.headline(), QStringLiteral("Not computed."));
        QTRY_VERIFY(window.advice.isThere());
        QVERIFY(!window.tree.isThere());
        window.tree.button().click();
        QTRY_VERIFY(window.tree.isThere());
        QCOMPARE(window.computed(), 1);
    }

    void closingWhileComputing()
    {
        auto window = std::make_unique<ExpertWindow>();
        window->isMade = false;
        window->load();
        window->tree.show();
        QVERIFY(window->tree.isComputing());
        window.reset();
    }

    void anErrorIsSaid()
    {
        ExpertWindow window;
        window.isMade = false;
        const auto other = TraceStore::open(window.state.store().path());  // what it reads stays unread by the window's
        QVERIFY(other.ok());
        const auto graph = loadActivityGraph(**other, Progress{});
        QVERIFY(graph.ok());
        QFile file(window.state.store().path());
        constexpr qint64 head = 64;
        QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(head));
        QVERIFY(file.write(QByteArray(static_cast<qsizetype>(file.size() - head), '\0')) > 0 && file.flush());
        window.state.setGraph(*graph);
        window.advice.show();
        QTRY_VERIFY(!window.advice.isComputing());
        const auto answer = window.state.results()->ask(ExpertQuestion{}, Progress{});
        QVERIFY(!answer.ok());
        QCOMPARE(window.advice.headline(), toText(answer.error()));
        QCOMPARE(window.advice.countText(), QString());
    }

    // Range, mark, selection, processors and one step back.
    void evidencePutsEveryViewThere()
    {
        ExpertWindow window;
        window.show();
        window.state.setProcessors({ProcessorId{0}});
        const TimeRange before = window.state.range();
        EvidenceList& list = *window.advice.cards().front()->evidence();
        QCOMPARE(list.links().size(), 3u);
        QCOMPARE(list.links()[1]->plainText(), QStringLiteral("PE 1 · 4.00 us … 8.00 us  B waited for 11 A"));
        QSignalSpy timeline(&window.advice, &AdvicePanel::timelineRequested);
        list.links()[1]->follow();
        const TimeRange place{expertBegin + 4 * us, expertBegin + 8 * us};
        QCOMPARE(window.state.marked(), place);
        QCOMPARE(window.state.range(), (TimeRange{expertBegin, expertBegin + 12 * us}));
        QCOMPARE(window.state.selection().task, (TaskId{ProcessorId{1}, 0}));
        QCOMPARE(window.state.processors(), (std::vector<ProcessorId>{ProcessorId{0}, ProcessorId{1}}));
        QCOMPARE(timeline.count(), 1);
        window.state.undo();
        QCOMPARE(window.state.range(), before);
        list.showAll();
        QCOMPARE(list.links().size(), 8u);
        list.links()[7]->follow();
        QCOMPARE(window.state.marked(), (TimeRange{expertBegin + 28 * us, expertBegin + 32 * us}));
    }

    // Away from its task, the range of the evidence wins.
    void evidenceAtTheEdge()
    {
        ExpertWindow window;
        window.load();
        showPlace(window.state, Evidence{.pe = ProcessorId{2},
                                         .range = {expertBegin + 36 * us, expertBegin + 40 * us},
                                         .tasks = {},
                                         .text = {}});
        QCOMPARE(window.state.range(), (TimeRange{expertBegin + 32 * us, expertBegin + 40 * us}));
        QVERIFY(!window.state.selection().task.isValid());
        showPlace(window.state, Evidence{});  // nowhere: nothing moves
        QCOMPARE(window.state.range(), (TimeRange{expertBegin + 32 * us, expertBegin + 40 * us}));
    }

    void prioritiesInFigures()
    {
        ExpertWindow window;
        window.show();
        TableModel& table = window.priorities.table().table();
        QCOMPARE(table.rowCount(), 2);
        QCOMPARE(table.index(0, 0).data().toString(), QStringLiteral("Drawn::B"));
        QCOMPARE(table.index(0, 1).data().toString(), QStringLiteral("good"));
        QCOMPARE(table.index(0, 2).data().toString(), QStringLiteral("88.9 %"));
        QCOMPARE(table.index(1, 10).data().toString(),
                 QStringLiteral("The same code runs critical and other instances."));
        TableModel& tried = window.priorities.tried().table();
        QCOMPARE(tried.rowCount(), 2);
        QCOMPARE(tried.index(0, 1).data().toString(), QStringLiteral("−34 %"));
        QCOMPARE(tried.index(0, 3).data().toString(), QStringLiteral("advised"));
        QCOMPARE(tried.index(1, 1).data().toString(), QStringLiteral("+16 %"));
        QCOMPARE(tried.index(1, 3).data().toString(), QStringLiteral("loses"));
        QCOMPARE(window.priorities.afterIdle().plainText(),
                 QStringLiteral("–  Critical tasks after idle times: none."));
        QVERIFY(window.priorities.behindOthers().plainText().contains(QStringLiteral("8 of them, 10 us in all")));
        window.priorities.behindOthers().follow();
        QCOMPARE(window.state.marked(), window.answer->advice[0].evidence[0].range);
        QCOMPARE(seen<PartBar>(window.priorities).parts().front().time, 10 * us);
    }

    void picturesAndValuesAsFiles()
    {
        ExpertWindow window;
        window.show();
        const QTemporaryDir folder;
        for (const char* name : {"tree.png", "tree.svg", "tree.csv"}) {
            const QString path = folder.filePath(QLatin1String(name));
            QVERIFY(window.tree.canvas().save(path));
            QVERIFY(QFileInfo(path).size() > 500);
        }
        const QByteArray csv = window.tree.canvas().toCsv();
        QVERIFY(
            csv.contains("scheduling,E,idle,found,49600,0.31,queue wait,12300000,2000000,scheduling.overtaking,1\n"));
        QVERIFY(csv.contains("shared_variables,C,overhead,can't tell,0,0,,,,,\n"));
        const QString header = folder.filePath(QStringLiteral("priorities.h"));
        window.advice.exportPriorities(header);
        QVERIFY(QFileInfo(header).size() > 100);
        QSignalSpy failed(&window.advice, &AdvicePanel::exportFailed);
        window.advice.exportPriorities(folder.filePath(QStringLiteral("priorities.xml")));
        window.advice.exportPriorities(folder.filePath(QStringLiteral("no/folder.csv")));
        QCOMPARE(failed.count(), 2);
        TableModel table;
        table.setContent(adviceContent(window.answer, window.state.sharedStore()));
        const QByteArray advice = table.toCsv();
        QVERIFY(advice.startsWith("id,kind,title,entry_id,entry,entry_chare,class,"));
        // As longpole advise --csv.
        QStringList keys;
        for (const Column& column : adviceFile(window.state.store()).heads()) keys << column.key;
        QStringList exported;
        for (const TableContent content = adviceContent(window.answer, window.state.sharedStore());
             const auto& column : content.columns)
            exported << column.key;
        QCOMPARE(exported, keys);
        QVERIFY(advice.contains("\r\nprioritize:E1,prioritize,Give Drawn::B a higher priority,1,"));
        QVERIFY2(advice.contains(",0.34,0.38,true,\"8 critical tasks of Drawn::B"), advice);
    }

    void theVerdictOnPrioritiesIsNeverCut()
    {
        ExpertWindow window;
        window.priorities.resize(420, 170);
        window.show();
        QTest::qWait(10);
        for (const LinkLabel* label :
             {&window.priorities.verdict(), &window.priorities.afterIdle(), &window.priorities.behindOthers()})
            QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->plainText()));
    }

    void anotherThemeKeepsWhatIsChosen()
    {
        ExpertWindow window;
        window.show();
        window.tree.canvas().choose(4);
        const QPalette before = QApplication::palette();
        QApplication::setPalette(widgetPalette(themeOf(window.tree).dark ? lightTheme() : darkTheme()));
        QCOMPARE(window.tree.canvas().chosen(), 4);
        QVERIFY(window.tree.detail().toText().startsWith(QStringLiteral("A · ")));
        QCOMPARE(window.advice.cards().size(), 2u);
        QApplication::setPalette(before);
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestExpertPanels)
#include "tst_expertpanels.moc"
