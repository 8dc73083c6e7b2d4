// SPDX-License-Identifier: GPL-3.0-or-later
// Repeated phases as a hand meets them: listed, drawn as a string, cut into iterations that all views follow.
#include "views/drawnstore.h"
#include "views/path/phasepanel.h"
#include "views/path/phasestring.h"
#include "views/plots/stack.h"
#include "views/projection/plotbands.h"
#include "views/state/viewstate.h"
#include "views/timeline/axisbar.h"
#include "views/timeline/canvas.h"
#include "views/timeline/view.h"
#include "views/widgets/tableview.h"

#include "support/testmain.h"
#include "support/units.h"
#include "views/seen.h"

#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

namespace longpole {

using namespace test;

namespace {

// One PE: X, eight iterations A B of which the fifth is slow and the sixth has a D behind it, Y.
const QStringList oneRow{QStringLiteral("XXABABABABAABBBBBBBBBABDABABY")};

struct PhaseWindow {
    DrawnStore store;
    ViewState state;
    QWidget frame;
    PhasePanel panel;

    explicit PhaseWindow(const QStringList& rows = oneRow) : store(rows), state(store.shared()), panel(state, &frame)
    {
        frame.resize(1200, 260);
        panel.setGeometry(frame.rect());
    }
    void load()
    {
        const auto graph = loadActivityGraph(state.store(), Progress{});
        QVERIFY(graph.ok());
        state.setGraph(*graph);
        frame.show();
        for (QCheckBox* box : panel.findChildren<QCheckBox*>())  // no messages order these tasks
            if (box->text() == QLatin1String("scheduled")) box->setChecked(true);
        QTRY_VERIFY(panel.isThere());
    }
    QString cell(TableView& table, int row, const char* id)
    {
        const TableContent& content = table.table().content();
        for (std::size_t i = 0; i < content.columns.size(); ++i)
            if (content.columns[i].key == QLatin1String(id)) return table.table().index(row, int(i)).data().toString();
        return QStringLiteral("no such column");
    }
    TableView& pieces() const { return seen<TableView>(panel, "Occurrences of the phase"); }
    QToolButton* button(const QString& name)
    {
        for (QToolButton* one : panel.findChildren<QToolButton*>())
            if (one->text() == name) return one;
        return nullptr;
    }
};

}  // namespace

class TestPhasePanel : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void listsPhases()
    {
        PhaseWindow window;
        window.frame.show();
        QCOMPARE(window.panel.headline(), QStringLiteral("Loading tasks …"));
        window.load();
        TableView& table = window.panel.phaseTable();
        QVERIFY(table.table().rowCount() >= 1);
        QCOMPARE(window.cell(table, 0, "root"), QStringLiteral("bc"));  // X is a
        QCOMPARE(window.cell(table, 0, "instances"), QStringLiteral("8 × 2"));
        QCOMPARE(window.cell(table, 0, "score"), QStringLiteral("32"));
        QCOMPARE(window.cell(table, 0, "proven"), QStringLiteral("yes"));
        QCOMPARE(window.cell(table, 0, "pieces"), QStringLiteral("8"));
        QCOMPARE(window.cell(table, 0, "slow"), QStringLiteral("2"));
        QVERIFY(window.panel.headline().startsWith(QStringLiteral("2 steps 8 times · 19 tasks")));
        QVERIFY(!window.button(QStringLiteral("Prove"))->isVisible());
    }

