// SPDX-License-Identifier: GPL-3.0-or-later
// MPI calls on the timeline: the pixels of their three parts, what a hover says, and the ways to what they waited for.
#include "views/drawing/timeline/hatching.h"
#include "views/drawing/timeline/tilesource.h"
#include "views/drawing/timeline/timelinepainter.h"
#include "views/drawnmpi.h"
#include "views/state/mpicallwords.h"
#include "views/tables/selectionpanel.h"
#include "views/timeline/canvas.h"
#include "views/timeline/gestures.h"
#include "views/timeline/taskcard.h"
#include "views/timeline/view.h"
#include "views/widgets/tableview.h"

#include "support/mpi/waitprogram.h"
#include "support/testmain.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace longpole {

namespace {

// Rank 0 waits 5 us for rank 1, which computed B; then each goes its way.
const QStringList timelineRanks{QStringLiteral("AAAAA<<<<<==>>AAAAAA"), QStringLiteral("BBBBBBBBBB====BBB==B")};
const std::vector<DrawnMpi::Call> timelineCalls{{.rank = 0,
                                                 .seq = 0,
                                                 .pattern = WaitPattern::WaitAtNxN,
                                                 .culprit = 1,
                                                 .culpritSeq = 0,
                                                 .instance = 7,
                                                 .flags = MpiCallFlag::Collective},
                                                {.rank = 1, .seq = 0, .instance = 7, .flags = MpiCallFlag::Collective},
                                                {.rank = 1, .seq = 1, .name = QStringLiteral("MPI_Send"), .peer = 0}};

struct MpiWindow {
    DrawnMpi store;
    ViewState state;
    TimelineView view;

    explicit MpiWindow(const QStringList& lines = timelineRanks, const QString& thread = {})
        : store(lines, timelineCalls, thread), state(store.shared()), view(&state)
    {
        view.resize(1112, 400);
        view.show();
        QCoreApplication::processEvents();
        view.canvas().loadNow();
    }
    TimelineCanvas& canvas() { return view.canvas(); }
    QPoint at(TimeNs time, std::size_t row)
    {
        const RowBox box = view.rows().boxOf(row);
        return QPointF(canvas().coordinates().x(time), box.bodyTop + box.bodyHeight / 2).toPoint();
    }
    QString readout(TimeNs time, std::size_t row)
    {
        QSignalSpy hovered(&canvas(), &TimelineCanvas::hovered);
        const QPoint position = at(time, row);
        QMouseEvent move(QEvent::MouseMove, position, canvas().mapToGlobal(position), Qt::NoButton, Qt::NoButton,
                         Qt::NoModifier);
        QCoreApplication::sendEvent(&canvas(), &move);
        // What a call waited for is read off this thread.
        const auto isThere = [&hovered] {
            return !hovered.isEmpty() && !hovered.last().at(0).toString().endsWith(QStringLiteral("loading"));
        };
        return QTest::qWaitFor(isThere) ? hovered.last().at(0).toString() : QString();
    }
};

// A row of calls painted on 200 x 40 pixels, 10 pixels a ns: 8 wait before, 4 execute, 8 wait after.
QImage paintedCall(const Theme& theme, bool vector)
{
    RowData data;
    data.range = {0, 20};
    data.hasCalls = true;
    data.calls = {{.range = {0, 20}, .before = 8, .after = 8}};
    const TimelineRow row{.kind = RowKind::Processor, .track = TrackId{1}, .pe = ProcessorId{0}, .label = {}};
    const RowInput input{&row, &data, RowBox{.top = 0, .height = 40, .bodyTop = 4, .bodyHeight = 30}};
    const TimelineGeometry geometry = timelineGeometry({&input, 1}, {{0, 20}, 200}, {.run = {0, 20}});
    const Palette palette(std::span<const Entry>{}, {}, theme);
    QImage image(200, 40, QImage::Format_RGB32);
    image.fill(theme.panel);
    QPainter painter(&image);
    paintRows(painter, geometry, {.theme = &theme, .palette = &palette, .vector = vector});
    painter.end();
    return image;
}

int count(const QImage& image, QRect in, QRgb colour)
{
    int pixels = 0;
    for (int y = in.top(); y <= in.bottom(); ++y)
        for (int x = in.left(); x <= in.right(); ++x) pixels += image.pixel(x, y) == colour;
    return pixels;
}

double lightness(QRgb colour) { return 0.299 * qRed(colour) + 0.587 * qGreen(colour) + 0.114 * qBlue(colour); }

QString field(TableView& table, const QString& name, int column = 1)
{
    const QAbstractItemModel& model = *table.model();
    for (int row = 0; row < model.rowCount(); ++row)
        if (model.index(row, 0).data().toString() == name) return model.index(row, column).data().toString();
    return {};
}

}  // namespace

