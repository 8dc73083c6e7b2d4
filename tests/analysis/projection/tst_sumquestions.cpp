// SPDX-License-Identifier: GPL-3.0-or-later
// Questions about sums, records and projections answer what the functions answer, and compute what they share once.
#include "analysis/noise/noisequestions.h"
#include "analysis/projection/projectionquestions.h"
#include "analysis/projection/stagequestions.h"
#include "analysis/statistics/sumquestions.h"
#include "views/drawnstore.h"

#include "support/testmain.h"
#include "support/units.h"

#include <QTest>

#include <memory>

namespace longpole {

namespace {

struct Asked {
    DrawnStore store{{QStringLiteral("AAAABBBB.."), QStringLiteral("AA..BB..CC")}};
    Results results{store.shared()};

    template <Question Q>
    const typename Q::Answer& ask(const Q& question)
    {
        const auto answer = results.ask(question, Progress{});
        if (!answer.ok()) qFatal("%s", qPrintable(answer.error().what));
        return **answer;  // kept
    }
    ProjectionQuestion question(std::initializer_list<const char*> names) const
    {
        ProjectionQuestion wanted{.stages = equalStages({0, 10 * us}, 5), .pes = {ProcessorId{0}, ProcessorId{1}}};
        for (const char* name : names) wanted.attributes.push_back(*parseAttribute(QLatin1String(name), *store));
        return wanted;
    }
};

}  // namespace

class TestSumQuestions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sumsAreThoseOfTheFunctions()
    {
        Asked asked;
        const std::vector<ProfileLine> lines = *profile(*asked.store, ProfileBy::Entry, Progress{});
        const std::vector<ProfileLine>& answered = asked.ask(ProfileQuestion{});
        QCOMPARE(answered.size(), lines.size());
        for (std::size_t i = 0; i < lines.size(); ++i) {
            QVERIFY(answered[i].key == lines[i].key);
            QCOMPARE(answered[i].exclusive, lines[i].exclusive);
        }
        QCOMPARE(asked.ask(EntryTableQuestion{}).size(), lines.size());
        QVERIFY(asked.ask(CommMatrixQuestion{}).cells == commMatrix(*asked.store, {}, Progress{})->cells);
        QCOMPARE(asked.ask(NoiseQuestion{}).time, noise(*asked.store, {}, {}, Progress{})->time);
        QCOMPARE(asked.ask(UsageQuestion{}).total.usage.user, usageProfile(*asked.store, {}).total.usage.user);
    }

    void aHistogramRestsOnTheDistribution()
    {
        Asked asked;
        const Histogram& logarithmic = asked.ask(HistogramQuestion{});
        const Histogram& linear = asked.ask(HistogramQuestion{.bins = {.binning = Binning::Linear}});
        QCOMPARE(logarithmic.summary.count, linear.summary.count);
        QCOMPARE(asked.results.computed<DistributionQuestion>(), 1);
    }

    void attributesCountedTogetherAreKnownOneByOne()
    {
        Asked asked;
        const ProjectionQuestion both = asked.question({"user", "tasks"});
        const std::vector<ProjectionPtr>& answers = asked.ask(both);
        QCOMPARE(answers.size(), std::size_t(2));
        QVERIFY(asked.results.peek(both.one(0)) == answers[0]);
        const Projection exact = *project(*asked.store, both.attributes[1], both.stages, both.pes, {}, Progress{});
        QCOMPARE(asked.ask(both.one(1)).values, exact.values);
        QCOMPARE(asked.results.computed<AttributeQuestion>(), 0);
    }

    void whatIsShownWhileCountingIsLetGo()
    {
        Asked asked;
        ProjectionQuestion question = asked.question({"user"});
        question.live = std::make_shared<LiveCells>();
        asked.ask(question);
        QVERIFY(!question.live->get());  // cells are large, and the question outlives them
        question.live.reset();
        QVERIFY(asked.results.peek(question) != nullptr);  // no part of what is asked
    }

    void affinityRestsOnTheMatrix()
    {
        Asked asked;
        const AffinityQuestion question{{ProcessorId{0}, ProcessorId{1}}, {0, 10 * us}};
        QCOMPARE(asked.ask(question).size(), std::size_t(2));
        asked.ask(CommMatrixQuestion{{.range = question.range, .pes = question.pes}});
        QCOMPARE(asked.results.computed<CommMatrixQuestion>(), 1);
    }

    void bytesAreThoseOfTheArrays()
    {
        Asked asked;
        const std::int64_t before = asked.results.bytes() - asked.store->cachedBytes();
        QCOMPARE(before, 0);
        std::int64_t held = 0;
        asked.ask(asked.question({"user"}));
        for (const HeldAnswer& answer : asked.results.held()) held += answer.bytes;
        QVERIFY(held >= 8 * 10);  // a value to each cell
        QCOMPARE(asked.results.bytes(), held + asked.store->cachedBytes());
    }
};

}  // namespace longpole

LONGPOLE_TEST(longpole::TestSumQuestions)
#include "tst_sumquestions.moc"