    void cutsTheRun()
    {
        PhaseWindow window;
        window.load();
        QCOMPARE(window.state.phaseBands().name, QStringLiteral("iteration"));
        const std::vector<TimeRange> iterations = window.state.phaseBands().ranges;
        QCOMPARE(iterations.size(), std::size_t(8));
        QCOMPARE(iterations[0], (TimeRange{2 * us, 4 * us}));
        QCOMPARE(iterations[4], (TimeRange{10 * us, 21 * us}));
        QCOMPARE(iterations[5], (TimeRange{21 * us, 24 * us}));  // with the D
        QCOMPARE(iterations[7], (TimeRange{26 * us, 28 * us}));
        QCOMPARE(window.pieces().table().rowCount(), 8);
        QCOMPARE(window.cell(window.pieces(), 4, "deviation_ns"), QStringLiteral("+9 us"));
        QCOMPARE(window.cell(window.pieces(), 4, "slow"), QStringLiteral("slow"));
        QCOMPARE(window.cell(window.pieces(), 0, "slow"), QString());
        // The pieces are looked for beside the window's thread, and kept.
        QComboBox& cut = seen<QComboBox>(window.panel, "What the phase cuts the run into");
        choose(cut, QStringLiteral("by repeat"));
        QCOMPARE(window.state.phaseBands().name, QStringLiteral("iteration"));
        QTRY_COMPARE(window.state.phaseBands().name, QStringLiteral("repeat"));
        QCOMPARE(window.state.phaseBands().ranges[5], (TimeRange{21 * us, 23 * us}));
        choose(cut, QStringLiteral("by iteration"));
        QCOMPARE(window.state.phaseBands().ranges, iterations);
    }

    void goesThroughIterations()
    {
        PhaseWindow window;
        window.load();
        const std::vector<TimeRange> iterations = window.state.phaseBands().ranges;
        QVERIFY(!window.state.bandInView());
        QTest::mouseClick(window.button(QStringLiteral("›")), Qt::LeftButton);
        QCOMPARE(window.state.range(), iterations[0]);
        QCOMPARE(window.state.bandInView(), std::optional<std::size_t>(0));
        window.state.showNextBand(false);  // there is none before
        QCOMPARE(window.state.range(), iterations[0]);
        window.state.showNextBand(true);
        QCOMPARE(window.state.range(), iterations[1]);
        window.state.setRange(window.state.fullRange());
        window.state.showNextBand(false);
        QCOMPARE(window.state.range(), iterations[7]);
        window.state.showNextBand(true);
        QCOMPARE(window.state.range(), iterations[7]);
        window.state.undo();
        QCOMPARE(window.state.range(), window.state.fullRange());
        const auto labels = window.panel.findChildren<QLabel*>();
        window.state.setRange(iterations[2]);
        QVERIFY(std::any_of(labels.begin(), labels.end(),
                            [](const QLabel* label) { return label->text() == QStringLiteral("3 of 8"); }));
    }