class TestMpiTimeline : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void themes_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("dark") << true;
        QTest::newRow("light") << false;
    }

    // A third of a wait's pixels are lines, which rise before and fall after; the execution is plain.
    void theThreePartsInPixels_data() { themes_data(); }
    void theThreePartsInPixels()
    {
        QFETCH(bool, dark);
        const Theme& theme = dark ? darkTheme() : lightTheme();
        const QImage image = paintedCall(theme, false);
        const QRect before(0, 4, 78, 30), execution(80, 4, 40, 30), after(120, 4, 78, 30);
        QCOMPARE(count(image, before, theme.waitBefore.rgb()), 78 * 30 * 2 / 3);
        QCOMPARE(count(image, before, theme.waitBeforeLines.rgb()), 78 * 30 / 3);
        QCOMPARE(count(image, execution, theme.mpiExecution.rgb()), 40 * 30);
        QCOMPARE(count(image, after, theme.waitAfter.rgb()), 78 * 30 * 2 / 3);
        QCOMPARE(count(image, after, theme.waitAfterLines.rgb()), 78 * 30 / 3);
        int rising = 0;
        int falling = 0;
        for (int i = 0; i < 20; ++i) {
            rising += image.pixel(20 + i, 28 - i) == image.pixel(20, 28);
            falling += image.pixel(140 + i, 8 + i) == image.pixel(140, 8);
        }
        QCOMPARE(rising, 20);
        QCOMPARE(falling, 20);
    }

    // Whoever sees no hue tells them by light and dark: parts from each other, from idle and from overhead.
    void thePartsDifferInLightness_data() { themes_data(); }
    void thePartsDifferInLightness()
    {
        QFETCH(bool, dark);
        const Theme& theme = dark ? darkTheme() : lightTheme();
        const double execution = lightness(partColour(CallPart::Execution, theme, false));
        for (const CallPart wait : {CallPart::WaitBefore, CallPart::WaitAfter})
            QVERIFY(std::abs(lightness(partColour(wait, theme, false)) - execution) > 40);
        QVERIFY(std::abs(lightness(theme.overhead.rgb()) - execution) > 40);
        // Nor is any of them a colour that code may have.
        const auto distance = [](QRgb a, QRgb b) {
            return std::abs(qRed(a) - qRed(b)) + std::abs(qGreen(a) - qGreen(b)) + std::abs(qBlue(a) - qBlue(b));
        };
        for (const PaletteKind kind : {PaletteKind::Calm, PaletteKind::OkabeIto})
            for (const QRgb code : paletteColours(kind))
                for (const CallPart part : {CallPart::WaitBefore, CallPart::Execution, CallPart::WaitAfter})
                    QVERIFY2(distance(partColour(part, theme, false), code) > 40,
                             qPrintable(QColor(code).name() + QColor(partColour(part, theme, false)).name()));
    }

    // SVG has no brushes of pixels: lines are drawn as lines, of about the same ink.
    void vectorsHaveLinesToo()
    {
        const Theme& theme = darkTheme();
        const QImage image = paintedCall(theme, true);
        const int ground = count(image, QRect(0, 4, 78, 30), theme.waitBefore.rgb());
        QVERIFY2(ground > 1200 && ground < 1900, qPrintable(QString::number(ground)));
        QCOMPARE(count(image, QRect(80, 4, 40, 30), theme.mpiExecution.rgb()), 40 * 30);
    }

    void theLoaderReadsCallsWhereTheyAreFew()
    {
        const DrawnMpi store(timelineRanks, timelineCalls);
        const RowData row = loadRow(
            *store, {.track = DrawnMpi::trackOf(0), .members = {}, .range = {0, 20'000}, .resolution = 20});
        QVERIFY(row.exact && row.hasCalls);
        QCOMPARE(row.calls,
                 (std::vector<RowCall>{
                     {.range = {5000, 14'000}, .before = 5000, .after = 2000, .region = RegionId{60}, .seq = 0}}));
        QCOMPARE(row.idle, (std::vector<TimeRange>{{5000, 10'000}, {12'000, 14'000}}));
        const RowData tiles = loadRow(
            *store, {.track = DrawnMpi::trackOf(0), .members = {}, .range = {0, 20'000}, .resolution = 5000});
        QVERIFY(!tiles.exact && tiles.hasCalls && tiles.calls.empty());
    }

    // A thread has no tiles: what is too small for a pixel is merged, never all of it kept.
    void callsOfAThreadAreMergedBelowAPixel()
    {
        QString thread;
        for (int i = 0; i < 200; ++i) thread += QStringLiteral("= ");
        const DrawnMpi store({QString(400, QLatin1Char('A'))}, {}, thread);
        const RowRequest fine{.track = DrawnMpi::threadTrack(),
                              .members = {},
                              .range = {0, 400'000},
                              .resolution = 100};
        QCOMPARE(loadRow(*store, fine).calls.size(), 200u);
        RowRequest coarse = fine;
        coarse.resolution = 40'000;
        const RowData row = loadRow(*store, coarse);
        QVERIFY(row.thinned);
        QVERIFY2(row.calls.size() <= 20, qPrintable(QString::number(row.calls.size())));
        QCOMPARE(row.calls.front().seq, -1);
    }

    void ranksStandBelowTheirHostsAndThreadsBelowThem()
    {
        const DrawnMpi two({QStringLiteral("A"), QStringLiteral("A"), QStringLiteral("A")}, {}, QStringLiteral("="), 2);
        QStringList labels;
        for (const TimelineRow& row : timelineRows(two->tracks(), two->processors(), {}))
            labels << QString(row.depth, QLatin1Char('>')) + row.label;
        QCOMPARE(labels, (QStringList{QStringLiteral("host0"), QStringLiteral(">Rank 0"), QStringLiteral(">>Thread 1"),
                                      QStringLiteral(">Rank 2"), QStringLiteral("host1"), QStringLiteral(">Rank 1")}));
    }

    void hoverNamesPartsAndCulprit()
    {
        MpiWindow window;
        QCOMPARE(window.readout(7000, 0).section(QStringLiteral(" · "), 2),
                 QStringLiteral("MPI_Allreduce, 9 us = 5 us wait before + 2 us execution + 2 us wait "
                                "after; waited 5 us for rank 1, in compute_b"));
        QVERIFY(window.readout(7000, 0).startsWith(QStringLiteral("Rank 0 · ")));
        QCOMPARE(window.readout(18'000, 1).section(QStringLiteral(" · "), 2),
                 QStringLiteral("MPI_Send, 2 us, no wait"));
        QCOMPARE(window.readout(2000, 0).section(QStringLiteral(" · "), 2), QStringLiteral("compute_a, 5 us"));
    }

    // Not what happened to run last before its call.
    void hoverNamesTheCodeThatTookTheTime()
    {
        MpiWindow window({timelineRanks[0], QStringLiteral("BBBBBBBBBC====BBB==B")});
        const QString text = window.readout(7000, 0);
        QVERIFY2(text.endsWith(QStringLiteral("waited 5 us for rank 1, in compute_b")), qPrintable(text));
    }

    // Who waited, too, or was in MPI all the time, is not said to have been in that code.
    void hoverSaysThatTheOtherWaitedItself()
    {
        MpiWindow chained({timelineRanks[0], QStringLiteral("BB<<<<<<<B====BBB==B")});
        const QString text = chained.readout(7000, 0);
        QVERIFY2(text.endsWith(QStringLiteral("waited 5 us for rank 1, which itself waited 4 us meanwhile and ran "
                                              "compute_b for 1 us")),
                 qPrintable(text));
        MpiWindow late({timelineRanks[0], QStringLiteral("BBBB==========BBB==B")});
        const QString after = late.readout(7000, 0);
        QVERIFY2(after.endsWith(QStringLiteral("waited 5 us for rank 1, after compute_b")), qPrintable(after));
    }

    // Code after a call follows it, with the sender of what it received; no card says that a sender is missing.
    void cardNamesTheCallBefore()
    {
        WaitProgram program(2, {"work", "other"});
        program.compute(0, 10'000);
        program.send(0, 1, 1'000);
        program.compute(1, 2'000);
        program.receive(1, 0, 1'000);
        program.compute(1, 1'000);
        program.compute(1, 5'000, 1);
        program.meetAll(WaitProgram::Barrier, {0, 1}, {1'000, 1'000});
        program.compute(0, 1'000);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("card.longpole"));
        const auto run = longpole::store(program.rows(), path);
        QVERIFY(run);
        ViewState state(run);
        const auto card = [&state](std::uint32_t rank, std::uint32_t task) {
            const auto facts = state.results()->ask(TaskCardQuestion{{ProcessorId{rank}, task}}, Progress{});
            return facts.ok() ? taskCardText(state.store(), **facts, {}) : toText(facts.error());
        };
        const QString received = card(1, 3);
        QVERIFY2(received.contains(QStringLiteral("Follows MPI_Recv, whose message was sent by task "))
                     && received.endsWith(QStringLiteral("0:0</a>, work")),
                 qPrintable(received));
        const QString sent = card(0, 1);
        QVERIFY2(sent.endsWith(QStringLiteral("Follows MPI_Send on its rank")), qPrintable(sent));
        const QString first = card(0, 0);
        QVERIFY2(!first.contains(QStringLiteral("Follows")) && !first.contains(QStringLiteral("sender")),
                 qPrintable(first));
    }

    void tilesTellTheMixture()
    {
        MpiWindow window;
        const TimelineRow& row = window.view.rows().rows()[0];
        const RowData tiles = loadRow(
            *window.store,
            {.track = row.track, .members = {}, .range = {0, 20'480}, .resolution = 20'480, .tilesOnly = true});
        const TimelineHit hit = hitIn(row, &tiles, {0, 20'000});
        QVERIFY(!hit.call.isValid());
        const QString text = describe(*window.store, row, hit, &tiles);
        QVERIFY2(text.contains(QStringLiteral("in code")) && text.contains(QStringLiteral("waiting in MPI")),
                 qPrintable(text));
    }

    void clickSelectsDoubleClickGoesToTheCulprit()
    {
        MpiWindow window;
        QTest::mouseClick(&window.canvas(), Qt::LeftButton, {}, window.at(7000, 0));
        QTRY_COMPARE(window.state.selection(), (Selection{.call = {0, 0}}));
        QTRY_COMPARE(window.canvas().arrows().arrows.size(), 1u);
        const MessageArrow arrow = window.canvas().arrows().arrows[0];
        QCOMPARE(arrow.source.pe, ProcessorId{1});
        QCOMPARE(arrow.sent, TimeNs{10'000});
        QCOMPARE(arrow.begin, TimeNs{10'000});
        QTest::mouseDClick(&window.canvas(), Qt::LeftButton, {}, window.at(7000, 0));
        QTRY_COMPARE(window.state.selection(), (Selection{.call = {1, 0}}));
        QTRY_VERIFY(!window.canvas().isLoading());
        QTRY_VERIFY(window.canvas().arrows().arrows.empty());
    }

    // A hover, a selection and their frames only show what is in memory: the rest is asked for and comes later.
    void hoverAndSelectionReadNothing()
    {
        MpiWindow window;
        QSignalSpy hovered(&window.canvas(), &TimelineCanvas::hovered);
        const QPoint position = window.at(7000, 0);
        QMouseEvent move(QEvent::MouseMove, position, window.canvas().mapToGlobal(position), Qt::NoButton, Qt::NoButton,
                         Qt::NoModifier);
        QCoreApplication::sendEvent(&window.canvas(), &move);
        QCOMPARE(hovered.count(), 1);
        QVERIFY(hovered.last().at(0).toString().endsWith(QStringLiteral("loading")));
        QTRY_VERIFY(hovered.last().at(0).toString().contains(QStringLiteral("MPI_Allreduce")));
        window.state.select({.call = {0, 0}});
        window.canvas().grab();
        QVERIFY(window.canvas().arrows().arrows.empty());
        QTRY_COMPARE(window.canvas().arrows().arrows.size(), 1u);
    }

    void keysWalkAlongCalls()
    {
        MpiWindow window;
        window.state.select({.call = {0, 0}});
        QTest::keyClick(&window.canvas(), Qt::Key_Return);
        QTRY_COMPARE(window.state.selection(), (Selection{.call = {1, 0}}));
        QTest::keyClick(&window.canvas(), Qt::Key_Return);  // waited for nobody
        QTRY_COMPARE(window.state.selection(), (Selection{.call = {1, 0}}));
        QTest::keyClick(&window.canvas(), Qt::Key_Right);
        QTRY_COMPARE(window.state.selection(), (Selection{.call = {1, 1}}));
        QTest::keyClick(&window.canvas(), Qt::Key_Right);  // the last
        QTRY_COMPARE(window.state.selection(), (Selection{.call = {1, 1}}));
        QTest::keyClick(&window.canvas(), Qt::Key_Left);
        QTRY_COMPARE(window.state.selection(), (Selection{.call = {1, 0}}));
        window.state.select({.call = {0, 0}});
        QTest::keyClick(&window.canvas(), Qt::Key_BracketLeft);
        QTRY_COMPARE(window.state.selection(), (Selection{.call = {1, 0}}));
        QTRY_VERIFY(window.view.taskCard().isVisible());
        const RowBox box = window.view.rows().boxOf(1);
        const QPoint begin(static_cast<int>(window.canvas().coordinates().x(10'000)), static_cast<int>(box.top));
        const QPoint corner = window.canvas().mapFrom(&window.view, window.view.taskCard().geometry().topLeft());
        QVERIFY((corner - begin).manhattanLength() < 2 * box.height + 100);
    }

    // Of a task the same card (tst_legendbar).
    void aClickOnACallShowsACard()
    {
        MpiWindow window;
        TaskCard& card = window.view.taskCard();
        QTest::mouseClick(&window.canvas(), Qt::LeftButton, {}, window.at(7000, 0));
        QTRY_VERIFY(card.isVisible());
        const Result<std::optional<MpiCallRow>> call = mpiCall(*window.store.shared(), 0, 0);
        QVERIFY(call.ok() && *call);
        QCOMPARE(card.text().text(), callCardText(callSentence(*window.store.shared(), **call)));
        QVERIFY2(card.text().text().startsWith(QStringLiteral("<b>MPI_Allreduce</b><br>")),
                 qPrintable(card.text().text()));
        QVERIFY2(card.text().text().contains(QStringLiteral("<br>waited")), qPrintable(card.text().text()));
        QCOMPARE(callCardText(QStringLiteral("<img>, 3 us, no wait")),
                 QStringLiteral("<b>&lt;img&gt;</b><br>3 us, no wait"));
    }

    // Of a range too: the rank of the culprit joins those that show.
    void theCulpritComesIntoView()
    {
        MpiWindow window;
        window.state.setProcessors({ProcessorId{0}});
        window.state.setRange({5000, 6000});
        window.state.select({.call = {0, 0}});
        window.view.gestures().goToCulprit();
        QTRY_VERIFY(window.state.processors().empty());
        QVERIFY(window.state.range().contains(10'000));
    }

    void thePanelShowsAllFields()
    {
        MpiWindow window;
        SelectionPanel panel(window.state);
        window.state.select({.call = {0, 0}});
        TableView& table = panel.task();
        QTRY_VERIFY(panel.task().table().rowCount() > 0);
        QCOMPARE(field(table, QStringLiteral("MPI call")), QStringLiteral("MPI_Allreduce, call 0 of rank 0"));
        QCOMPARE(field(table, QStringLiteral("Wait before")), QStringLiteral("5 us"));
        QCOMPARE(field(table, QStringLiteral("Execution")), QStringLiteral("2 us"));
        QCOMPARE(field(table, QStringLiteral("Wait after")), QStringLiteral("2 us"));
        QCOMPARE(field(table, QStringLiteral("Imbalance")), QStringLiteral("3.50 (wait / execution)"));
        QCOMPARE(field(table, QStringLiteral("Waited for")), QStringLiteral("rank 1, in compute_b"));
        QCOMPARE(field(table, QStringLiteral("Communicator")), QStringLiteral("MPI_COMM_WORLD, 2 ranks"));
        QCOMPARE(field(table, QStringLiteral("Code before it")), QStringLiteral("compute_a"));
        QTRY_COMPARE(panel.created().model()->rowCount(), 2);
        QCOMPARE(panel.created().model()->index(1, 3).data().toString(), QStringLiteral("4 us"));
        // The link to the culprit's call.
        const QAbstractItemModel& model = *table.model();
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.index(row, 0).data().toString() == QStringLiteral("Its call")) {
                QCOMPARE(model.index(row, 1).data().toString(), QStringLiteral("go to rank 1: MPI_Allreduce"));
                Q_EMIT table.rowChosen(table.table().contentRow(row), 1);
                break;
            }
        QTRY_COMPARE(window.state.selection(), (Selection{.call = {1, 0}}));
        // A member leads to its call, too.
        QTRY_COMPARE(panel.created().model()->rowCount(), 2);
        Q_EMIT panel.created().rowChosen(0, 0);
        QTRY_COMPARE(window.state.selection(), (Selection{.call = {0, 0}}));
    }

    void findingNamesACall()
    {
        MpiWindow window;
        QVERIFY(window.state.setFilter(QStringLiteral("allreduce")).isEmpty());
        QVERIFY(window.state.matchingEntries()->at(60));
        QVERIFY(!window.state.matchingEntries()->at(0));
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestMpiTimeline)
#include "tst_mpitimeline.moc"
