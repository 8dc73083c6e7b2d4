// SPDX-License-Identifier: GPL-3.0-or-later
// Range, history, selection and filter of all views.
#include "views/drawnstore.h"
#include "views/state/latestjob.h"
#include "views/state/viewstate.h"

#include "support/testmain.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

#include <time.h>

namespace longpole {

namespace {

// Seconds of CPU that this thread has taken.
double ownTime()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

class TestViewState : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void startsWithTheRun()
    {
        const DrawnStore store({QStringLiteral("AAAA..BBBB")}, {.begin = 5000, .firstRecord = 2000});
        const ViewState state(store.shared());
        QCOMPARE(state.range(), (TimeRange{5000, 15000}));
        QCOMPARE(state.fullRange(), (TimeRange{5000, 15000}));
        QCOMPARE(state.limits(), (TimeRange{2000, 15000}));
    }

    void rangesAreClamped()
    {
        const DrawnStore store({QStringLiteral("AAAA..BBBB")});
        ViewState state(store.shared());
        state.setRange({-5000, 3000});
        QCOMPARE(state.range(), (TimeRange{0, 8000}));
        state.setRange({20, 21});
        QCOMPARE(state.range(), (TimeRange{20, 30}));
        state.setRange({minTime, maxTime});
        QCOMPARE(state.range(), (TimeRange{0, 10000}));
    }

    void historyGoesBackAndForth()
    {
        const DrawnStore store({QStringLiteral("AAAA..BBBB")});
        ViewState state(store.shared());
        QVERIFY(!state.canUndo());
        state.setRange({0, 5000});
        state.setRange({0, 4000}, false);  // the same gesture goes on
        state.setRange({1000, 2000});
        QSignalSpy ranges(&state, &ViewState::rangeChanged);
        state.undo();
        QCOMPARE(state.range(), (TimeRange{0, 4000}));
        state.undo();
        QCOMPARE(state.range(), (TimeRange{0, 10000}));
        QVERIFY(!state.canUndo());
        state.undo();
        QCOMPARE(ranges.count(), 2);
        state.redo();
        state.redo();
        QCOMPARE(state.range(), (TimeRange{1000, 2000}));
        QVERIFY(!state.canRedo());
        state.undo();
        state.setRange({7000, 8000});  // a new way: the old future is gone
        QVERIFY(!state.canRedo());
        state.undo();
        QCOMPARE(state.range(), (TimeRange{0, 4000}));
    }

    void processorsAreAStepOfTheHistory()
    {
        const DrawnStore store({QStringLiteral("AAAA..BBBB"), QStringLiteral("AAAA..BBBB"),
                                QStringLiteral("AAAA..BBBB")});
        ViewState state(store.shared());
        QSignalSpy ranges(&state, &ViewState::rangeChanged);
        QSignalSpy processors(&state, &ViewState::processorsChanged);
        const auto pes = [](std::initializer_list<std::uint32_t> numbers) {
            std::vector<ProcessorId> ids;
            for (const std::uint32_t number : numbers) ids.push_back(ProcessorId{number});
            return ids;
        };
        QVERIFY(state.processors().empty());
        state.setRange({1000, 3000});
        state.setProcessors(pes({2, 0, 2, 77}));  // in any order, twice, not of the trace
        QCOMPARE(state.processors(), pes({0, 2}));
        state.setProcessors(pes({0, 2}));
        QCOMPARE(processors.count(), 1);
        state.undo();
        QVERIFY(state.processors().empty());
        QCOMPARE(state.range(), (TimeRange{1000, 3000}));
        QCOMPARE(ranges.count(), 1);  // it was the same
        state.undo();
        QCOMPARE(ranges.count(), 2);
        state.redo();
        state.redo();
        QCOMPARE(state.processors(), pes({0, 2}));
        state.setProcessors(pes({1}), false);
        state.undo();
        QVERIFY(state.processors().empty());
        state.redo();
        QCOMPARE(state.processors(), pes({1}));
        state.setProcessors(pes({0, 1, 2}));  // that is all of them
        QVERIFY(state.processors().empty());
    }

