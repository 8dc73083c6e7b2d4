// SPDX-License-Identifier: GPL-3.0-or-later
// Near-critical paths as a hand meets them: computed when looked at, listed, shown beside the critical path, gone when
// something else is asked.
#include "views/drawnstore.h"
#include "views/path/nearcriticalpanel.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"
#include "support/units.h"

#include <QApplication>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>

namespace longpole {

namespace {

// No messages: at order, the path is what PE 0 does, 40 us; PE 2 is 1 us short of it, PE 1 too much.
const QStringList threeRows{QStringLiteral("AAAAAAAAAAAAAAAAAAAABBBBBBBBBBBBBBBBBBBB"),
                            QStringLiteral("CCCCCCCCCCCCCCCCCCCC...................."),
                            QStringLiteral("DDDDDDDDDDDDDDDDDDDD.EEEEEEEEEEEEEEEEEEE")};

struct NearCriticalWindow {
    DrawnStore store;
    ViewState state;
    NearCriticalPanel panel;

    NearCriticalWindow() : store(threeRows), state(store.shared()), panel(state) { panel.resize(900, 300); }
    void load()
    {
        const auto graph = loadActivityGraph(state.store(), Progress{});
        QVERIFY(graph.ok());
        state.setGraph(*graph);
    }
    TableModel& table() { return panel.table().table(); }
    qlonglong time(int row, int column) { return table().index(row, column).data(TableModel::RawRole).toLongLong(); }
    void click(int row)
    {
        const QRect cell = panel.table().visualRect(panel.table().model()->index(row, 1));
        QTest::mouseClick(panel.table().viewport(), Qt::LeftButton, {}, cell.center());
    }
};

}  // namespace

class TestNearCriticalPanel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void computedWhenLookedAt()
    {
        NearCriticalWindow window;
        window.load();
        QTest::qWait(20);
        QVERIFY(!window.panel.isComputing() && !window.panel.isThere());
        window.panel.show();
        QTRY_VERIFY(window.panel.isThere());
        QCOMPARE(window.table().rowCount(), 2);
        QCOMPARE(window.time(0, 2), 40 * us);
        QCOMPARE(window.time(0, 3), 0);
        QCOMPARE(window.time(1, 2), 39 * us);
        QCOMPARE(window.time(1, 3), 1 * us);
        QCOMPARE(window.time(1, 4), 39 * us);  // nothing shared
        QVERIFY(window.panel.headline().startsWith(QStringLiteral("Shorten the critical path by more than 1 us")));
    }

    void shownBeforeTheGraphIsThere()
    {
        NearCriticalWindow window;
        window.panel.show();
        QCOMPARE(window.panel.headline(), QStringLiteral("Loading tasks …"));
        window.load();
        QTRY_VERIFY(window.panel.isThere());
    }

    void choosingShowsItBesideTheCriticalOne()
    {
        NearCriticalWindow window;
        window.load();
        window.panel.show();
        QTRY_VERIFY(window.panel.isThere());
        window.click(1);
        QVERIFY(window.state.secondPath().path);
        QCOMPARE(window.state.secondPath().path->length, 39 * us);
        QCOMPARE(window.state.secondPath().path->steps.front().pe, ProcessorId{2});
        QCOMPARE(window.state.secondPath().name, QStringLiteral("near-critical path 2"));
        window.click(0);  // that one is drawn already
        QVERIFY(!window.state.secondPath().path);
    }

    void anotherQuestionTakesItAway()
    {
        NearCriticalWindow window;
        window.load();
        window.panel.show();
        QTRY_VERIFY(window.panel.isThere());
        window.click(1);
        // Another end or range of the path changes nothing here.
        window.state.setQuestion({.to = TaskId{ProcessorId{0}, 0}});
        QVERIFY(window.panel.isThere());
        QVERIFY(window.state.secondPath().path);
        window.state.setQuestion({.mode = PathMode::Elapsed});
        QVERIFY(!window.state.secondPath().path);
        QVERIFY(window.panel.isComputing());
        QTRY_VERIFY(window.panel.isThere());
        QVERIFY(window.panel.headline().contains(QStringLiteral("elapsed path")));
        QCOMPARE(window.time(0, 2), 40 * us);
        // What is on the timeline by somebody else's choice stays there.
        const auto other = std::make_shared<const CriticalPath>();
        window.state.setSecondPath({.path = other, .name = QStringLiteral("other")});
        window.state.setQuestion({.mode = PathMode::Work, .edges = EdgeLevel::Messages});
        QCOMPARE(window.state.secondPath().path, other);
    }

    void closingWhileComputing()
    {
        auto window = std::make_unique<NearCriticalWindow>();
        window->load();
        window->panel.show();
        QVERIFY(window->panel.isComputing());
        window.reset();
    }

    // A hidden panel forgets what no longer holds, and computes when it is looked at again.
    void hiddenWhileTheQuestionChanges()
    {
        NearCriticalWindow window;
        window.load();
        window.panel.show();
        QTRY_VERIFY(window.panel.isThere());
        window.panel.hide();
        window.state.setQuestion({.mode = PathMode::Work, .edges = EdgeLevel::Messages});
        QTest::qWait(20);
        QVERIFY(!window.panel.isThere() && !window.panel.isComputing());
        QCOMPARE(window.table().rowCount(), 0);
        window.panel.show();
        QTRY_VERIFY(window.panel.isThere());
        QVERIFY(window.panel.headline().contains(QStringLiteral("edges: messages")));
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestNearCriticalPanel)
#include "tst_nearcriticalpanel.moc"
