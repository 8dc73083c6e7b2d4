// SPDX-License-Identifier: GPL-3.0-or-later
// The panels of the activity table and of the graph's picture, on a trace that can be redrawn by hand.
#include "app/smalltrace.h"
#include "views/path/activitytablepanel.h"
#include "views/path/graphpanel.h"
#include "views/plots/graphcanvas.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"
#include "views/seen.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QImage>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

using namespace longpole;
using namespace longpole::test;

class GraphPanelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init()
    {
        // The offscreen platform says that of every window with a smallest size.
        const QString others = QStringLiteral("^(?!This plugin does not support propagateSizeHints)");
        QTest::failOnWarning(QRegularExpression(others));
    }

    void tableListsThePrefixes();
    void linkLeadsToTheOtherProcessorsRow();
    void enterWalksThePathBack();
    void tableFollowsTheSelection();
    void tableFollowsTheEdgeLevel();
    void fieldRefusesWhatIsNoProcessor_data();
    void fieldRefusesWhatIsNoProcessor();
    void tableIsLoadedOnlyWhenShown();

    void graphOfTheVisibleRange();
    void markedRangeWins();
    void pathToTheSelectedTask();
    void processorsNarrowIt();
    void clickSelectsTheTask();
    void zoomKeepsWhatIsUnderTheCursor();
    void keysAreThePicturesOwn();
    void emptyRangeIsSaid();
    void exports_data();
    void exports();

private:
    std::unique_ptr<ViewState> state() const;

    QTemporaryDir m_folder;
    std::shared_ptr<const TraceStore> m_store;
    std::shared_ptr<const ActivityGraph> m_graph;
};

namespace {

constexpr TaskId first{ProcessorId{0}, 0}, second{ProcessorId{0}, 1}, received{ProcessorId{1}, 0};

QString cell(const TableView& view, std::size_t row, const char* id)
{
    auto& table = const_cast<TableView&>(view).table();
    const auto& columns = table.content().columns;
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i].key == QLatin1String(id))
            return table.index(table.rowOf(row), static_cast<int>(i)).data().toString();
    return QStringLiteral("?");
}

void clickCell(TableView& view, int row, const char* id)
{
    const auto& columns = view.table().content().columns;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].key != QLatin1String(id)) continue;
        const QModelIndex at = view.table().index(row, static_cast<int>(i));
        view.scrollTo(at);
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.visualRect(at).center());
        return;
    }
}

}  // namespace

void GraphPanelsTest::initTestCase()
{
    const QString path = m_folder.filePath(QStringLiteral("small.longpole"));
    QVERIFY(writeHostileTrace(path).ok());
    auto store = TraceStore::open(path);
    QVERIFY(store.ok());
    m_store = *store;
    auto graph = loadActivityGraph(*m_store, Progress{});
    QVERIFY(graph.ok());
    m_graph = *graph;
}

// PE 0 runs a (4 us), then b (3 us); 2 us after its begin a sends what starts b (6 us) on PE 1.
std::unique_ptr<ViewState> GraphPanelsTest::state() const
{
    auto state = std::make_unique<ViewState>(m_store);
    state->setGraph(m_graph);
    return state;
}

void GraphPanelsTest::tableListsThePrefixes()
{
    const auto shown = state();
    ActivityTablePanel panel(*shown);
    using Tester = QAbstractItemModelTester;
    new Tester(&panel.table().table(), Tester::FailureReportingMode::QtTest, &panel);
    panel.resize(1000, 300);
    panel.show();
    QTRY_VERIFY(panel.isThere());
    QCOMPARE(panel.table().table().rowCount(), 3);
    QCOMPARE(panel.headline(), QStringLiteral("3 prefixes of 2 tasks"));
    QCOMPARE(cell(panel.table(), 0, "task"), QStringLiteral("0:0"));
    QCOMPARE(cell(panel.table(), 0, "message"), QStringLiteral("0:0"));
    QCOMPARE(cell(panel.table(), 0, "length_ns"), QStringLiteral("2 us"));
    QCOMPARE(cell(panel.table(), 0, "from"), QString());
    QCOMPARE(cell(panel.table(), 1, "message"), QString());
    QCOMPARE(cell(panel.table(), 2, "from"), QStringLiteral("0:1"));
    QCOMPARE(cell(panel.table(), 2, "incoming_edge"), QStringLiteral("order"));
    QCOMPARE(cell(panel.table(), 2, "incoming_ns"), QStringLiteral("4 us"));
    QCOMPARE(cell(panel.table(), 2, "length_ns"), QStringLiteral("7 us"));
}