    void whatIsRevealedJoinsTheProcessorsThatShow()
    {
        const DrawnStore store({QStringLiteral("AAAA..BBBB"), QStringLiteral("AAAA..BBBB"),
                                QStringLiteral("AAAA..BBBB")});
        ViewState state(store.shared());
        state.setProcessors({ProcessorId{1}});
        state.select({.task = {ProcessorId{2}, 0}, .message = {}});
        QCOMPARE(state.processors().size(), std::size_t(1));
        state.reveal({.task = {ProcessorId{2}, 0}, .message = {}});
        QTRY_COMPARE(state.processors(), (std::vector{ProcessorId{1}, ProcessorId{2}}));
    }

    void whatIsRevealedWithoutZoomKeepsTheLength()
    {
        const DrawnStore store({QString(4000, QLatin1Char('A')) + QStringLiteral("B")
                                + QString(4000, QLatin1Char('C'))});
        ViewState state(store.shared());
        state.setRange({0, 2'000'000});
        QSignalSpy shown(&state, &ViewState::revealed);
        state.reveal({.task = {ProcessorId{0}, 1}, .message = {}}, false);  // 4000 .. 4001
        QTRY_COMPARE(shown.count(), 1);
        QCOMPARE(state.range().length(), 2'000'000);
        QVERIFY(state.range().contains(4'000'500));
        const TimeRange range = state.range();
        state.reveal({.task = {ProcessorId{0}, 2}, .message = {}}, false);  // begins in it, is longer than it
        QTRY_COMPARE(shown.count(), 2);
        QCOMPARE(state.range().length(), 2'000'000);
        QVERIFY(state.range().contains(4'001'000));
        state.setRange(range);
        state.reveal({.task = {ProcessorId{0}, 1}, .message = {}}, false);
        QTRY_COMPARE(shown.count(), 3);
        QCOMPARE(state.range(), range);
    }

    // Where it stands is read off this thread: whoever selects something else meanwhile is not taken away from it.
    void whatIsSelectedMeanwhileStaysInView()
    {
        const DrawnStore store({QString(4000, QLatin1Char('A')) + QStringLiteral("B")
                                + QString(4000, QLatin1Char('C'))});
        ViewState state(store.shared());
        const TimeRange range = state.range();
        QSignalSpy shown(&state, &ViewState::revealed);
        state.reveal({.task = {ProcessorId{0}, 1}, .message = {}});
        QCOMPARE(state.range(), range);
        state.select({.task = {ProcessorId{0}, 2}, .message = {}});
        QTest::qWait(60);
        QCOMPARE(shown.count(), 0);
        QCOMPARE(state.range(), range);
    }

    void aLongHistoryForgetsItsBegin()
    {
        const DrawnStore store({QStringLiteral("AAAA..BBBB")});
        ViewState state(store.shared());
        for (int i = 0; i < 500; ++i) state.setRange({i, i + 100});
        int steps = 0;
        for (; state.canUndo(); ++steps) state.undo();
        QCOMPARE(steps, 199);
    }

    void nothingIsEmittedForNothing()
    {
        const DrawnStore store({QStringLiteral("AAAA..BBBB")});
        ViewState state(store.shared());
        QSignalSpy ranges(&state, &ViewState::rangeChanged);
        QSignalSpy selections(&state, &ViewState::selectionChanged);
        QSignalSpy marks(&state, &ViewState::markedChanged);
        state.setRange(state.range());
        state.select({});
        state.setMarked({});
        QCOMPARE(ranges.count() + selections.count() + marks.count(), 0);
        state.select({{ProcessorId{0}, 1}, {}});
        state.select({{ProcessorId{0}, 1}, {}});
        QCOMPARE(selections.count(), 1);
    }

