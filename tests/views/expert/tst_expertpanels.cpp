// SPDX-License-Identifier: GPL-3.0-or-later
// The expert's panels as a hand meets them: one answer for all, its advice, its tree, and how every view goes where
// evidence is.
#include "analysis/report/advicetables.h"
#include "views/drawnstore.h"
#include "views/expert/advicepanel.h"
#include "views/expert/nodedetail.h"
#include "views/expert/prioritypanel.h"
#include "views/expert/treepanel.h"
#include "views/madeexpert.h"
#include "views/plots/partbarview.h"
#include "views/plots/treecanvas.h"
#include "views/state/evidenceplace.h"
#include "views/state/viewstate.h"
#include "views/widgets/evidencelist.h"
#include "views/widgets/linklabel.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"
#include "support/units.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QThread>

namespace longpole {

namespace {

constexpr TimeNs begin = 5000 * us;

// 40 us on four PEs.
const QStringList expertRows{QStringLiteral("AAAABBBBAAAABBBBAAAABBBBAAAABBBBAAAABBBB"),
                             QStringLiteral("....CCCC....CCCC....CCCC....CCCC....CCCC"),
                             QStringLiteral("DDDD....DDDD....DDDD....DDDD....DDDD...."),
                             QStringLiteral("....BBBB....BBBB....BBBB....BBBB....BBBB")};

struct ExpertWindow {
    DrawnStore store;
    ViewState state;
    bool isMade = true;  // the answer is this one; else what the expert really says
    std::shared_ptr<const Expert> answer = madeExpert(begin, 40 * us, 4);
    TreePanel tree;
    AdvicePanel advice;
    PriorityPanel priorities;

    ExpertWindow()
        : store(expertRows, DrawnStore::Options{.begin = begin, .firstRecord = begin}), state(store.shared()),
          tree(state), advice(state), priorities(state)
    {
        tree.resize(1100, 600);
        advice.resize(280, 700);
        priorities.resize(900, 300);
    }
    int computed() const { return state.results()->computed<ExpertQuestion>(); }
    void load()
    {
        if (isMade) state.results()->give(ExpertQuestion{}, answer);
        const auto graph = loadActivityGraph(state.store(), Progress{});
        QVERIFY(graph.ok());
        state.setGraph(*graph);
    }
    void show()
    {
        load();
        for (QWidget* panel : std::initializer_list<QWidget*>{&tree, &advice, &priorities}) panel->show();
        QTRY_VERIFY(tree.isThere() && advice.isThere() && priorities.isThere());
    }
    TreeNode node(int i) const { return answer->tree.nodes[static_cast<std::size_t>(i)]; }
    QPoint middleOf(int node)
    {
        return tree.canvas().geometryOfTree().boxes[static_cast<std::size_t>(node)].rect.center().toPoint();
    }
};

constexpr int scheduling = 7;  // of madeTree

}  // namespace

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

    // What the trace contradicts comes before any advice.
    void failedChecksAreSaidFirst()
    {
        ExpertWindow window;
        auto doubted = std::make_shared<Expert>(*window.answer);
        const QString says = QStringLiteral("This run had fewer cores than PEs.");
        doubted->health.checks = {{.id = CheckId::ProcessorTime, .level = CheckLevel::Failed, .says = says}};
        window.answer = doubted;
        window.show();
        QVERIFY2(window.advice.toText().startsWith(says), qPrintable(window.advice.toText()));
        QStringList labels;
        for (const LinkLabel* label : window.advice.findChildren<LinkLabel*>()) labels << label->plainText();
        QCOMPARE(labels.value(0), says);
    }

    // One long name made a card wider than the panel, so that all of its lines were cut off.
    void longNamesBreak()
    {
        const QString name = QStringLiteral("Wave::redn_wrapper_iterationCompleted");
        LinkLabel label(QStringLiteral("muted"));
        for (const bool isLinked : {false, true}) {
            if (isLinked) label.setLink(QStringLiteral("PE 1"), name);
            else label.setWords(name);
            QVERIFY(label.minimumSizeHint().width() < label.fontMetrics().horizontalAdvance(name) * 2 / 3);
        }
        label.setWords(name);
        QCOMPARE(label.plainText(), name);
    }

