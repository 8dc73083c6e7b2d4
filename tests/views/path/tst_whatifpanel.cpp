// SPDX-License-Identifier: GPL-3.0-or-later
// The panels of what-if and of the streamed path on a trace that can be redrawn by hand.
#include "app/smalltrace.h"
#include "views/path/streamingpanel.h"
#include "views/path/whatifpanel.h"
#include "views/plots/plot.h"
#include "views/state/viewstate.h"
#include "views/widgets/tableview.h"

#include "support/mpi/mpirows.h"
#include "support/testmain.h"
#include "views/seen.h"

#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

using namespace longpole;
using namespace longpole::test;

class WhatIfPanelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init()
    {
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support propagateSizeHints)")));
    }
    void ranksEntryMethods();
    void curveHasItsKinks();
    void setsAreChosenTogether();
    void sliderSaysWhatChanges();
    void sweepIsRefused();
    void computesOnlyWhenShown();
    // A splitter can leave a plot no pixels.
    void plotsWithoutRoomAreQuiet()
    {
        Plot plot;
        plot.resize(200, 100);
        plot.show();
        QVERIFY(QTest::qWaitForWindowExposed(&plot));
        auto* canvas = plot.focusProxy();
        QVERIFY(canvas && !canvas->size().isEmpty());
        for (const QSize& size : {QSize(0, 50), QSize(100, 0), QSize(120, 60)}) {
            canvas->setMinimumSize(0, 0);
            canvas->resize(size);
            plot.setNotice(QString::number(size.width()));
            QTest::qWait(20);
        }
        QCOMPARE(canvas->size(), QSize(120, 60));
    }
    void plotExports_data();
    void plotExports();
    void streamsTheRunAndTheMarkedRange();
    void streamedSharesOutliveAnotherQuestion();

private:
    std::unique_ptr<ViewState> shownPath(PathMode mode = PathMode::Work);

    QTemporaryDir m_folder;
    std::shared_ptr<const TraceStore> m_store;
    std::shared_ptr<const ActivityGraph> m_graph;
};

void WhatIfPanelTest::initTestCase()
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

// Work path at order: 2 us of a on 0:0, 6 us of b on 1:0. Beside it 4 us of a, then 3 us of b on PE 0.
std::unique_ptr<ViewState> WhatIfPanelTest::shownPath(PathMode mode)
{
    auto state = std::make_unique<ViewState>(m_store);
    state->setGraph(m_graph);
    Result<CriticalPath> path = mode == PathMode::Sweep ? sweepPath(*m_graph)
                                                        : workPath(*m_graph, workHeads(*m_graph, EdgeLevel::Order, {}));
    state->setPath(std::make_shared<const CriticalPath>(std::move(*path)));
    return state;
}

void WhatIfPanelTest::ranksEntryMethods()
{
    const auto state = shownPath();
    WhatIfPanel panel(*state);
    panel.show();
    QTRY_VERIFY(!panel.isComputing() && panel.table().table().rowCount() == 2);
    const TableContent& rows = panel.table().table().content();
    const auto cell = [&](int row, const char* id, int role = TableModel::RawRole) {
        for (std::size_t i = 0; i < rows.columns.size(); ++i)
            if (rows.columns[i].key == QLatin1String(id))
                return panel.table().table().index(row, static_cast<int>(i)).data(role);
        return QVariant();
    };
    QCOMPARE(cell(0, "gain_ns").toLongLong(), 4000);  // b: what is left is the 4 us of a
    QCOMPARE(cell(0, "share_ns").toLongLong(), 6000);
    QCOMPARE(cell(0, "net_ns").toLongLong(), 4000);
    QCOMPARE(cell(0, "next_critical", Qt::DisplayRole).toString(), QStringLiteral("Solver::start"));
    QCOMPARE(cell(1, "gain_ns").toLongLong(), 2000);  // a
    QTRY_VERIFY2(shownText(panel).contains(QStringLiteral("4 us less (50.0 %)")), qPrintable(shownText(panel)));
    QVERIFY(
        shownText(panel).contains(QStringLiteral("path of the whole run 8 us → 4 us; then Solver::start is critical")));
}

void WhatIfPanelTest::curveHasItsKinks()
{
    const auto state = shownPath();
    WhatIfPanel panel(*state);
    panel.show();
    QTRY_COMPARE(panel.plot().series().size(), std::size_t(1));
    const PlotSeries& curve = panel.plot().series().front();
    QCOMPARE(curve.x, (std::vector<double>{0, 2.0 / 3, 2}));  // 4 us + 3 us f, then 2 us + 6 us f
    QCOMPARE(curve.y, (std::vector<double>{4000, 6000, 14000}));
}

void WhatIfPanelTest::setsAreChosenTogether()
{
    const auto state = shownPath();
    WhatIfPanel panel(*state);
    panel.show();
    QTRY_VERIFY(panel.table().table().rowCount() == 2);
    panel.table().selectAll();
    QCOMPARE(panel.chosen(), (std::vector<EntryId>{EntryId{0}, EntryId{1}}));
    QTRY_VERIFY2(
        shownText(panel).contains(QStringLiteral("\n2 entry methods together at 0 %: at most 8 us less (100.0 %)")),
        qPrintable(shownText(panel)));
}