    void tableMarks()
    {
        PhaseWindow window;
        window.load();
        TableView& table = window.pieces();
        const QRect cell = table.visualRect(table.model()->index(1, 0));
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, cell.center());
        QCOMPARE(window.state.marked(), (TimeRange{4 * us, 6 * us}));
    }

    void stringRevealsTasks()
    {
        PhaseWindow window;
        window.load();
        PhaseString& string = window.panel.string();
        QCOMPARE(string.letters().order().size(), std::size_t(5));
        QCOMPARE(string.grid().count, std::size_t(19));
        QVERIFY(string.textOf(10).contains(QStringLiteral("9 us")));
        QVERIFY(string.textOf(10).contains(QStringLiteral("iteration 5: 11 us")));
        QTest::mouseClick(string.viewport(), Qt::LeftButton, {}, string.cellOf(10).center().toPoint());
        QCOMPARE(window.state.selection().task, string.taskOf(10));
        QCOMPARE(window.state.store().task(string.taskOf(10))->range, (TimeRange{12 * us, 21 * us}));
        QTest::mouseDClick(string.viewport(), Qt::LeftButton, {}, string.cellOf(10).center().toPoint());
        QCOMPARE(window.state.marked(), (TimeRange{10 * us, 21 * us}));
        const QImage drawn = string.viewport()->grab().toImage();
        const QRect matched = string.cellOf(1).toRect(), other = string.cellOf(0).toRect();
        QVERIFY(drawn.pixelColor(matched.topLeft() + QPoint(2, 5)) != drawn.pixelColor(other.topLeft() + QPoint(2, 5)));
    }

    void asksAgain()
    {
        PhaseWindow window;
        window.load();
        window.panel.findChild<QSpinBox*>()->setValue(9);
        QTRY_VERIFY(window.panel.isThere());
        QCOMPARE(window.panel.phaseTable().table().rowCount(), 0);
        QVERIFY(window.panel.headline().startsWith(QStringLiteral("Nothing repeats 9 times")));
        QVERIFY(window.state.phaseBands().ranges.empty());
        window.panel.findChild<QSpinBox*>()->setValue(3);
        QTRY_VERIFY(window.panel.isThere());
        QVERIFY(window.panel.phaseTable().table().rowCount() > 0);
        for (QCheckBox* check : window.panel.findChildren<QCheckBox*>()) {
            check->toggle();
            QTRY_VERIFY(window.panel.isThere());
        }
        window.state.setQuestion({.mode = PathMode::Elapsed});
        QTRY_VERIFY(window.panel.isThere());
        QVERIFY(window.panel.headline().endsWith(QStringLiteral("elapsed path")));
    }

    void foldAsks()
    {
        PhaseWindow window;
        window.load();
        QSignalSpy asked(&window.panel, &PhasePanel::foldRequested);
        QTest::mouseClick(window.button(QStringLiteral("Fold …")), Qt::LeftButton);
        QCOMPARE(asked.size(), 1);
    }

    // The axis grows a strip with their numbers; both go when they are hidden.
    void bandsOnTheTimeline()
    {
        PhaseWindow window;
        TimelineView timeline(&window.state);
        timeline.resize(900, 400);
        timeline.show();
        window.load();
        auto* axis = timeline.findChild<AxisBar*>();
        const int tall = axis->height();
        const QImage with = timeline.canvas().grab().toImage();
        window.state.setBandsShown(false);
        QVERIFY(axis->height() < tall);
        QVERIFY(!window.panel.findChildren<QCheckBox*>().back()->isChecked());
        timeline.canvas().resize(with.size());
        const QImage without = timeline.canvas().grab().toImage();
        QVERIFY(with != without);
        QCOMPARE(window.state.phaseBands().ranges.size(), std::size_t(8));  // still there to be gone to
    }

    // Over plots against time, not over others.
    void bandsOnPlots()
    {
        PhaseWindow window;
        QWidget frame;
        PlotStack plot(&frame);
        frame.resize(600, 300);
        plot.setGeometry(frame.rect());
        new PlotBands(plot, window.state, 0);
        frame.show();
        window.load();
        const auto picture = [&](PlotUnit unit) {
            plot.setAxes({QStringLiteral("x"), unit}, {QStringLiteral("y"), PlotUnit::Number});
            PlotStack::Content content;
            for (int i = 0; i <= 28; ++i) content.edges.push_back(i * 1000.0);
            content.layers.push_back({.name = QStringLiteral("s"),
                                      .color = QColor(Qt::blue),
                                      .values = std::vector<double>(28, 1.0)});
            plot.setContent(std::move(content));
            QTest::qWait(30);
            return plot.grab().toImage();
        };
        const QImage with = picture(PlotUnit::Time), plain = picture(PlotUnit::Number);
        window.state.setBandsShown(false);
        QCOMPARE(picture(PlotUnit::Number), plain);
        QVERIFY(picture(PlotUnit::Time) != with);
    }

    // Ten thousand lines: only those in view are drawn.
    void longStrings()
    {
        QString row;
        for (int i = 0; i < 120'000; ++i) row += QLatin1Char("ABC"[i % 3]);
        PhaseWindow window({row});
        window.load();
        PhaseString& string = window.panel.string();
        QCOMPARE(string.grid().count, std::size_t(120'000));
        QVERIFY(string.verticalScrollBar()->maximum() > 10'000);
        string.showSymbol(60'000);
        QVERIFY(string.viewport()->rect().contains(string.cellOf(60'000).toRect()));
        string.viewport()->grab();
        QElapsedTimer timer;
        timer.start();
        string.viewport()->grab();
        QVERIFY2(timer.elapsed() < 100, qPrintable(QString::number(timer.elapsed())));
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestPhasePanel)
#include "tst_phasepanel.moc"