void GraphPanelsTest::linkLeadsToTheOtherProcessorsRow()
{
    const auto shown = state();
    ActivityTablePanel panel(*shown);
    panel.resize(1000, 300);
    panel.show();
    panel.setProcessor(ProcessorId{1});
    QTRY_VERIFY(panel.isThere() && panel.table().table().rowCount() == 1);
    QCOMPARE(panel.field().text(), QStringLiteral("1"));
    QCOMPARE(cell(panel.table(), 0, "from"), QStringLiteral("0:0"));
    QSignalSpy revealed(shown.get(), &ViewState::revealRequested);
    clickCell(panel.table(), 0, "task");
    QCOMPARE(shown->selection().task, received);
    clickCell(panel.table(), 0, "from");
    QTRY_VERIFY(panel.isThere() && panel.table().table().rowCount() == 3);
    QCOMPARE(panel.processor(), ProcessorId{0});
    QCOMPARE(panel.field().text(), QStringLiteral("0"));
    QCOMPARE(panel.table().currentIndex().row(), 0);
    QCOMPARE(shown->selection().task, first);
    QCOMPARE(revealed.count(), 2);
}

void GraphPanelsTest::enterWalksThePathBack()
{
    const auto shown = state();
    ActivityTablePanel panel(*shown);
    panel.resize(1000, 300);
    panel.show();
    QTRY_VERIFY(panel.isThere());
    panel.showPrefix({ProcessorId{0}, 2});
    QCOMPARE(shown->selection().task, second);
    QTest::keyClick(&panel.table(), Qt::Key_Return);
    QCOMPARE(panel.table().currentIndex().row(), 1);
    QCOMPARE(shown->selection().task, first);
    QTest::keyClick(&panel.table(), Qt::Key_Return);  // the path begins here
    QCOMPARE(panel.table().currentIndex().row(), 1);
}

void GraphPanelsTest::tableFollowsTheSelection()
{
    const auto shown = state();
    ActivityTablePanel panel(*shown);
    panel.resize(1000, 300);
    panel.show();
    QTRY_VERIFY(panel.isThere());
    shown->select({.task = second, .message = {}});
    QCOMPARE(panel.table().currentIndex().row(), 2);
    shown->select({.task = received, .message = {}});
    QTRY_VERIFY(panel.isThere() && panel.processor() == ProcessorId{1});
    QCOMPARE(panel.table().currentIndex().row(), 0);
}

void GraphPanelsTest::tableFollowsTheEdgeLevel()
{
    const auto shown = state();
    ActivityTablePanel panel(*shown);
    panel.show();
    QTRY_VERIFY(panel.isThere());
    shown->setQuestion({.edges = EdgeLevel::Messages});
    QTRY_VERIFY(panel.isThere() && panel.content()->edges() == EdgeLevel::Messages);
    QCOMPARE(cell(panel.table(), 2, "from"), QString());
    QCOMPARE(cell(panel.table(), 2, "length_ns"), QStringLiteral("3 us"));
}

void GraphPanelsTest::fieldRefusesWhatIsNoProcessor_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("said");
    QTest::newRow("too large") << QStringLiteral("2") << QStringLiteral("the last one is 1");
    QTest::newRow("several") << QStringLiteral("0,1") << QStringLiteral("Name a single one.");
    QTest::newRow("no number") << QStringLiteral("one") << QStringLiteral("one");
}

