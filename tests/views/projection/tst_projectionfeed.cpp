// SPDX-License-Identifier: GPL-3.0-or-later
// How projections become known: at once from the pyramid, marked approximate; then exactly as the chunks have them; the
// newest question wins.
#include "views/drawnstore.h"
#include "views/projection/projectionfeed.h"
#include "views/state/projector.h"
#include "views/state/viewstate.h"

#include "support/testmain.h"
#include "support/units.h"

#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

namespace longpole {

namespace {

const QStringList fedRows{QStringLiteral("AAAABBBB.."), QStringLiteral("AA..BB..CC")};

struct Asked {
    DrawnStore store{fedRows};
    std::shared_ptr<Projector> projector = std::make_shared<Projector>(std::make_shared<Results>(store.shared()));
    ProjectionFeed feed{projector};

    ProjectionQuestion question(const char* name, std::int64_t stages = 5) const
    {
        return {.attributes = {*parseAttribute(QLatin1String(name), *store)},
                .stages = equalStages({0, 10 * us}, stages),
                .pes = {ProcessorId{0}, ProcessorId{1}}};
    }
    Projection exact(const ProjectionQuestion& question) const
    {
        return *project(*store, question.attributes[0], question.stages, question.pes, {}, Progress{});
    }
};

}  // namespace

class TestProjectionFeed : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void approximateThenExact()
    {
        Asked asked;
        bool wasApproximate = false;
        connect(&asked.feed, &ProjectionFeed::changed, &asked.feed, [&] {
            const auto& answers = asked.feed.answers();
            wasApproximate = wasApproximate || (answers[0] && answers[0]->isApproximate && asked.feed.isWorking());
        });
        const ProjectionQuestion question = asked.question("utilization");
        asked.feed.ask(question);
        QVERIFY(asked.feed.isWorking());
        QTRY_VERIFY(asked.feed.isExact());
        QVERIFY(wasApproximate);
        const Projection exact = asked.exact(question);
        QCOMPARE(asked.feed.answers()[0]->values, exact.values);
        QCOMPARE(asked.feed.answers()[0]->perStage, exact.perStage);
        QVERIFY(!asked.feed.answers()[0]->isApproximate);
    }

    void anotherTimestepIsAnsweredAtOnce()
    {
        Asked asked;
        asked.feed.ask(asked.question("user"));
        QTRY_VERIFY(asked.feed.isExact());
        asked.feed.ask(asked.question("user", 7));
        QVERIFY(asked.feed.answers()[0] != nullptr);
        QCOMPARE(asked.feed.answers()[0]->stages.count(), std::size_t(7));
        QCOMPARE(asked.feed.answers()[0]->totalCount, 14 * us);  // totals are exact all the same
        QCOMPARE(asked.feed.isExact(), !asked.feed.answers()[0]->isApproximate);
        asked.feed.ask(asked.question("user"));  // kept
        QVERIFY(asked.feed.isExact());
    }

    void theNewestQuestionWins()
    {
        Asked asked;
        for (int stages = 1; stages <= 20; ++stages) asked.feed.ask(asked.question("grain_mean", stages));
        QTRY_VERIFY(asked.feed.isExact());
        QCOMPARE(asked.feed.answers()[0]->stages.count(), std::size_t(20));
        QTest::qWait(300);
        QCOMPARE(asked.feed.answers()[0]->stages.count(), std::size_t(20));
    }

    void severalAttributesAtOnce()
    {
        Asked asked;
        ProjectionQuestion question = asked.question("tasks");
        question.attributes.push_back(*parseAttribute(QStringLiteral("user / tasks"), *asked.store));
        asked.feed.ask(question);
        QTRY_VERIFY(asked.feed.isExact());
        QCOMPARE(asked.feed.answers()[0]->totalCount, 5);
        QCOMPARE(asked.feed.answers()[1]->total, 14000.0 / 5);
    }

    void cancelledStaysAsItIs()
    {
        Asked asked;
        asked.feed.ask(asked.question("grain_max"));
        asked.feed.cancel();
        QVERIFY(asked.feed.isCancelled());
        QTest::qWait(250);
        QVERIFY(asked.feed.isCancelled() && !asked.feed.isExact());
        asked.feed.ask(asked.question("grain_max"));
        QTRY_VERIFY(asked.feed.isExact());
    }

    void chosenStages()
    {
        Asked asked;
        ProjectionQuestion question = asked.question("utilization");
        question.kept = {true, false, false, false, true};
        asked.feed.ask(question);
        QTRY_VERIFY(asked.feed.isExact());
        QCOMPARE(asked.feed.answers()[0]->perProcessor, (std::vector<double>{0.5, 1.0}));
    }

    void tooManyCellsAreRefused()
    {
        Asked asked;
        asked.feed.ask(asked.question("user", Projector::mostCells));
        QVERIFY(asked.feed.error());
        QVERIFY(asked.feed.error()->hint.contains(QStringLiteral("Choose fewer stages")));
        QVERIFY(!asked.feed.isWorking());
        asked.feed.ask(asked.question("user"));
        QVERIFY(!asked.feed.error());
    }

    void nothingAsked()
    {
        Asked asked;
        QSignalSpy changed(&asked.feed, &ProjectionFeed::changed);
        asked.feed.ask({});
        QCOMPARE(changed.count(), 1);
        QVERIFY(!asked.feed.isWorking() && !asked.feed.isExact() && asked.feed.answers().empty());
    }

    void keepsLittle()
    {
        Asked asked;
        ProjectionQuestion question = asked.question("user", 200'000);
        Results& results = *asked.projector->results();
        results.setCapacity(96 << 20);
        for (int i = 0; i < 40; ++i) {
            question.stages = equalStages({0, 10 * us}, 200'000 + i);
            Projection result{.attribute = question.attributes[0],
                              .stages = question.stages,
                              .pes = question.pes,
                              .values = {}};
            result.values.resize(2 * question.stages.count());
            results.give(question.one(0), std::make_shared<const Projection>(std::move(result)));
        }
        QVERIFY(asked.projector->exact(question, 0) != nullptr);
        QVERIFY(results.bytes() <= 96 << 20);
        question.stages = equalStages({0, 10 * us}, 200'000);
        QVERIFY(asked.projector->exact(question, 0) == nullptr);
    }

    void theTraceHasOneProjector()
    {
        const DrawnStore store(fedRows);
        ViewState state(store.shared());
        QVERIFY(state.projector() && state.projector()->results() == state.results());
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestProjectionFeed)
#include "tst_projectionfeed.moc"
