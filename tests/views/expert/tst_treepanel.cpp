// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of causes as a hand meets it: where it begins, its nodes and their evidence, and other thresholds.
#include "views/expert/expertwindow.h"
#include "views/expert/nodedetail.h"
#include "views/expert/treepanel.h"
#include "views/plots/partbarview.h"
#include "views/plots/treecanvas.h"
#include "views/state/viewstate.h"
#include "views/widgets/evidencelist.h"
#include "views/widgets/linklabel.h"

#include "support/testmain.h"
#include "support/units.h"
#include "views/seen.h"

#include <QFile>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace longpole {

using namespace test;

namespace {

constexpr int scheduling = 7;  // of madeTree

}  // namespace

class TestTreePanel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // The offscreen platform says this of every window with a smallest size.
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)"))); }

    void theHeadlineSumsUp()
    {
        ExpertWindow window;
        window.show();
        QCOMPARE(window.tree.headline(),
                 QStringLiteral("Found: 5 of 17 · the largest cause is E: 31.0 % of the run · 2 can't be told"));
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
        QCOMPARE(window.state.marked(), (TimeRange{expertBegin + 8 * us, expertBegin + 12 * us}));
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
        PartBar& bar = seen<PartBar>(window.tree);
        const auto cause = static_cast<int>(IdleCause::Synchronization);
        const PartGeometry geometry = bar.geometryOf(bar.width());
        QTest::mouseClick(&bar, Qt::LeftButton, {}, geometry.parts[static_cast<std::size_t>(cause)].center().toPoint());
        QCOMPARE(bar.marked(), cause);
        QVERIFY(window.tree.detail().toText().startsWith(
            QStringLiteral("Idle: collective\n48 us of PE-time, 40.0 % of all idle time")));
        QCOMPARE(window.state.marked(), (TimeRange{expertBegin + 4 * us, expertBegin + 8 * us}));
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
        const auto& error = *window.tree.findChild<QLabel*>(QStringLiteral("errorText"));
        QVERIFY(error.isVisibleTo(&window.tree));
        QVERIFY(error.text().contains(QStringLiteral("line 2")));
        QVERIFY(error.text().contains(QStringLiteral("utilisation")));
        QVERIFY(window.tree.isThere());
        QCOMPARE(window.computed(), 1);
        QCOMPARE(changed.count(), 0);
        QCOMPARE(window.state.thresholdsFile(), QString());

        window.tree.chooseThresholds(good);
        QCOMPARE(error.text(), QString());
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
        QVERIFY(!error.text().isEmpty());
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
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestTreePanel)
#include "tst_treepanel.moc"
