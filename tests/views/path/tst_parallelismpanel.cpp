// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks that expose parallelism as a hand meets them: listed, shown with the path that leads to them.
#include "views/path/parallelismpanel.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include "core/trace/format.h"
#include "support/graphs/drawing.h"
#include "support/testmain.h"
#include "views/drawnstore.h"

#include <QSignalSpy>
#include <QTest>

namespace longpole {

namespace {

// A sends to H at 2, which only begins at 30; three others wait for H. The store has the same tasks, without messages.
const char* const lateHub =
    "0: AAAAAAAAAA....................HHHH........................\n"
    "1: ..................................IIIIIIIIIIIIIIIIIIII....\n"
    "2: ..................................JJJJJJJJJJJJJJJJJJJJ....\n"
    "3: ..................................KKKKKKKKKKKKKKKKKKKK....\n"
    "A@2 > H ~3\nH > I\nH > J\nH > K\n";

struct ParallelismWindow {
    DrawnStore store;
    ViewState state;
    ParallelismPanel panel;
    Drawing drawing = draw(lateHub);

    ParallelismWindow()
        : store({QStringLiteral("AAAAAAAAAA....................HHHH........................"),
                 QStringLiteral("..................................IIIIIIIIIIIIIIIIIIII...."),
                 QStringLiteral("..................................JJJJJJJJJJJJJJJJJJJJ...."),
                 QStringLiteral("..................................KKKKKKKKKKKKKKKKKKKK....")}),
          state(store.shared()), panel(state)
    {
        panel.resize(1000, 300);
    }
    void load() { state.setGraph(drawing.graph()); }
    QVariant raw(int row, int column) { return panel.table().table().index(row, column).data(TableModel::RawRole); }
};

}  // namespace

class TestParallelismPanel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void listsWhatBeganLate()
    {
        ParallelismWindow window;
        window.panel.show();
        QCOMPARE(window.panel.headline(), QStringLiteral("Loading tasks …"));
        window.load();
        QTRY_VERIFY(window.panel.isThere());
        QVERIFY(window.panel.table().table().rowCount() >= 1);
        QCOMPARE(window.raw(0, 0).toString(), longpole::toText(window.drawing['H']));
        QCOMPARE(window.raw(0, 2).toLongLong(), 64);  // itself and the three
        QCOMPARE(window.raw(0, 3).toLongLong(), 24);
        QCOMPARE(window.raw(0, 4).toDouble(), 64.0 / 24);
        QCOMPARE(window.raw(0, 5).toLongLong(), 28);  // 2 ns of work before it, begun at 30
    }

    void choosingRevealsItAndItsPath()
    {
        ParallelismWindow window;
        window.panel.show();
        window.load();
        QTRY_VERIFY(window.panel.isThere());
        Q_EMIT window.panel.table().rowChosen(0, 0);
        QCOMPARE(window.state.selection().task, window.drawing['H']);
        QVERIFY(window.state.secondPath().path);
        QCOMPARE(window.state.secondPath().path->steps.front().task, window.drawing['A']);
        QCOMPARE(window.state.secondPath().path->length, 2);
        window.state.setQuestion({.edges = EdgeLevel::Messages});  // other edges, another list
        QVERIFY(!window.state.secondPath().path);
        QVERIFY(window.panel.isComputing());
    }

    // Order stands for merges here: what is asked about the path may change between the two without a new list.
    void orderIsMerges()
    {
        ParallelismWindow window;
        window.panel.show();
        window.load();
        QTRY_VERIFY(window.panel.isThere());
        QVERIFY(window.panel.headline().endsWith(QStringLiteral("edges: merges")));
        window.state.setQuestion({.edges = EdgeLevel::Merges});
        QVERIFY(window.panel.isThere());
    }

    void closingWhileComputing()
    {
        auto window = std::make_unique<ParallelismWindow>();
        window->load();
        window->panel.show();
        QVERIFY(window->panel.isComputing());
        window.reset();
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestParallelismPanel)
#include "tst_parallelismpanel.moc"