void GraphPanelsTest::fieldRefusesWhatIsNoProcessor()
{
    QFETCH(QString, typed);
    QFETCH(QString, said);
    const auto shown = state();
    ActivityTablePanel panel(*shown);
    panel.show();
    QTRY_VERIFY(panel.isThere());
    panel.field().setText(typed);
    QTest::keyClick(&panel.field(), Qt::Key_Return);
    QVERIFY2(panel.headline().contains(said), qPrintable(panel.headline()));
    QCOMPARE(panel.processor(), ProcessorId{0});
    QCOMPARE(panel.table().table().rowCount(), 3);
    panel.field().setText(QStringLiteral("1"));
    QTest::keyClick(&panel.field(), Qt::Key_Return);
    QTRY_COMPARE(panel.table().table().rowCount(), 1);
}

void GraphPanelsTest::tableIsLoadedOnlyWhenShown()
{
    const auto shown = std::make_unique<ViewState>(m_store);
    ActivityTablePanel panel(*shown);
    panel.show();
    QVERIFY(!panel.isComputing());  // no graph yet
    panel.hide();
    shown->setGraph(m_graph);
    QVERIFY(!panel.isComputing());
    panel.show();
    QTRY_VERIFY(panel.isThere());
}

void GraphPanelsTest::graphOfTheVisibleRange()
{
    const auto shown = state();
    GraphPanel panel(*shown);
    panel.resize(900, 300);
    panel.show();
    QTRY_VERIFY(panel.isThere());
    QCOMPARE(panel.headline(), QStringLiteral("3 tasks · 2 dependencies"));
    shown->setRange({smallZero + 5 * us, smallZero + 8 * us});
    QTRY_COMPARE(panel.headline(), QStringLiteral("2 tasks · 0 dependencies"));
    shown->setRange(shown->fullRange());
    QTRY_COMPARE(panel.headline(), QStringLiteral("3 tasks · 2 dependencies"));
}

void GraphPanelsTest::markedRangeWins()
{
    const auto shown = state();
    GraphPanel panel(*shown);
    panel.show();
    QTRY_VERIFY(panel.isThere());
    shown->setMarked({smallZero, smallZero + 1 * us});
    QTRY_COMPARE(panel.canvas().graph()->nodes.size(), std::size_t(1));
    QCOMPARE(panel.canvas().graph()->nodes[0].id, first);
}

void GraphPanelsTest::pathToTheSelectedTask()
{
    const auto shown = state();
    GraphPanel panel(*shown);
    panel.show();
    QTRY_VERIFY(panel.isThere());
    shown->setQuestion({.edges = EdgeLevel::Messages});
    shown->select({.task = received, .message = {}});
    QTest::mouseClick(&seen<QPushButton>(panel, "Path to selection"), Qt::LeftButton);
    QTRY_COMPARE(panel.canvas().graph()->nodes.size(), std::size_t(2));
    QCOMPARE(panel.shows(), GraphOf::Path);
    QVERIFY(panel.canvas().graph()->nodes[1].onPath);
    shown->select({.task = second, .message = {}});
    QTRY_COMPARE(panel.canvas().graph()->nodes.size(), std::size_t(1));
    QCOMPARE(panel.canvas().graph()->nodes[0].id, second);
}

void GraphPanelsTest::processorsNarrowIt()
{
    const auto shown = state();
    GraphPanel panel(*shown);
    panel.show();
    QTRY_VERIFY(panel.isThere());
    panel.processors().setText(QStringLiteral("1"));
    QTest::keyClick(&panel.processors(), Qt::Key_Return);
    QTRY_COMPARE(panel.canvas().graph()->nodes.size(), std::size_t(1));
    panel.processors().setText(QStringLiteral("1-7"));
    QTest::keyClick(&panel.processors(), Qt::Key_Return);
    QVERIFY2(panel.headline().contains(QStringLiteral("the last one is 1")), qPrintable(panel.headline()));
    QCOMPARE(panel.canvas().graph()->nodes.size(), std::size_t(1));
    panel.processors().clear();
    QTRY_COMPARE(panel.canvas().graph()->nodes.size(), std::size_t(3));
}

