// SPDX-License-Identifier: GPL-3.0-or-later
// The panels about MPI: wait states with their worst instances, causes and imbalance; calls by rank as a heat map and a
// stack; efficiencies as a tree.
#include "analysis/graph/activitygraph.h"
#include "views/drawnmpi.h"
#include "views/expert/efficiencypanel.h"
#include "views/expert/waitstatespanel.h"
#include "views/projection/mpicallspanel.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include "support/mpi/mpirows.h"
#include "support/testmain.h"
#include "support/units.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace longpole {

namespace {

// Rank 0 waits 5 us for rank 1, which computed B; rank 1 sends once more.
const QStringList twoRanks{QStringLiteral("AAAAA<<<<<==>>AAAAAA"), QStringLiteral("BBBBBBBBBB====BBB==B")};
const std::vector<DrawnMpi::Call> twoCalls{{.rank = 0,
                                            .seq = 0,
                                            .pattern = WaitPattern::WaitAtNxN,
                                            .culprit = 1,
                                            .culpritSeq = 0,
                                            .instance = 7,
                                            .flags = MpiCallFlag::Collective},
                                           {.rank = 1, .seq = 0, .instance = 7, .flags = MpiCallFlag::Collective},
                                           {.rank = 1, .seq = 1, .name = QStringLiteral("MPI_Send"), .peer = 0}};

QString mpiCell(TableView& table, int row, int column) { return table.model()->index(row, column).data().toString(); }

template <typename Panel>
void show(Panel& panel)
{
    panel.resize(1000, 400);
    panel.show();
    QTRY_VERIFY(panel.isThere());
}

}  // namespace