    void filter_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("matching");
        QTest::addColumn<bool>("isError");
        QTest::newRow("substring") << QStringLiteral("drawn::b") << QStringLiteral("Bb") << false;
        QTest::newRow("regex") << QStringLiteral("/::[AC]\\b/") << QStringLiteral("ACac") << false;
        QTest::newRow("special characters mean themselves") << QStringLiteral("A(") << QStringLiteral("Aa") << false;
        QTest::newRow("bad regex") << QStringLiteral("/(/") << QString() << true;
        QTest::newRow("none matches") << QStringLiteral("zebra") << QString() << false;
    }
    void filter()
    {
        QFETCH(QString, text);
        QFETCH(QString, matching);
        QFETCH(bool, isError);
        const DrawnStore store({QStringLiteral("AAAA..BBBB")});
        ViewState state(store.shared());
        QCOMPARE(!state.setFilter(text).isEmpty(), isError);
        QCOMPARE(state.matchingEntries().has_value(), !isError);
        if (isError) return;
        for (const char letter : {'A', 'B', 'C', 'D', 'a', 'b', 'c', 'd'})
            QCOMPARE(bool((*state.matchingEntries())[index(DrawnStore::entryOf(letter))]),
                     matching.contains(QLatin1Char(letter)));
        state.setFilter(QString());
        QVERIFY(!state.matchingEntries());
    }

    void revealBringsATaskIntoView()
    {
        const DrawnStore store({QString(4000, QLatin1Char('A')) + QStringLiteral("B")
                                + QString(4000, QLatin1Char('C'))});
        ViewState state(store.shared());
        QSignalSpy reveals(&state, &ViewState::revealRequested);
        QSignalSpy shown(&state, &ViewState::revealed);
        state.reveal({{ProcessorId{0}, 1}, {}});
        QCOMPARE(reveals.count(), 1);
        QCOMPARE(state.selection().task, (TaskId{ProcessorId{0}, 1}));
        QTRY_COMPARE(shown.count(), 1);
        QVERIFY(state.range().begin <= 4000000 && state.range().end >= 4001000);
        QVERIFY(state.range().length() < 250 * 1000);
        QCOMPARE(state.range().begin + state.range().length() / 2, TimeNs{4000500});
        const TimeRange before = state.range();
        state.reveal({{ProcessorId{0}, 1}, {}});  // it is in view already
        QTRY_COMPARE(shown.count(), 2);
        QCOMPARE(state.range(), before);
    }

    // A task near the begin leads to no view that is half before the run, though logs may begin there.
    void revealStaysWithinTheRun()
    {
        const DrawnStore store({QStringLiteral("AB") + QString(4000, QLatin1Char('C'))},
                               {.begin = 5'000'000, .firstRecord = 1'000'000});
        ViewState state(store.shared());
        QSignalSpy shown(&state, &ViewState::revealed);
        state.reveal({{ProcessorId{0}, 0}, {}});
        QTRY_COMPARE(shown.count(), 1);
        QCOMPARE(state.range().begin, state.fullRange().begin);
        QVERIFY(state.range().length() < 250 * 1000);
    }

    void aTaskThatDoesNotExistChangesNoRange()
    {
        const DrawnStore store({QStringLiteral("AAAA")});
        ViewState state(store.shared());
        const TimeRange before = state.range();
        QSignalSpy shown(&state, &ViewState::revealed);
        state.reveal({{ProcessorId{7}, 1}, {}});
        QTRY_COMPARE(shown.count(), 1);
        QVERIFY(!state.revealedPlace());
        QCOMPARE(state.range(), before);
    }

    // As while a menu is open, whose widgets the value would take away.
    void valuesThatWaitForMenus()
    {
        QEventLoop outer;
        LatestJob<int> atOnce, waiting(Handover::OutsideMenus);
        int first = 0, second = 0, whileOpen = 0;
        QTimer::singleShot(0, &outer, [&] {
            QEventLoop menu;
            waiting.start([](const Progress&) { return 2; },
                          [&](int value) {
                              second = value;
                              outer.quit();
                          });
            atOnce.start([](const Progress&) { return 1; },
                         [&](int value) {
                             first = value;
                             QTimer::singleShot(100, &menu, &QEventLoop::quit);
                         });
            menu.exec();
            whileOpen = second;
        });
        outer.exec();
        QCOMPARE(first, 1);
        QCOMPARE(whileOpen, 0);
        QCOMPARE(second, 2);
    }

