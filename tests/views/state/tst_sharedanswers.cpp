// SPDX-License-Identifier: GPL-3.0-or-later
// Panels that rest on the same heads, slack or path share them: each is computed once for all of them.
#include "analysis/graph/graphquestions.h"
#include "analysis/paths/slackquestions.h"
#include "views/drawnstore.h"
#include "views/path/activitytablepanel.h"
#include "views/path/graphpanel.h"
#include "views/path/nearcriticalpanel.h"
#include "views/path/phasepanel.h"
#include "views/path/whatifpanel.h"
#include "views/state/projector.h"
#include "views/state/viewstate.h"
#include "views/timeline/canvas.h"
#include "views/timeline/rowmodel.h"
#include "views/timeline/slackbar.h"

#include "support/testmain.h"

#include <QSignalSpy>
#include <QTest>

namespace longpole {

namespace {

const QStringList sharedRows{QStringLiteral("AAAAABBBBBBBBBBAAAAAAAAAAAAAAA"),
                             QStringLiteral("BBBBBBBBBBBBBBBBBBBB..........")};

}  // namespace

class TestSharedAnswers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(
            QRegularExpression(QStringLiteral("^(?!This plugin does not support propagateSizeHints)")));
    }

    void headsAtOrderAreComputedOnce()
    {
        const DrawnStore store(sharedRows);
        ViewState state(store.shared());
        const auto graph = state.results()->ask(GraphQuestion{}, Progress{});
        QVERIFY(graph.ok());
        state.setGraph(*graph);
        state.setPath(*state.results()->ask(PathQuestion{}, Progress{}));

        SlackBar slack(state);
        NearCriticalPanel near(state);
        PhasePanel phases(state);
        GraphPanel drawn(state);
        ActivityTablePanel table(state);
        WhatIfPanel whatIf(state);
        for (QWidget* panel : std::initializer_list<QWidget*>{&slack, &near, &phases, &drawn, &table, &whatIf})
            panel->show();
        for (const ComputedPanel* panel : std::initializer_list<ComputedPanel*>{&slack, &near, &phases, &drawn, &table})
            QTRY_VERIFY(panel->isThere());
        QTRY_VERIFY(!whatIf.isComputing());

        const Results& results = *state.results();
        QCOMPARE(results.computed<GraphQuestion>(), 1);
        QCOMPARE(results.computed<HeadsQuestion>(), 1);
        QCOMPARE(results.computed<SlackQuestion>(), 1);
        QCOMPARE(results.computed<PathQuestion>(), 2);  // the one that shows; over merges, for the phases
    }

    // A second panel of the same kind has its content at once.
    void whatIsThereComesAtOnce()
    {
        const DrawnStore store(sharedRows);
        ViewState state(store.shared());
        state.setGraph(*state.results()->ask(GraphQuestion{}, Progress{}));
        NearCriticalPanel first(state), second(state);
        first.show();
        QTRY_VERIFY(first.isThere());
        second.show();
        QVERIFY(second.isThere());
        QCOMPARE(second.headline(), first.headline());
    }

    // Answers of the epoch before stay valid for who holds them.
    void aTraceThatGrowsHasAnotherEpoch()
    {
        const DrawnStore before({QStringLiteral("AAAA..")}), after({QStringLiteral("AAAA..BBBB")});
        ViewState state(before.shared());
        const std::shared_ptr<Results> old = state.results();
        const auto graph = old->ask(GraphQuestion{}, Progress{});
        QVERIFY(graph.ok());
        state.setGraph(*graph);
        QSignalSpy others(&state, &ViewState::resultsChanged);
        state.setResults(std::make_shared<Results>(after.shared(), Results::usualCapacity, 1));
        QCOMPARE(others.count(), 1);
        QVERIFY(!state.graph());
        QCOMPARE(state.results()->epoch(), std::uint64_t{1});
        QCOMPARE(state.fullRange(), after->info().range());
        QCOMPARE(old->peek(GraphQuestion{}), *graph);
        QVERIFY(!state.results()->peek(GraphQuestion{}));
        QCOMPARE(state.projector()->results(), state.results());
        QCOMPARE(&state.projector()->store(), after.shared().get());
    }

    // Rows of the epoch before are not drawn any more, and not counted once they are gone.
    void rowsAreThoseOfTheEpoch()
    {
        const DrawnStore before({QStringLiteral("AAAA..")}), after({QStringLiteral("BBBBBBBBBB")});
        ViewState state(before.shared());
        const std::shared_ptr<Results> old = state.results();
        RowModel rows(before.shared());
        rows.setViewportHeight(100);
        TimelineCanvas canvas(&state, &rows);
        canvas.resize(400, 100);
        const TimelineRow& row = rows.rows().front();
        canvas.loadNow();
        QCOMPARE(canvas.dataOf(row)->segments.front().entry, DrawnStore::entryOf('A'));
        QVERIFY(old->bytes() > old->store().cachedBytes());
        state.setResults(std::make_shared<Results>(after.shared(), Results::usualCapacity, 1));
        QVERIFY(!canvas.dataOf(row));
        QCOMPARE(old->bytes(), old->store().cachedBytes());
        canvas.loadNow();
        QCOMPARE(canvas.dataOf(row)->segments.front().entry, DrawnStore::entryOf('B'));
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestSharedAnswers)
#include "tst_sharedanswers.moc"