void WhatIfPanelTest::sliderSaysWhatChanges()
{
    const auto state = shownPath();
    WhatIfPanel panel(*state);
    panel.show();
    QTRY_COMPARE(panel.plot().series().size(), std::size_t(1));
    seen<QSlider>(panel).setValue(200);
    QTRY_VERIFY2(
        shownText(panel).contains(QStringLiteral("at 200 %: 6 us more (75.0 %), path of the whole run 8 us → 14 us")),
        qPrintable(shownText(panel)));
    seen<QSlider>(panel).setValue(100);
    QVERIFY2(shownText(panel).contains(QStringLiteral("path of the whole run 8 us → 8 us")),
             qPrintable(shownText(panel)));
}

void WhatIfPanelTest::sweepIsRefused()
{
    const auto state = shownPath(PathMode::Sweep);
    WhatIfPanel panel(*state);
    panel.show();
    QVERIFY(shownText(panel).contains(QStringLiteral("approximation")));
    QVERIFY(!panel.isComputing());
}

void WhatIfPanelTest::computesOnlyWhenShown()
{
    const auto state = shownPath();
    WhatIfPanel panel(*state);
    QVERIFY(!panel.isComputing());
    QSignalSpy answered(&panel, &WhatIfPanel::answered);
    panel.show();
    QVERIFY(panel.isComputing());
    QVERIFY(answered.wait());
}

void WhatIfPanelTest::plotExports_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("begin");
    QTest::newRow("csv") << QStringLiteral("plot.csv")
                         << QByteArray("\"series\",\"factor\",\"length\"\r\n\"one\",0,1.5\r\n");
    QTest::newRow("svg") << QStringLiteral("plot.svg") << QByteArray("<?xml");
    QTest::newRow("png") << QStringLiteral("plot.png") << QByteArray("\x89PNG");
}

void WhatIfPanelTest::plotExports()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, begin);
    Plot plot;
    plot.resize(400, 240);
    const bool isXml = name.endsWith(QStringLiteral("svg"));
    const QString factor = isXml ? QStringLiteral("factor\u0001\uFFFE") : QStringLiteral("factor");
    plot.setAxes({factor, PlotUnit::Factor}, {QStringLiteral("length"), PlotUnit::Time});
    plot.setSeries({{.name = QStringLiteral("one"), .color = Qt::red, .x = {0, 1, 2}, .y = {1.5, 2, 4}}});
    const QString path = m_folder.filePath(name);
    QVERIFY(plot.save(path));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    QVERIFY2(bytes.startsWith(begin), bytes.left(60).constData());
    if (isXml) {  // XML, whatever the names hold
        QXmlStreamReader xml(bytes);
        while (!xml.atEnd()) xml.readNext();
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    }
    if (name.endsWith(QStringLiteral("png"))) QCOMPARE(QImage(path).size(), QSize(800, 480));
    QVERIFY(!plot.save(m_folder.filePath(QStringLiteral("no/such/folder/") + name)));
}

void WhatIfPanelTest::streamsTheRunAndTheMarkedRange()
{
    const auto state = shownPath();
    StreamingPanel panel(*state);
    QSignalSpy finished(&panel, &StreamingPanel::finished);
    panel.show();
    QVERIFY(finished.wait());
    QVERIFY(panel.result());
    QCOMPARE(panel.result()->length, 8000);
    QCOMPARE(panel.table().table().rowCount(), 3);  // both entry methods and the rest
    QVERIFY(panel.plot().series().size() == 3);
    QCOMPARE(panel.plot().series().front().y.back(), 8000.0);
    state->setMarked({smallZero + 3 * us, smallZero + 7 * us});
    panel.run();
    QVERIFY(finished.wait());
    QCOMPARE(panel.result()->length, 4000);  // b on PE 1 alone fills the range
}

// What was asked and then stopped is not what the answer that stays is about.
void WhatIfPanelTest::streamedSharesOutliveAnotherQuestion()
{
    MpiRows run{.ranks = std::vector<RankRows>(1), .regions = {QStringLiteral("MPI_Barrier")}, .calls = 1};
    for (TimeNs i = 0; i < 12; ++i) {
        run.regions.push_back(QStringLiteral("region %1").arg(i));
        run.ranks[0].code.push_back({.begin = i * 10, .end = i * 10 + 10, .entry = i + 1});
    }
    const auto store = longpole::store(run, m_folder.filePath(QStringLiteral("regions.longpole")));
    QVERIFY(store);
    ViewState state(store);
    StreamingPanel panel(state);
    QSignalSpy finished(&panel, &StreamingPanel::finished);
    panel.show();
    QVERIFY(finished.wait());
    QCOMPARE(panel.plot().series().size(), 9u);  // the path, and eight regions
    QComboBox* const followed = panel.findChild<QComboBox*>();
    QVERIFY(followed);
    followed->setCurrentIndex(2);
    panel.run();
    panel.cancel();
    Q_EMIT state.colourChanged();
    QCOMPARE(panel.plot().series().size(), 9u);
}

LONGPOLE_GUI_TEST(WhatIfPanelTest)
#include "tst_whatifpanel.moc"