    // However many panels ask, each palette is made once, and again when something of it changes.
    void panelsSharePalettes()
    {
        const DrawnStore store({QStringLiteral("AAAA..BBBB")});
        ViewState state(store.shared());
        const auto dark = state.palette(darkTheme()), light = state.palette(lightTheme());
        QCOMPARE(state.palette(darkTheme()), dark);
        QCOMPARE(state.palette(lightTheme()), light);
        QVERIFY(dark != light);
        state.setColour(ColourMode::EntryMethod, PaletteKind::OkabeIto);
        const auto other = state.palette(darkTheme());
        QVERIFY(other != dark);
        state.setColour(ColourMode::EntryMethod, PaletteKind::Calm);
        QCOMPARE(state.palette(darkTheme()), dark);
        auto memory = std::make_shared<ColourMemory>();
        const Entry& entry = store.shared()->entries().front();
        memory->setOwn(colourName(entry, ColourBy::EntryMethod), 0xff123456);
        state.setColourMemory(memory);
        QCOMPARE(state.palette(darkTheme())->entry(entry.id), QRgb{0xff123456});
        QVERIFY(dark->entry(entry.id) != QRgb{0xff123456});
    }

    // A file of 10 MB may name 200,000 entry methods: the window's thread does not make their colours.
    void coloursOfManyNamesAreMadeElsewhere()
    {
        const DrawnStore store({QStringLiteral("AAAA..BBBB")}, {.profile = true, .moreNames = 200'000});
        QVERIFY(hasManyNames(*store));
        ViewState state(store.shared());
        double begin = ownTime();
        const Palette expected(*store, darkTheme());
        const double whole = ownTime() - begin;

        begin = ownTime();
        QSignalSpy changes(&state, &ViewState::colourChanged);
        const auto first = state.palette(darkTheme());
        QCOMPARE(state.palette(darkTheme()), first);
        QCOMPARE(qAlpha(first->entry(DrawnStore::entryOf('A'))), 255);
        QVERIFY(first->entry(EntryId{0}) != first->entry(EntryId{1}));
        QVERIFY(changes.wait(60'000));
        const auto made = state.palette(darkTheme());
        const double ofWindow = ownTime() - begin;
        QVERIFY(made != first);
        for (const Entry& entry : store->entries()) QCOMPARE(made->entry(entry.id), expected.entry(entry.id));
        QVERIFY2(ofWindow < whole / 4, qPrintable(QStringLiteral("%1 of %2 s").arg(ofWindow).arg(whole)));

        // What was there is seen until what the user has chosen is.
        auto memory = std::make_shared<ColourMemory>();
        const Entry& entry = store->entries().front();
        memory->setOwn(colourName(entry, ColourBy::EntryMethod), 0xff123456);
        state.setColourMemory(memory);
        QCOMPARE(state.palette(darkTheme()), made);
        QTRY_COMPARE(state.palette(darkTheme())->entry(entry.id), QRgb{0xff123456});
        // Several at once all come, and then stay.
        QTRY_VERIFY(state.palette(lightTheme()) == state.palette(lightTheme())
                    && state.palette(lightTheme())->entry(entry.id) == QRgb{0xff123456}
                    && state.palette(darkTheme())->entry(entry.id) == QRgb{0xff123456});
        changes.clear();
        const auto dark = state.palette(darkTheme()), light = state.palette(lightTheme());
        QTest::qWait(100);
        QCOMPARE(changes.size(), 0);
        QCOMPARE(state.palette(darkTheme()), dark);
        QCOMPARE(state.palette(lightTheme()), light);
    }

    // Nobody waits for colours of a trace that is closed.
    void coloursEndWithTheTrace()
    {
        const DrawnStore store({QStringLiteral("AAAA..BBBB")}, {.moreNames = 200'000});
        const double begin = ownTime();
        const Palette whole(*store, darkTheme());
        const double takes = ownTime() - begin;
        qint64 ended = 0;
        for (int i = 0; i < 5; ++i) {
            auto state = std::make_unique<ViewState>(store.shared());
            state->palette(darkTheme());
            QTest::qWait(5 * i);
            QElapsedTimer clock;
            clock.start();
            state.reset();
            ended = std::max(ended, clock.nsecsElapsed());
        }
        QVERIFY2(static_cast<double>(ended) < std::max(0.15, takes / 3) * 1e9, qPrintable(QString::number(ended)));
    }
};

}  // namespace longpole

LONGPOLE_TEST(longpole::TestViewState)
#include "tst_viewstate.moc"