    void theHeadlineSumsUp()
    {
        ExpertWindow window;
        window.show();
        QCOMPARE(window.tree.headline(),
                 QStringLiteral("Found: 5 of 17 · the largest cause is E: 31.0 % of the run · 2 can't be told"));
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

    void adviceOfRanksSaysWhyNoSavingIsPredicted()
    {
        const auto wordsOf = [](const AdviceCard& card) {
            QStringList texts;
            for (const LinkLabel* label : card.findChildren<LinkLabel*>()) texts << label->plainText();
            return texts.join(QLatin1Char('\n'));
        };
        Advice advice;
        advice.effect = QStringLiteral("Much is lost.");
        const QString reason = QStringLiteral(
            "Much is lost. No saving is predicted: only runs of Charm++ are replayed.");
        QVERIFY(wordsOf(AdviceCard(advice, 1, {.words = Vocabulary(ProgramKind::Mpi)})).contains(reason));
        QVERIFY(!wordsOf(AdviceCard(advice, 1, {})).contains(QStringLiteral("No saving")));
    }

    void adviceIsRanked()
    {
        ExpertWindow window;
        QSignalSpy counted(&window.advice, &AdvicePanel::countChanged);
        window.show();
        QCOMPARE(window.advice.countText(), QStringLiteral("2"));
        QVERIFY(counted.count() > 0);
        QCOMPARE(window.advice.cards().size(), 2u);
        AdviceCard& first = *window.advice.cards().front();
        QVERIFY(!first.isOpen());  // the ranking at a glance
        QVERIFY(
            first.toText().startsWith(QStringLiteral("1. Give Drawn::B a higher priority −34 … −38 %\n8 critical")));
        QVERIFY(first.toText().contains(QStringLiteral("\nconfidence 90 %\n")));  // a replay says what it would save
        QVERIFY(
            window.advice.cards().back()->toText().contains(QStringLiteral("8 us of PE-time lost, 5.0 % of the run")));
        QVERIFY(first.toText().contains(QStringLiteral("Doubt: 10 % of the receive times are estimates.")));
        QVERIFY(window.advice.toText().contains(QStringLiteral("2. Start more tasks at once at most −4.0 %")));
        // What could not be judged is no advice; the tree has it.
        QVERIFY(!window.advice.toText().contains(QStringLiteral("Can't tell")));
        QVERIFY(!window.advice.toText().contains(QStringLiteral("Priorities: ")));
    }

    void cardsOpenByClickAndKey()
    {
        ExpertWindow window;
        window.show();
        AdviceCard& second = *window.advice.cards().back();
        QTest::mouseClick(&second, Qt::LeftButton, {}, QPoint(40, 12));
        QVERIFY(second.isOpen());
        QTest::keyClick(&second, Qt::Key_Space);
        QVERIFY(!second.isOpen());
        QVERIFY(second.accessibleName().startsWith(QStringLiteral("Advice 2: Start more tasks at once")));
    }

    void buttonsOfACard()
    {
        ExpertWindow window;
        window.show();
        AdviceCard& first = *window.advice.cards().front();
        QVERIFY(!first.button(QStringLiteral("replay")));                       // nobody listens
        QVERIFY(!window.advice.cards().back()->button(QStringLiteral("sql")));  // it has none
        QSignalSpy sql(&window.advice, &AdvicePanel::sqlRequested);
        first.button(QStringLiteral("sql"))->click();
        QCOMPARE(sql.value(0).value(0).toString(), window.answer->advice[0].sql);
        first.button(QStringLiteral("copy"))->click();
        QCOMPARE(QApplication::clipboard()->text(), first.toText());
        QSignalSpy timeline(&window.advice, &AdvicePanel::timelineRequested);
        first.button(QStringLiteral("show"))->click();
        QCOMPARE(timeline.count(), 1);
        QCOMPARE(window.state.marked(), window.answer->advice[0].range);
        QCOMPARE(window.state.selection().task, (TaskId{ProcessorId{0}, 0}));
    }

    void replayIsOfferedWhereSomebodyListens()
    {
        ExpertWindow window;
        QSignalSpy replayed(&window.advice, &AdvicePanel::replayRequested);
        QString asked;
        connect(&window.advice, &AdvicePanel::replayRequested, this,
                [&asked](const Advice& advice) { asked = advice.id; });
        window.show();
        window.advice.cards().front()->button(QStringLiteral("replay"))->click();
        QCOMPARE(asked, QStringLiteral("prioritize:E1"));
        QVERIFY(!window.advice.cards().back()->button(QStringLiteral("replay")));  // no prediction
    }

    void nothingToAdvise()
    {
        ExpertWindow window;
        auto calm = std::make_shared<Expert>(*window.answer);
        calm->advice.clear();
        calm->tree.nodes[0].verdict = Verdict::NotFired;
        calm->tree.nodes[0].why = QStringLiteral("Processors computed 96 % of the time.");
        window.answer = calm;
        window.show();
        QVERIFY(window.advice.cards().empty());
        QCOMPARE(window.advice.countText(), QString());
        QVERIFY(window.advice.toText().startsWith(
            QStringLiteral("Nothing to advise. Processors computed 96 % of the time.\n")));
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
        const TimeRange place{begin + 4 * us, begin + 8 * us};
        QCOMPARE(window.state.marked(), place);
        QCOMPARE(window.state.range(), (TimeRange{begin, begin + 12 * us}));
        QCOMPARE(window.state.selection().task, (TaskId{ProcessorId{1}, 0}));
        QCOMPARE(window.state.processors(), (std::vector<ProcessorId>{ProcessorId{0}, ProcessorId{1}}));
        QCOMPARE(timeline.count(), 1);
        window.state.undo();
        QCOMPARE(window.state.range(), before);
        list.showAll();
        QCOMPARE(list.links().size(), 8u);
        list.links()[7]->follow();
        QCOMPARE(window.state.marked(), (TimeRange{begin + 28 * us, begin + 32 * us}));
    }

    // Away from its task, the range of the evidence wins.
    void evidenceAtTheEdge()
    {
        ExpertWindow window;
        window.load();
        showPlace(window.state,
                  Evidence{.pe = ProcessorId{2}, .range = {begin + 36 * us, begin + 40 * us}, .tasks = {}, .text = {}});
        QCOMPARE(window.state.range(), (TimeRange{begin + 32 * us, begin + 40 * us}));
        QVERIFY(!window.state.selection().task.isValid());
        showPlace(window.state, Evidence{});  // nowhere: nothing moves
        QCOMPARE(window.state.range(), (TimeRange{begin + 32 * us, begin + 40 * us}));
    }

    void theTreeBeginsAtTheEndOfThePath()
    {
        ExpertWindow window;
        window.show();
        QCOMPARE(window.tree.canvas().chosen(), scheduling);
        const QString text = window.tree.detail().toText();
        QVERIFY(text.startsWith(QStringLiteral("E · Do critical tasks wait")));
        QVERIFY(text.contains(QStringLiteral("Found · 49.60 us of PE-time lost, 31.0 % of the run")));
        QVERIFY(text.contains(QStringLiteral("queue wait: 12.30 > 2 ms")));
        QVERIFY(text.contains(QStringLiteral("found above 2 ms · scheduling.overtaking in the thresholds")));
        QVERIFY(text.contains(QStringLiteral("It would flip at 30 %.")));
        window.tree.detail().evidence()->links()[2]->follow();
        QCOMPARE(window.state.marked(), (TimeRange{begin + 8 * us, begin + 12 * us}));
        QCOMPARE(window.state.selection().task, (TaskId{ProcessorId{2}, 0}));
    }

    void nodesByClickAndKey()
    {
        ExpertWindow window;
        window.show();
        TreeCanvas& canvas = window.tree.canvas();
        QTest::mouseClick(&canvas, Qt::LeftButton, {}, window.middleOf(13));
        QCOMPARE(canvas.chosen(), 13);
        QVERIFY(window.tree.detail().toText().contains(QStringLiteral("What is missing\nuser stats named shared/...")));
        QVERIFY(!window.tree.detail().evidence());
        QTest::keyClick(&canvas, Qt::Key_Left);
        QCOMPARE(canvas.chosen(), 11);
        QTest::keyClick(&canvas, Qt::Key_Up);
        QCOMPARE(canvas.chosen(), 3);
        QVERIFY(canvas.accessibleName().contains(QStringLiteral("Did processors idle?, found, 40.0 %")));
        QTest::keyClick(&canvas, Qt::Key_Home);
        QCOMPARE(canvas.chosen(), 0);
    }

    void aCauseOfIdlingShowsItsLongest()
    {
        ExpertWindow window;
        window.show();
        PartBar& bar = window.tree.idleBar();
        const auto cause = static_cast<int>(IdleCause::Synchronization);
        const PartGeometry geometry = bar.geometryOf(bar.width());
        QTest::mouseClick(&bar, Qt::LeftButton, {}, geometry.parts[static_cast<std::size_t>(cause)].center().toPoint());
        QCOMPARE(bar.marked(), cause);
        QVERIFY(window.tree.detail().toText().startsWith(
            QStringLiteral("Idle: collective\n48 us of PE-time, 40.0 % of all idle time")));
        QCOMPARE(window.state.marked(), (TimeRange{begin + 4 * us, begin + 8 * us}));
        QTest::keyClick(&bar, Qt::Key_Right);
        QCOMPARE(bar.marked(), static_cast<int>(IdleCause::Latency));
        QTest::keyClick(&bar, Qt::Key_Return);
        QVERIFY(window.tree.detail().toText().startsWith(QStringLiteral("Idle: in transit")));
        QVERIFY(bar.toCsv().startsWith("name,time_ns\nfinished,12000\ncollective,48000\n"));
    }

    // About shared variables another view knows more, or how to record them.
    void sharedVariablesHaveAViewOfTheirOwn()
    {
        ExpertWindow window;
        window.show();
        window.tree.canvas().choose(13);
        QSignalSpy asked(&window.tree, &TreePanel::sharedRequested);
        LinkLabel* link = nullptr;
        for (LinkLabel* label : window.tree.detail().findChildren<LinkLabel*>())
            if (label->plainText() == QStringLiteral("How to record it")) link = label;
        QVERIFY(link);
        link->follow();
        QCOMPARE(asked.count(), 1);
    }

    void wrongThresholdsAreSaidAndChangeNothing()
    {
        ExpertWindow window;
        window.isMade = false;
        window.show();
        const QTemporaryDir folder;
        const QString bad = folder.filePath(QStringLiteral("bad.toml"));
        const QString good = folder.filePath(QStringLiteral("good.toml"));
        for (const auto& [path, text] :
             {std::pair(bad, "[when]\nutilisation = 0.5\n"), std::pair(good, "[when]\nutilization = 0.5\n")}) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) > 0);
        }
        QSignalSpy changed(&window.state, &ViewState::thresholdsChanged);
        window.tree.chooseThresholds(bad);
        QVERIFY(window.tree.thresholdsError().contains(QStringLiteral("line 2")));
        QVERIFY(window.tree.thresholdsError().contains(QStringLiteral("utilisation")));
        QVERIFY(window.tree.isThere());
        QCOMPARE(window.computed(), 1);
        QCOMPARE(changed.count(), 0);
        QCOMPARE(window.state.thresholdsFile(), QString());

        window.tree.chooseThresholds(good);
        QCOMPARE(window.tree.thresholdsError(), QString());
        QTRY_VERIFY(window.tree.isThere() && window.advice.isThere() && window.priorities.isThere());
        QCOMPARE(window.computed(), 2);
        QCOMPARE(window.state.thresholds().when.utilization, 0.5);
        QCOMPARE(window.state.thresholdsFile(), good);

        window.tree.chooseThresholds({});
        QTRY_VERIFY(window.tree.isThere());
        QCOMPARE(window.state.thresholds().when.utilization, Thresholds{}.when.utilization);
        const QString copy = folder.filePath(QStringLiteral("copy.toml"));
        window.tree.saveThresholds(copy);
        QFile file(copy);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), defaultThresholdsFile());
        window.tree.saveThresholds(folder.filePath(QStringLiteral("no/folder.toml")));
        QVERIFY(!window.tree.thresholdsError().isEmpty());
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
        QCOMPARE(window.priorities.waitBar().parts().front().time, 10 * us);
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

    void theTreeOpensAtItsRoot()
    {
        ExpertWindow window;
        window.tree.resize(900, 520);
        window.show();
        const auto isSeen = [&window](int node) {
            const QRect box = window.tree.canvas().geometryOfTree().boxes[std::size_t(node)].rect.toRect();
            return window.tree.canvas().visibleRegion().boundingRect().contains(box);
        };
        QTest::qWait(20);
        QCOMPARE(window.tree.canvas().chosen(), scheduling);
        QVERIFY(isSeen(0));
        window.tree.canvas().choose(13);
        QTRY_VERIFY(isSeen(13));
        window.tree.canvas().choose(scheduling);
        QTRY_VERIFY(isSeen(scheduling));
    }

    void aReplayIsNotCalledAMeasurement()
    {
        ExpertWindow window;
        window.show();
        const auto said = [&window] {
            QStringList texts;
            for (const AdviceCard* card : window.advice.cards())
                for (const LinkLabel* label : card->findChildren<LinkLabel*>()) texts << label->plainText();
            return texts.join(QLatin1Char('\n'));
        };
        const QString id = window.answer->advice.front().id;
        window.advice.setMeasured({{id, {.run = QStringLiteral("run 2"), .text = QStringLiteral("B took less")}}});
        QVERIFY2(said().contains(QStringLiteral("Measured, B is run 2")), qPrintable(said()));
        window.advice.setMeasured(
            {{id, {.run = QStringLiteral("replay"), .text = QStringLiteral("B took less"), .isReplayed = true}}});
        QVERIFY2(said().contains(QStringLiteral("Replayed, not measured: B is replay")), qPrintable(said()));
        QVERIFY(!said().contains(QStringLiteral("Measured")));
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