class TestMpiPanels : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support propagateSizeHints)")));
    }

    void patternsWithTheirWorstWaits()
    {
        const DrawnMpi store(twoRanks, twoCalls);
        ViewState state(store.shared());
        WaitStatesPanel panel(state);
        const QAbstractItemModelTester tester(panel.patterns().model());
        show(panel);
        QVERIFY2(panel.headline().startsWith(QStringLiteral("Ranks waited 17.5 % of ranks × duration (7 us)")),
                 qPrintable(panel.headline()));
        // 7 us of waiting, 6 us of executing, 25 us of code.
        QVERIFY2(panel.headline().contains(
                     QStringLiteral("imbalance of collective calls: 0.226 s waited for each second of work in them or "
                                    "outside MPI · 1.167 s waited in collective calls for each second of work in "
                                    "them · whole run")),
                 qPrintable(panel.headline()));
        QCOMPARE(panel.patterns().model()->rowCount(), 2);
        QCOMPARE(mpiCell(panel.patterns(), 0, 1), QStringLiteral("1"));
        QCOMPARE(mpiCell(panel.patterns(), 0, 2), QStringLiteral("5 us"));
        QCOMPARE(mpiCell(panel.patterns(), 0, 3), QStringLiteral("12.5 %"));
        QCOMPARE(panel.patterns().toolTip(), explanation(WaitStateKind::WaitAtNxN));
        QCOMPARE(panel.details().model()->rowCount(), 1);
        QStringList worst;
        for (int column = 0; column < 8; ++column) worst << mpiCell(panel.details(), 0, column);
        QCOMPARE(worst.join(QStringLiteral("|")), QStringLiteral("0|5 us|MPI_Allreduce|5 us|1|compute_b|5 us|0 ns"));
        // To the call that waited, to the culprit's, to the code before that.
        Q_EMIT panel.details().rowChosen(0, 0);
        QCOMPARE(state.selection(), (Selection{.call = {0, 0}}));
        Q_EMIT panel.details().rowChosen(0, 4);
        QCOMPARE(state.selection(), (Selection{.call = {1, 0}}));
        Q_EMIT panel.details().rowChosen(0, 5);
        QCOMPARE(state.selection(), (Selection{.task = {ProcessorId{1}, 0}}));
        Q_EMIT panel.patterns().rowChosen(1, 0);
        QCOMPARE(panel.patterns().toolTip(), explanation(WaitStateKind::NxNCompletion));
        QCOMPARE(mpiCell(panel.details(), 0, 1), QStringLiteral("2 us"));
    }

    // A row with a place in the source opens it; others lead to the culprit's call.
    void aDoubleClickOpensTheSource()
    {
        const CallPath function{.id = 1, .function = QStringLiteral("solve"), .file = {}, .module = {}};
        const CallPath place{.id = 2,
                             .parent = 1,
                             .isPlace = true,
                             .function = QStringLiteral("solve"),
                             .file = QStringLiteral("solve.c"),
                             .line = 12,
                             .module = {}};
        for (const bool hasPaths : {false, true}) {
            auto calls = twoCalls;
            if (hasPaths)
                for (DrawnMpi::Call& call : calls) call.path = 2;
            const DrawnMpi store(twoRanks, calls, {}, 1, {function, place});
            ViewState state(store.shared());
            WaitStatesPanel panel(state);
            show(panel);
            QSignalSpy activated(&panel, &WaitStatesPanel::pathActivated);
            Q_EMIT panel.details().rowActivated(0, 0);
            QCOMPARE(activated.count(), hasPaths ? 1 : 0);
            if (hasPaths) QCOMPARE(activated.first().first().toUInt(), 2u);
            QCOMPARE(state.selection(), hasPaths ? Selection{} : (Selection{.call = {1, 0}}));
        }
    }

    void rootCauses()
    {
        const DrawnMpi store(twoRanks, twoCalls);
        ViewState state(store.shared());
        WaitStatesPanel panel(state);
        show(panel);
        panel.choice().setCurrentIndex(static_cast<int>(WaitStatesPanel::Show::Causes));
        Q_EMIT panel.choice().activated(panel.choice().currentIndex());
        QCOMPARE(panel.details().model()->rowCount(), 1);
        QCOMPARE(mpiCell(panel.details(), 0, 0), QStringLiteral("compute_b"));
        QCOMPARE(mpiCell(panel.details(), 0, 1), QStringLiteral("5 us / 0 ns"));
        QCOMPARE(panel.details().model()->headerData(1, Qt::Horizontal).toString(),
                 QStringLiteral("Directly / by way of others"));
        QCOMPARE(panel.details().model()->headerData(4, Qt::Horizontal).toString(), QStringLiteral("Most on rank"));
        QCOMPARE(mpiCell(panel.details(), 0, 4), QStringLiteral("1"));
        QCOMPARE(mpiCell(panel.details(), 0, 5), QStringLiteral("5 us"));
        QCOMPARE(panel.details().model()->index(0, 1).data(TableModel::PathBarRole).toBool(), false);
    }

    void imbalanceByRankWithBothDenominators()
    {
        const DrawnMpi store(twoRanks, twoCalls);
        ViewState state(store.shared());
        WaitStatesPanel panel(state);
        show(panel);
        panel.choice().setCurrentIndex(static_cast<int>(WaitStatesPanel::Show::Imbalance));
        Q_EMIT panel.choice().activated(panel.choice().currentIndex());
        QCOMPARE(panel.details().model()->rowCount(), 2);
        QStringList rank;
        for (int column = 0; column < 6; ++column) rank << mpiCell(panel.details(), 0, column);
        QCOMPARE(rank.join(QStringLiteral("|")), QStringLiteral("0|11 us|2 us|7 us|0.538|3.500"));
        QCOMPARE(panel.details().model()->headerData(4, Qt::Horizontal).toString(), QStringLiteral("Imbalance"));
        QVERIFY(panel.details()
                    .model()
                    ->headerData(4, Qt::Horizontal, Qt::ToolTipRole)
                    .toString()
                    .startsWith(QStringLiteral("Wait / (execution + time outside MPI)")));
    }

    // Of a marked range without that call nothing waits.
    void waitStatesFollowTheMarkedRange()
    {
        const DrawnMpi store(twoRanks, twoCalls);
        ViewState state(store.shared());
        WaitStatesPanel panel(state);
        show(panel);
        state.setMarked({15'000, 20'000});
        QTRY_COMPARE(panel.headline(), QStringLiteral("No call waited for another rank · marked range"));
        QCOMPARE(panel.patterns().model()->rowCount(), 0);
    }

    void callsByRankAsMapAndStack()
    {
        const DrawnMpi store(twoRanks, twoCalls);
        ViewState state(store.shared());
        MpiCallsPanel panel(state);
        show(panel);
        QVERIFY2(panel.headline().startsWith(QStringLiteral("3 calls · 37.5 % of the time in MPI, 17.5 % waiting")),
                 qPrintable(panel.headline()));
        // Rank 0 is 9 us in MPI, rank 1 6 us.
        QCOMPARE(panel.ranks(), (std::vector<std::uint32_t>{0, 1}));
        QCOMPARE(panel.map().content().rows,
                 (std::vector<QString>{QStringLiteral("MPI_Allreduce"), QStringLiteral("MPI_Send")}));
        QCOMPARE(panel.map().at({0, 0}), 7000.0);
        QCOMPARE(panel.map().at({0, 1}), 0.0);
        QVERIFY(std::isnan(panel.map().at({1, 0})));
        const PlotStack::Content& stack = panel.stack().content();
        QCOMPARE(stack.layers.size(), 2u);
        QCOMPARE(stack.layers[0].values, (std::vector<double>{9000, 4000}));
        QCOMPARE(stack.layers[1].values, (std::vector<double>{0, 2000}));
        panel.measure().setCurrentIndex(static_cast<int>(MpiCallsPanel::Measure::Execution));
        Q_EMIT panel.measure().activated(panel.measure().currentIndex());
        QCOMPARE(panel.map().at({0, 1}), 4000.0);
        QVERIFY(panel.stack().toCsv().startsWith("\"rank\",\"MPI_Allreduce\",\"MPI_Send\""));
        QVERIFY(panel.map().toCsv().contains("\"MPI_Allreduce\",\"1\",4000"));
    }

    // A low panel scrolls: the plots keep their room, and neither lies on the other.
    void plotsDoNotOverlap()
    {
        const DrawnMpi store(twoRanks, twoCalls);
        ViewState state(store.shared());
        MpiCallsPanel panel(state);
        show(panel);
        panel.resize(500, 120);
        const PlotMatrix& map = panel.map();
        QTRY_VERIFY(panel.height() <= 160 && map.height() >= PlotFrame::besideRows + 2 * map.fontMetrics().height());
        QVERIFY(map.geometry().bottom() < panel.stack().y());
        QVERIFY(panel.stack().geometry().bottom() < panel.stack().parentWidget()->height());
    }

    // Those with most time have a row each, the others one together.
    void callsOfManyNames()
    {
        constexpr int names = 600;
        MpiRows run{.ranks = std::vector<RankRows>(2), .regions = {}, .calls = names};
        for (int i = 0; i < names; ++i) {
            run.regions.push_back(QStringLiteral("call %1").arg(i));
            run.ranks[0].calls.push_back({.begin = i * us, .end = (i + 1) * us, .region = i});
        }
        const QTemporaryDir folder;
        const auto trace = store(run, folder.filePath(QStringLiteral("names.longpole")));
        QVERIFY(trace);
        ViewState state(trace);
        MpiCallsPanel panel(state);
        show(panel);
        panel.measure().setCurrentIndex(static_cast<int>(MpiCallsPanel::Measure::Calls));
        Q_EMIT panel.measure().activated(panel.measure().currentIndex());
        const PlotMatrix::Content& map = panel.map().content();
        QCOMPARE(map.rows.size(), 512u);
        QCOMPARE(map.values.size(), 1024u);
        QCOMPARE(map.rows.back(), QStringLiteral("other calls"));
        QCOMPARE(panel.map().at({0, 0}), 1.0);
        QCOMPARE(panel.map().at({511, 0}), 89.0);
        QVERIFY(std::isnan(panel.map().at({511, 1})));
        QCOMPARE(panel.stack().content().layers.back().values, (std::vector<double>{591'000, 0}));
        Q_EMIT panel.map().hovered(0, 511);
        QVERIFY2(panel.headline().startsWith(QStringLiteral("Rank 0 · in MPI ")), qPrintable(panel.headline()));
    }

    void ranksAreSortedByTheirTimeInMpi()
    {
        const DrawnMpi store({QStringLiteral("A=AAAA"), QStringLiteral("A====A"), QStringLiteral("A==AAA")});
        ViewState state(store.shared());
        MpiCallsPanel panel(state);
        show(panel);
        QCOMPARE(panel.ranks(), (std::vector<std::uint32_t>{1, 2, 0}));
        panel.order().setCurrentIndex(static_cast<int>(MpiCallsPanel::Order::ByRank));
        Q_EMIT panel.order().activated(panel.order().currentIndex());
        QCOMPARE(panel.ranks(), (std::vector<std::uint32_t>{0, 1, 2}));
    }

    void hoverSaysAndClickGoesThere()
    {
        const DrawnMpi store(twoRanks, twoCalls);
        ViewState state(store.shared());
        MpiCallsPanel panel(state);
        show(panel);
        Q_EMIT panel.map().hovered(0, 0);
        QCOMPARE(panel.headline(),
                 QStringLiteral("Rank 0 · MPI_Allreduce 9 us in 1 call: 7 us waiting, 2 us executing"));
        Q_EMIT panel.stack().hovered(1, 5000);
        QCOMPARE(panel.headline(), QStringLiteral("Rank 1 · MPI_Send 2 us in 1 call: 0 ns waiting, 2 us executing"));
        QSignalSpy timeline(&panel, &MpiCallsPanel::timelineRequested);
        Q_EMIT panel.map().clicked(1, 0);
        QTRY_COMPARE(state.selection(), (Selection{.call = {1, 0}}));
        QCOMPARE(timeline.count(), 0);
        Q_EMIT panel.stack().doubleClicked(1, 5000);
        QTRY_COMPARE(timeline.count(), 1);
        QCOMPARE(state.selection(), (Selection{.call = {1, 1}}));
        Q_EMIT panel.map().dragged(QRectF(QPointF(0.6, 0), QPointF(1.2, 1)), true);
        QCOMPARE(state.processors(), (std::vector<ProcessorId>{ProcessorId{1}}));
    }

    // 12.5 us of 20 us were useful on average, 14 us on rank 1; nothing would be faster on an ideal network but what
    // both wait for.
    void efficienciesAsATree()
    {
        const DrawnMpi store(twoRanks, twoCalls);
        ViewState state(store.shared());
        EfficiencyPanel panel(state);
        panel.resize(1100, 300);
        panel.show();
        QVERIFY(!panel.isThere());  // waits for the tasks
        const auto graph = loadActivityGraph(*store, Progress{});
        QVERIFY(graph.ok());
        state.setGraph(*graph);
        QTRY_VERIFY(panel.isThere());
        QCOMPARE(panel.headline(), QStringLiteral("62.5 % of the time was busy · whole run"));
        QStringList values;
        for (const EfficiencyNode& node : panel.canvas().nodes())
            values << node.id + QStringLiteral(" %1").arg(node.value, 0, 'f', 3)
                          + (node.isWorst ? QStringLiteral(" worst") : QString());
        QCOMPARE(values.join(QStringLiteral(", ")),
                 QStringLiteral("parallel 0.625, load_balance 0.893, communication 0.700, serialization 1.000, "
                                "transfer 0.700 worst"));
        QCOMPARE(panel.canvas().nodes()[1].formula, QStringLiteral("average / largest busy time: 12.50 us / 14 us"));
        QVERIFY(panel.canvas().toCsv().contains("\"load_balance\",0.89285714285714"));
        QVERIFY(panel.phases().model()->rowCount() >= 2);
        QCOMPARE(mpiCell(panel.phases(), 0, 0), QStringLiteral("whole run"));
        QCOMPARE(mpiCell(panel.phases(), 0, 3), QStringLiteral("62.5 %"));
        // A phase is shown everywhere, and the panel stays at the run.
        Q_EMIT panel.phases().rowChosen(1, 0);
        QVERIFY(!state.marked().isEmpty());
        QTest::qWait(250);
        QVERIFY(panel.isThere() && panel.phases().model()->rowCount() >= 2);
        // Another range is.
        state.setMarked({0, 10'000});
        QTRY_VERIFY(panel.headline().endsWith(QStringLiteral("marked range")));
        QCOMPARE(panel.phases().model()->rowCount(), 1);
    }

    // Boxes lie within the picture and beside each other, however small it is.
    void efficiencyBoxesDoNotOverlap_data()
    {
        QTest::addColumn<QSizeF>("size");
        QTest::newRow("small") << QSizeF(330, 132);
        QTest::newRow("wide") << QSizeF(1600, 240);
    }
    void efficiencyBoxesDoNotOverlap()
    {
        QFETCH(QSizeF, size);
        Efficiency half;
        half.range = {0, 10};
        half.parallel = 0.5;
        const std::vector<EfficiencyNode> nodes = efficiencyNodes(half, size);
        QCOMPARE(nodes.size(), 5u);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            QVERIFY(QRectF(QPointF(0, 0), size).contains(nodes[i].rect));
            for (std::size_t j = 0; j < i; ++j) QVERIFY(!nodes[i].rect.intersects(nodes[j].rect));
        }
    }

    // What is in view, or marked, is what is counted.
    void callsFollowTheRange()
    {
        const DrawnMpi store(twoRanks, twoCalls);
        ViewState state(store.shared());
        MpiCallsPanel panel(state);
        show(panel);
        state.setRange({14'000, 20'000});
        QTRY_VERIFY2(panel.headline().endsWith(QStringLiteral("visible range")), qPrintable(panel.headline()));
        QCOMPARE(panel.map().content().rows, (std::vector<QString>{QStringLiteral("MPI_Send")}));
        state.setMarked({14'000, 15'000});
        QTRY_VERIFY2(panel.headline().endsWith(QStringLiteral("marked range")), qPrintable(panel.headline()));
        QVERIFY(panel.map().content().rows.empty());
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestMpiPanels)
#include "tst_mpipanels.moc"
