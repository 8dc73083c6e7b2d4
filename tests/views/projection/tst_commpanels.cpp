// SPDX-License-Identifier: GPL-3.0-or-later
// The communication matrix by value and under the hand, and the tables of entry methods and of noise.
#include "core/smalltrace.h"
#include "support/testmain.h"
#include "support/units.h"
#include "support/writtentrace.h"
#include "views/drawing/pictures/rendermatrix.h"
#include "views/drawnstore.h"
#include "views/plots/callgraphcanvas.h"
#include "views/plots/matrixcanvas.h"
#include "views/projection/commmatrixpanel.h"
#include "views/projection/noisepanel.h"
#include "views/seen.h"
#include "views/state/viewstate.h"
#include "views/tables/entrytablepanel.h"
#include "views/widgets/tableview.h"

#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <map>

namespace longpole {

using namespace test;

namespace {

QString commCell(TableView& table, int row, int column) { return table.model()->index(row, column).data().toString(); }

void choose(QComboBox& box, int index)
{
    box.setCurrentIndex(index);
    Q_EMIT box.activated(index);
}

}  // namespace

class TestCommPanels : public QObject {
    Q_OBJECT

private:
    // PE 0 sends one message to itself and two to PE 1 (core/smalltrace.h), of 64 bytes each.
    std::shared_ptr<const TraceStore> small() const
    {
        const QString path = m_folder.filePath(QStringLiteral("small"));
        if (!QFile::exists(path) && !writeSmallTrace(path)) return nullptr;
        const auto opened = TraceStore::open(path);
        return opened ? *opened : nullptr;
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void gridByValue()
    {
        const auto store = small();
        const auto matrix = commMatrix(*store, {}, Progress{});
        const MatrixGrid grid = matrixGrid(*store, *matrix, CommMeasure::Deliveries);
        QCOMPARE(grid.rows, (std::vector<std::uint32_t>{0, 1}));
        QCOMPARE(grid.values, (std::vector<double>{1, 2, 0, 0}));
        QCOMPARE(grid.least, 1.0);
        QCOMPARE(grid.most, 2.0);
        QCOMPARE(matrixGrid(*store, *matrix, CommMeasure::Bytes).values, (std::vector<double>{64, 128, 0, 0}));
        // By entry method those that take part, most first.
        const auto calls = commMatrix(*store, {.by = CommBy::Entry}, Progress{});
        const MatrixGrid table = matrixGrid(*store, *calls, CommMeasure::Deliveries);
        QCOMPARE(table.rows, (std::vector<std::uint32_t>{0, 1}));
        QCOMPARE(table.columns, (std::vector<std::uint32_t>{1}));
        QCOMPARE(table.values, (std::vector<double>{2, 1}));
        QCOMPARE(rowName(*store, table, 0), QStringLiteral("Main::Main"));
        // Many ends share rows and columns.
        const MatrixGrid grouped = matrixGrid(*store, *matrix, CommMeasure::Deliveries, {}, 1);
        QCOMPARE(grouped.group, std::size_t(2));
        QCOMPARE(grouped.values, (std::vector<double>{3}));
        QCOMPARE(rowName(*store, grouped, 0), QStringLiteral("PEs 0-1"));
        QCOMPARE(endName(*store, CommBy::Entry, noSender), QStringLiteral("(outside tasks)"));
    }

    void cellsAreFound()
    {
        const auto store = small();
        const auto matrix = commMatrix(*store, {}, Progress{});
        const MatrixGrid grid = matrixGrid(*store, *matrix, CommMeasure::Deliveries);
        const MatrixLayout layout = matrixLayout(grid, QRectF(0, 0, 60, 50), 20, 10);
        QCOMPARE(layout.plot, QRectF(20, 10, 40, 40));  // square cells
        QCOMPARE(layout.cell(grid, {1, 0}), QRectF(20, 30, 20, 20));
        QCOMPARE(layout.cellAt(grid, QPointF(41, 29)), std::optional(MatrixCellAt{0, 1}));
        QCOMPARE(layout.cellAt(grid, QPointF(5, 29)), std::optional<MatrixCellAt>());
    }

    // Where several cells share a pixel, the largest is seen.
    void pixelsShowTheLargest()
    {
        const auto store = small();
        MatrixGrid grid{.rows = {}, .columns = {}, .values = {}};
        for (std::uint32_t i = 0; i < 100; ++i) grid.rows.push_back(i);
        grid.columns = grid.rows;
        grid.values.assign(100 * 100, 0);
        grid.values[0] = 5;
        grid.values[1] = 9;
        grid.least = 5;
        grid.most = 9;
        const ColourScale scale = matrixScale(grid, lightTheme(), ColourScaleKind::Cividis, false);
        QImage image(80, 80, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        const MatrixLayout layout{QRectF(20, 20, 50, 50)};
        paintMatrix(painter, grid, layout,
                    {.store = store.get(), .theme = &lightTheme(), .scale = &scale, .hovered = MatrixCellAt{90, 90}});
        painter.end();
        QCOMPARE(image.pixel(45, 30), scale.nothing());
        int strongest = 0;
        for (int y = 19; y < 24; ++y)
            for (int x = 19; x < 24; ++x) strongest += image.pixel(x, y) == scale.colour(9) ? 1 : 0;
        QVERIFY(strongest >= 1 || image.pixel(21, 20) == scale.colour(9));
    }

    void matrixUnderTheHand()
    {
        const auto store = small();
        ViewState state(store);
        QWidget window;  // a panel of its own would tell the platform about its least size
        CommMatrixPanel panel(state, &window);
        panel.resize(900, 400);
        window.show();
        QTRY_VERIFY(panel.isThere());
        QVERIFY2(panel.headline().startsWith(QStringLiteral("3 messages, 192 B · 3 deliveries, 192 B")),
                 qPrintable(panel.headline()));
        QCOMPARE(panel.table().model()->rowCount(), 2);
        QCOMPARE(commCell(panel.table(), 0, 1), QStringLiteral("1"));  // most bytes first
        QCOMPARE(commCell(panel.table(), 0, 3), QStringLiteral("128 B"));
        QCOMPARE(commCell(panel.table(), 0, 4), QStringLiteral("66.7 %"));

        const auto grid = matrixGrid(*store, *panel.matrix(), CommMeasure::Bytes);
        const auto centre = [&](MatrixCellAt at) {
            return panel.canvas().layoutNow().cell(grid, at).center().toPoint();
        };
        QTest::mouseMove(&panel.canvas(), centre({0, 0}));
        QTRY_COMPARE(panel.headline(), QStringLiteral("PE 0 to PE 0: 1 deliveries, 64 B"));
        // A cell taken apart: the call table of that pair.
        QTest::mouseClick(&panel.canvas(), Qt::LeftButton, {}, centre({0, 1}));
        QTRY_COMPARE(commCell(panel.table(), 0, 0), QStringLiteral("Main::Main"));
        QCOMPARE(panel.table().model()->rowCount(), 2);
        QVERIFY(panel.back().isVisible());
        QTest::mouseClick(&panel.back(), Qt::LeftButton);
        QCOMPARE(commCell(panel.table(), 0, 0), QStringLiteral("0"));
        QVERIFY(!panel.canvas().selected());
        // An empty cell is none.
        QTest::mouseClick(&panel.canvas(), Qt::LeftButton, {}, centre({1, 1}));
        QVERIFY(!panel.canvas().selected());
        // A row of the table shows its cell.
        Q_EMIT panel.table().rowChosen(1, 0);
        QCOMPARE(panel.canvas().selected(), std::optional(MatrixCellAt{0, 0}));
    }

    void matrixOfEntryMethods()
    {
        const auto store = small();
        ViewState state(store);
        QWidget window;  // a panel of its own would tell the platform about its least size
        CommMatrixPanel panel(state, &window);
        panel.resize(900, 400);
        window.show();
        QTRY_VERIFY(panel.isThere());
        choose(panel.ends(), 2);
        QTRY_VERIFY(panel.isThere() && panel.matrix()->by == CommBy::Entry);
        QCOMPARE(commCell(panel.table(), 0, 0), QStringLiteral("Main::Main"));
        choose(panel.measure(), 1);
        Q_EMIT panel.canvas().clicked(MatrixCellAt{0, 0});
        QTRY_COMPARE(commCell(panel.table(), 0, 0), QStringLiteral("0"));  // the PEs it went between
        QCOMPARE(panel.table().model()->rowCount(), 2);
        state.setMarked({8000, 9000});
        QTRY_COMPARE(panel.matrix()->total.messages, 1);
        QVERIFY(panel.canvas().toCsv().contains("deliveries\r\n"));
        QVERIFY(panel.canvas().save(m_folder.filePath(QStringLiteral("m.svg"))));
    }

    // A calls B and C, both call D, D calls A again and itself; E is alone with what came from outside tasks.
    void callGraphByValue()
    {
        const auto store = small();
        CommMatrix matrix;
        matrix.by = CommBy::Entry;
        const auto cell = [](std::uint32_t from, std::uint32_t to, std::int64_t times, std::int64_t bytes) {
            return CommCell{.from = from, .to = to, .deliveries = times, .deliveredBytes = bytes};
        };
        matrix.cells = {cell(1, 2, 10, 1000), cell(1, 3, 10, 100), cell(2, 4, 1, 10),
                        cell(3, 4, 1, 10),    cell(4, 4, 1, 10),   cell(noSender, 1, 1, 1)};
        const QRectF area(0, 0, 800, 120);
        const CallGraph graph = callGraph(*store, matrix, CommMeasure::Bytes, area);
        QCOMPARE(graph.boxes.size(), std::size_t(5));
        QCOMPARE(graph.arrows.size(), std::size_t(6));
        QCOMPARE(graph.omitted, std::size_t(0));
        std::map<std::uint32_t, CallBox> boxes;
        for (const CallBox& box : graph.boxes) {
            QVERIFY(area.contains(box.rect));
            for (const CallBox& other : graph.boxes)
                QVERIFY(other.entry == box.entry || !other.rect.intersects(box.rect));
            boxes[box.entry] = box;
        }
        QCOMPARE(boxes[noSender].layer, 0);
        QCOMPARE(boxes[1].layer, 1);
        QCOMPARE(boxes[2].layer, 2);
        QCOMPARE(boxes[3].layer, 2);
        QCOMPARE(boxes[4].layer, 3);
        QVERIFY(!graph.isDownward);
        QVERIFY(boxes[1].rect.right() < boxes[2].rect.left());
        // Where names would have no room beside each other, layers go downward.
        const CallGraph high = callGraph(*store, matrix, CommMeasure::Bytes, QRectF(0, 0, 300, 400));
        QVERIFY(high.isDownward);
        QVERIFY(high.boxes[0].rect.bottom() < high.boxes[1].rect.top());
        QVERIFY(high.boxes[1].rect.width() > 90);
        QVERIFY(graph.arrows[0].width > graph.arrows[1].width);
        QCOMPARE(graph.boxAt(boxes[4].rect.center()), std::optional<std::size_t>(3));
        QCOMPARE(callGraph(*store, matrix, CommMeasure::Bytes, area, 3).omitted, std::size_t(2));
        // All in a circle: it begins somewhere.
        matrix.cells = {cell(1, 2, 1, 1), cell(2, 1, 1, 1)};
        QCOMPARE(callGraph(*store, matrix, CommMeasure::Bytes, area).boxes[0].layer, 0);
        QVERIFY(callGraph(*store, CommMatrix{}, CommMeasure::Bytes, area).boxes.empty());
    }

    void callTableAsGraph()
    {
        const auto store = small();
        ViewState state(store);
        QWidget window;
        CommMatrixPanel panel(state, &window);
        panel.resize(900, 400);
        window.show();
        QTRY_VERIFY(panel.isThere());
        QVERIFY(!seen<QPushButton>(panel, "Graph").isVisible());  // PEs have no call table
        choose(panel.ends(), 2);
        QTRY_VERIFY(panel.isThere() && panel.matrix()->by == CommBy::Entry);
        QVERIFY(seen<QPushButton>(panel, "Graph").isVisible());
        seen<QPushButton>(panel, "Graph").setChecked(true);
        QVERIFY(panel.calls().isVisible() && !panel.canvas().isVisible());
        QCOMPARE(panel.calls().graph().boxes.size(), std::size_t(2));
        QTest::mouseMove(&panel.calls(), panel.calls().graph().boxes[1].rect.center().toPoint());
        QTRY_COMPARE(panel.headline(),
                     QStringLiteral("Ring::pass: its messages had 1 deliveries (64 B), and 3 were made to it (192 B)"));
        QVERIFY(panel.calls().toCsv().contains("\"Main::Main\",\"Ring::pass\",2,128\r\n"));
        QVERIFY(panel.calls().save(m_folder.filePath(QStringLiteral("calls.svg"))));
        seen<QPushButton>(panel, "Graph").setChecked(false);
        QVERIFY(panel.canvas().isVisible());
    }

    void entryTable()
    {
        const DrawnStore store(QStringList{QStringLiteral("AAAA..BBBBBBBBAA"), QStringLiteral("C...BBBB.....CC.")});
        ViewState state(store.shared());
        const auto figures = longpole::entryTable(*store, Progress{});
        QVERIFY(figures.ok());
        EntryTablePanel panel(state);
        panel.resize(900, 300);
        panel.show();
        QTRY_VERIFY(panel.isThere());
        QVERIFY(panel.headline().startsWith(QStringLiteral("%1 entry methods ran").arg(figures->size())));
        state.setFilter(QStringLiteral("x"));
        QVERIFY(panel.headline().contains(QStringLiteral("dimmed: all but x")));
        state.setFilter({});
        if (figures->empty()) return;
        Q_EMIT panel.table().rowActivated(0, 0);
        QCOMPARE(state.filterText(), commCell(panel.table(), 0, 0));
        Q_EMIT panel.table().rowActivated(0, 0);
        QVERIFY(state.filterText().isEmpty());
    }

    void entryFigures()
    {
        const auto store = small();
        const auto figures = longpole::entryTable(*store, Progress{});
        QVERIFY(figures.ok());
        QCOMPARE(figures->size(), std::size_t(2));
        const EntryFigures& pass = figures->front();  // runs 1, 1, 3 and 1 us
        QCOMPARE(pass.entry, EntryId{1});
        QCOMPARE(pass.exclusive, 6 * us);
        QCOMPARE(pass.medianGrain, 1 * us);
        QCOMPARE(pass.meanGrain, 1500.0);
        QCOMPARE(pass.mostGrain, 3 * us);
        QCOMPARE((*figures)[1].medianGrain, 3 * us);
        ViewState state(store);
        EntryTablePanel panel(state);
        panel.resize(900, 300);
        panel.show();
        QTRY_VERIFY(panel.isThere());
        QCOMPARE(panel.table().model()->rowCount(), 2);
        QCOMPARE(commCell(panel.table(), 0, 0), QStringLiteral("Ring::pass"));
        Q_EMIT panel.table().rowActivated(0, 0);
        QCOMPARE(state.filterText(), QStringLiteral("Ring::pass"));
        Q_EMIT panel.table().rowActivated(0, 0);
        QVERIFY(state.filterText().isEmpty());
    }

    void noisePanel()
    {
        Written run{.tasks = {{}}, .messages = {{}}};
        for (TimeNs i = 0; i < 100; ++i)
            run.tasks[0].push_back({.begin = i * 1000 * us, .duration = (i % 10 == 9 ? 300 : 100) * us});
        const auto trace = longpole::store(run, m_folder.filePath(QStringLiteral("noise")));
        ViewState state(trace);
        NoisePanel panel(state);
        panel.resize(900, 300);
        panel.show();
        QTRY_VERIFY(panel.isThere());
        QVERIFY2(panel.headline().startsWith(QStringLiteral("10 tasks took longer than theirs usually do, 2 ms more")),
                 qPrintable(panel.headline()));
        QVERIFY(panel.headline().contains(QStringLiteral("none is known to have been interrupted")));
        QVERIFY(panel.headline().contains(QStringLiteral("PE 0: every 10 ms")));
        QCOMPARE(panel.entries().model()->rowCount(), 1);
        QCOMPARE(commCell(panel.entries(), 0, 6), QStringLiteral("100 us × 90 · 300 us × 10"));
        QCOMPARE(panel.tasks().model()->rowCount(), 10);
        Q_EMIT panel.tasks().rowChosen(0, 0);
        QCOMPARE(state.selection().task, task(0, 9));
        state.setMarked({0, 5'000 * us});
        QTRY_VERIFY(panel.headline().startsWith(QStringLiteral("No task took much longer")));
    }

private:
    QTemporaryDir m_folder;
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestCommPanels)
#include "tst_commpanels.moc"