void GraphPanelsTest::clickSelectsTheTask()
{
    const auto shown = state();
    GraphPanel panel(*shown);
    panel.resize(900, 300);
    panel.show();
    QTRY_VERIFY(panel.isThere());
    QSignalSpy revealed(shown.get(), &ViewState::revealRequested);
    const QPoint at = panel.canvas().positionOf(second).toPoint();
    QVERIFY(panel.canvas().rect().contains(at));
    QTest::mouseClick(&panel.canvas(), Qt::LeftButton, {}, at);
    QCOMPARE(shown->selection().task, second);
    QCOMPARE(revealed.count(), 0);
    QTest::mouseDClick(&panel.canvas(), Qt::LeftButton, {}, at);
    QCOMPARE(revealed.count(), 1);
    QTest::mouseClick(&panel.canvas(), Qt::LeftButton, {}, QPoint(5, 5));
    QCOMPARE(shown->selection().task, second);
}

void GraphPanelsTest::zoomKeepsWhatIsUnderTheCursor()
{
    const auto shown = state();
    GraphPanel panel(*shown);
    panel.resize(240, 160);
    panel.show();
    QTRY_VERIFY(panel.isThere());
    GraphCanvas& canvas = panel.canvas();
    const double before = canvas.scale();
    const QPointF at = canvas.positionOf(first);
    QWheelEvent wheel(at, canvas.mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(&canvas, &wheel);
    QVERIFY(canvas.scale() > before * 1.5);
    QCOMPARE(canvas.taskAt(at), std::optional(first));
    canvas.fit();
    QVERIFY(canvas.scale() < before * 1.5);
    QVERIFY(canvas.taskAt(canvas.positionOf(received)).has_value());
}

void GraphPanelsTest::keysAreThePicturesOwn()
{
    const auto shown = state();
    GraphPanel panel(*shown);
    panel.resize(400, 200);
    panel.show();
    QTRY_VERIFY(panel.isThere());
    const double before = panel.canvas().scale();
    QTest::keyClick(&panel.canvas(), Qt::Key_W);
    QVERIFY(panel.canvas().scale() > before);
    QTest::keyClick(&panel.canvas(), Qt::Key_S);
    QVERIFY(std::abs(panel.canvas().scale() - before) < 1e-9);
    QKeyEvent override(QEvent::ShortcutOverride, Qt::Key_W, Qt::NoModifier);
    override.ignore();
    QApplication::sendEvent(&panel.canvas(), &override);
    QVERIFY(override.isAccepted());
}

void GraphPanelsTest::emptyRangeIsSaid()
{
    const auto shown = state();
    GraphPanel panel(*shown);
    panel.show();
    QTRY_VERIFY(panel.isThere());
    shown->setMarked({smallZero + 9 * us + 100, smallZero + 9 * us + 200});
    QTRY_COMPARE(panel.headline(), QStringLiteral("No task lies in this range."));
    QVERIFY(panel.grab().toImage().isNull() == false);
}

void GraphPanelsTest::exports_data()
{
    QTest::addColumn<QString>("ending");
    QTest::addColumn<QByteArray>("begins");
    QTest::newRow("png") << QStringLiteral("png") << QByteArray("\x89PNG");
    QTest::newRow("svg") << QStringLiteral("svg") << QByteArray("<?xml");
    QTest::newRow("dot") << QStringLiteral("dot") << QByteArray("digraph \"small\" {");
    QTest::newRow("csv") << QStringLiteral("csv") << QByteArray("source,target,kind");
}

void GraphPanelsTest::exports()
{
    QFETCH(QString, ending);
    QFETCH(QByteArray, begins);
    const auto shown = state();
    GraphPanel panel(*shown);
    panel.show();
    QTRY_VERIFY(panel.isThere());
    const QString path = m_folder.filePath(QStringLiteral("graph.") + ending);
    QVERIFY(panel.write(path).ok());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().startsWith(begins));
    QVERIFY(!panel.write(m_folder.filePath(QStringLiteral("graph.pdf"))).ok());
    QVERIFY(!panel.write(m_folder.filePath(QStringLiteral("missing/graph.") + ending)).ok());
}

LONGPOLE_GUI_TEST(GraphPanelsTest)
#include "tst_graphpanels.moc"
