// SPDX-License-Identifier: GPL-3.0-or-later
// Quantities per stage and processor: against hand-drawn numbers, against a count of every nanosecond, and against the
// totals of real traces.
#include "analysis/projection/projection.h"
#include "analysis/projection/stagecells.h"
#include "analysis/randomtrace.h"
#include "analysis/realtraces.h"
#include "core/smalltrace.h"

#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <numeric>

using namespace longpole;

namespace {

using Row64 = std::vector<std::int64_t>;

std::shared_ptr<const StageCells> cellsOf(const TraceStore& store, std::vector<Measure> measures, Stages stages,
                                          StageAxis axis = StageAxis::Cells)
{
    auto cells = stageCells(store,
                            {.measures = std::move(measures), .stages = std::move(stages), .pes = {}, .axis = axis},
                            Progress{});
    if (!cells) qFatal("%s", qPrintable(cells.error().what));
    return *cells;
}

Row64 row(const StageCells& cells, std::size_t measure, std::size_t pe)
{
    const auto counts = cells.counts(measure, pe);
    return {counts.begin(), counts.end()};
}

// Who has each nanosecond of a processor: the piece that began last, of those the one of the later row.
std::vector<EntryId> ownersOf(const TraceStore& store, const Processor& processor, TimeRange range)
{
    struct Piece {
        TimeNs begin;
        std::int64_t row;
        TimeNs end;
        EntryId entry;
    };
    std::vector<Piece> pieces;
    std::int64_t tasks = 0;
    for (const ChunkRef& ref : store.chunks(ChunkKind::Task, processor.track)) tasks += ref.rows;
    for (std::int64_t task = 0; task < tasks; ++task) {
        const auto detail = store.task({processor.pe, static_cast<std::uint32_t>(task)});
        if (!detail) qFatal("no such task");
        for (const TimeRange& piece : detail->pieces) pieces.push_back({piece.begin, task, piece.end, detail->entry});
    }
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return std::pair(a.begin, a.row) < std::pair(b.begin, b.row); });
    std::vector<EntryId> owners(static_cast<std::size_t>(range.length()), noEntry);
    for (const Piece& piece : pieces)
        for (TimeNs t = std::max(piece.begin, range.begin); t < std::min(piece.end, range.end); ++t)
            owners[static_cast<std::size_t>(t - range.begin)] = piece.entry;
    return owners;
}

}  // namespace

class TestStageCells : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        QVERIFY(bool(writeSmallTrace(m_folder.filePath(QStringLiteral("small.longpole")))));
        auto opened = TraceStore::open(m_folder.filePath(QStringLiteral("small.longpole")));
        QVERIFY(bool(opened));
        m_small = *opened;
    }
    void drawnNumbers();
    void edgesCutTasks();
    void oneStageAndMoreStagesThanNanoseconds();
    void partOfTheRun();
    void axesAgree();
    void onlyTasksOfAGrain();
    void everyNanosecond();
    void realTotals_data();
    void realTotals();
    void stagesRefine_data() { realTotals_data(); }
    void stagesRefine();
    void refusals();

private:
    QTemporaryDir m_folder;
    std::shared_ptr<const TraceStore> m_small;
    RealTraces m_traces;
};

void TestStageCells::drawnNumbers()
{
    using enum StageQuantity;
    const auto cells = cellsOf(*m_small,
                               {{User, {}},
                                {Idle, {}},
                                {Pack, {}},
                                {Tasks, {}},
                                {Created, {}},
                                {LongestTask, {}},
                                {User, subjectOf(EntryId{0})},
                                {User, subjectOf(ChareId{1})},
                                {TasksCreated, {}},
                                {Latency, {}},
                                {Latencies, {}},
                                {TaskTime, {}},
                                {SentInNode, {}},
                                {ReceivedInNode, {}}},
                               equalStages(m_small->info().range(), 4));
    const auto check = [&](std::size_t measure, Row64 pe0, Row64 pe1) {
        QCOMPARE(row(*cells, measure, 0), pe0);
        QCOMPARE(row(*cells, measure, 1), pe1);
    };
    check(0, {2000, 2000, 0, 1000}, {0, 2000, 1000, 1000});  // user
    check(1, {0, 0, 1500, 0}, {2000, 0, 0, 0});              // idle
    check(2, {0, 0, 100, 0}, {0, 0, 0, 0});                  // pack
    check(3, {2, 0, 0, 1}, {0, 1, 0, 1});                    // tasks
    check(4, {2, 0, 1, 0}, {0, 0, 0, 0});                    // created
    check(5, {3000, 0, 0, 1000}, {0, 3000, 0, 1000});        // longest
    check(6, {1000, 2000, 0, 0}, {0, 0, 0, 0});              // user of main
    check(7, {1000, 0, 0, 1000}, {0, 2000, 1000, 1000});     // user of chare Ring
    check(8, {2, 0, 1, 0}, {0, 0, 0, 0});                    // tasks created
    check(9, {0, 0, 0, 1900}, {0, 1500, 0, 5500});           // latency
    check(10, {0, 0, 0, 1}, {0, 1, 0, 1});
    check(11, {4000, 0, 0, 1000}, {0, 3000, 0, 1000});  // task time
    check(12, {2, 0, 1, 0}, {0, 0, 0, 0});              // all on node 0
    check(13, {0, 0, 0, 1}, {0, 1, 0, 1});
}

void TestStageCells::edgesCutTasks()
{
    const Stages stages{{1000, 1500, 3500, 7999, 9000}};
    const auto cells = cellsOf(*m_small, {{StageQuantity::User, {}}, {StageQuantity::Waiting, {}}}, stages);
    QCOMPARE(row(*cells, 0, 0), (Row64{500, 2000, 2499, 1}));
    QCOMPARE(row(*cells, 0, 1), (Row64{0, 500, 2500, 1000}));
    // PE 1: m0 is received at 3000 (least latency 1500) and begun at once, m1 at 4000 and begun at 8000.
    QCOMPARE(row(*cells, 1, 1), (Row64{0, 0, 3999, 1}));
    QVERIFY(cells->isEstimated());
}

void TestStageCells::oneStageAndMoreStagesThanNanoseconds()
{
    const TimeRange run = m_small->info().range();
    const auto one = cellsOf(*m_small, {{StageQuantity::User, {}}}, equalStages(run, 1));
    QCOMPARE(row(*one, 0, 0), Row64{5000});
    const auto many = cellsOf(*m_small,
                              {{StageQuantity::User, {}}, {StageQuantity::Tasks, {}}, {StageQuantity::Length, {}}},
                              equalStages(run, 20'000));
    Row64 sums(3, 0);
    for (std::size_t m = 0; m < 3; ++m)
        for (const std::int64_t value : many->counts(m, 0)) sums[m] += value;
    QCOMPARE(sums, (Row64{5000, 3, 8000}));
    QCOMPARE(*std::max_element(many->counts(0, 0).begin(), many->counts(0, 0).end()), 1);
}

void TestStageCells::partOfTheRun()
{
    // Only what happens inside counts; at the run's own ends also what lies outside.
    const auto cells = cellsOf(*m_small,
                               {{StageQuantity::Tasks, {}}, {StageQuantity::Created, {}}, {StageQuantity::User, {}}},
                               Stages{{2000, 7000}});
    QCOMPARE(row(*cells, 0, 0), Row64{1});
    QCOMPARE(row(*cells, 1, 0), Row64{2});
    QCOMPARE(row(*cells, 2, 0), Row64{3000});
}

void TestStageCells::axesAgree()
{
    const std::vector<Measure> measures{{StageQuantity::User, {}},
                                        {StageQuantity::LongestTask, {}},
                                        {StageQuantity::Length, {}},
                                        {StageQuantity::SentInNode, {}}};
    const Stages stages = equalStages(m_small->info().range(), 5);
    const auto cells = cellsOf(*m_small, measures, stages);
    const auto perStage = cellsOf(*m_small, measures, stages, StageAxis::Stage);
    const auto perPe = cellsOf(*m_small, measures, stages, StageAxis::Processor);
    for (std::size_t m = 0; m < measures.size(); ++m) {
        const bool largest = isMaximum(measures[m].quantity);
        for (std::size_t stage = 0; stage < 5; ++stage) {
            const std::int64_t a = cells->counts(m, 0)[stage], b = cells->counts(m, 1)[stage];
            QCOMPARE(perStage->counts(m, 0)[stage], largest ? std::max(a, b) : a + b);
        }
        for (std::size_t pe = 0; pe < 2; ++pe) {
            const auto values = cells->counts(m, pe);
            const std::int64_t all = largest ? *std::max_element(values.begin(), values.end())
                                             : std::accumulate(values.begin(), values.end(), std::int64_t{0});
            QCOMPARE(perPe->counts(m, pe)[0], all);
        }
    }
}

// Main's task ran 3000 ns itself, like the first on PE 1; all others ran 1000.
void TestStageCells::onlyTasksOfAGrain()
{
    using enum StageQuantity;
    const auto short_ = stageCells(*m_small,
                                   {.measures = {{User, {}}, {Tasks, {}}, {Idle, {}}, {Pack, {}}, {Created, {}}},
                                    .stages = equalStages(m_small->info().range(), 1),
                                    .pes = {},
                                    .grain = TimeRange{0, 3000}},
                                   Progress{});
    QVERIFY(bool(short_));
    const auto check = [&](std::size_t measure, Row64 pe0, Row64 pe1) {
        QCOMPARE(row(**short_, measure, 0), pe0);
        QCOMPARE(row(**short_, measure, 1), pe1);
    };
    check(0, {2000}, {1000});
    check(1, {2}, {1});
    check(2, {1500}, {2000});
    check(3, {100}, {0});
    check(4, {3}, {0});
}

void TestStageCells::everyNanosecond()
{
    for (unsigned seed = 0; seed < 300; ++seed) {
        const auto store = RandomTrace(seed).write(m_folder.filePath(QStringLiteral("random.longpole")));
        QVERIFY(bool(store));
        const TimeRange run = (*store)->info().range();
        std::vector<Measure> measures;
        for (std::uint32_t entry = 0; entry < RandomTrace::entries; ++entry)
            measures.push_back({StageQuantity::User, subjectOf(EntryId{entry})});
        measures.push_back({StageQuantity::User, {}});
        const Stages stages = equalStages(run, 1 + seed % 7);
        const auto cells = cellsOf(**store, measures, stages);
        for (std::size_t pe = 0; pe < (*store)->processors().size(); ++pe) {
            const std::vector<EntryId> owners = ownersOf(**store, (*store)->processors()[pe], run);
            std::vector<Row64> expected(measures.size(), Row64(stages.count(), 0));
            for (TimeNs t = run.begin; t < run.end; ++t) {
                const EntryId owner = owners[static_cast<std::size_t>(t - run.begin)];
                if (owner == noEntry) continue;
                ++expected[index(owner)][stages.at(t)];
                ++expected.back()[stages.at(t)];
            }
            for (std::size_t m = 0; m < measures.size(); ++m)
                QVERIFY2(row(*cells, m, pe) == expected[m], qPrintable(QStringLiteral("seed %1").arg(seed)));
        }
    }
}

void TestStageCells::realTotals_data()
{
    QTest::addColumn<QString>("name");
    for (const QString& name : RealTraces::names())
        if (name != QLatin1String("large")) QTest::addRow("%s", qPrintable(name)) << name;
}

void TestStageCells::realTotals()
{
    QFETCH(const QString, name);
    const auto store = m_traces.open(name);
    QVERIFY(bool(store));
    const TraceInfo& info = (*store)->info();
    using enum StageQuantity;
    const auto cells = cellsOf(**store,
                               {{User, {}},
                                {Idle, {}},
                                {Pack, {}},
                                {Flush, {}},
                                {Untraced, {}},
                                {Tasks, {}},
                                {Created, {}},
                                {TasksCreated, {}},
                                {Processed, {}}},
                               equalStages(info.range(), 97));
    const auto total = [&](std::size_t m, std::size_t pe) {
        const auto values = cells->counts(m, pe);
        return std::accumulate(values.begin(), values.end(), std::int64_t{0});
    };
    Row64 sums(cells->measures(), 0);
    for (std::size_t pe = 0; pe < cells->rows(); ++pe) {
        const Processor& processor = *(*store)->processor(cells->request().pes[pe]);
        QCOMPARE(total(0, pe), processor.busy);
        QCOMPARE(total(1, pe), processor.idle);
        QCOMPARE(total(2, pe), processor.pack);
        QCOMPARE(total(3, pe), processor.flush);
        QCOMPARE(total(4, pe), processor.untraced);
        QCOMPARE(total(5, pe), processor.tasks);
        QCOMPARE(total(6, pe), processor.messages);
        for (std::size_t m = 0; m < sums.size(); ++m) sums[m] += total(m, pe);
    }
    QCOMPARE(sums[0], info.busy);
    QCOMPARE(sums[1], info.idle);
    QCOMPARE(sums[5], info.tasks);
    QCOMPARE(sums[6], info.messages);
    const auto overhead = parseAttribute(QStringLiteral("overhead"), **store);
    QVERIFY(bool(overhead));
    const auto projection = project(**store, *overhead, equalStages(info.range(), 97), {}, nullptr, Progress{});
    QVERIFY(bool(projection));
    QCOMPARE(projection->totalCount, info.overhead());
    for (const std::int64_t cell : projection->counts) QVERIFY(cell >= 0);

    // By entry method: the profile's exclusive times and counts.
    std::map<EntryId, std::pair<TimeNs, std::int64_t>> expected;
    for (const ProfileRow& line : (*store)->profile()) {
        expected[line.entry].first += line.exclusive;
        expected[line.entry].second += line.count;
    }
    std::vector<Measure> measures;
    for (const auto& [entry, sum] : expected) {
        measures.push_back({User, subjectOf(entry)});
        measures.push_back({Tasks, subjectOf(entry)});
    }
    const auto byEntry = cellsOf(**store, measures, equalStages(info.range(), 10), StageAxis::Stage);
    std::size_t m = 0;
    for (const auto& [entry, sum] : expected) {
        const auto time = byEntry->counts(m, 0), count = byEntry->counts(m + 1, 0);
        QCOMPARE(std::accumulate(time.begin(), time.end(), std::int64_t{0}), sum.first);
        QCOMPARE(std::accumulate(count.begin(), count.end(), std::int64_t{0}), sum.second);
        m += 2;
    }
}

// A stage's cell is the sum of the cells of the stages it is cut into, whatever is counted.
void TestStageCells::stagesRefine()
{
    QFETCH(const QString, name);
    const auto store = m_traces.open(name);
    QVERIFY(bool(store));
    const TimeRange run = (*store)->info().range();
    std::vector<Measure> measures;
    for (std::size_t q = 0; q < quantityCount; ++q)
        if (!isMaximum(static_cast<StageQuantity>(q)) && !isReal(static_cast<StageQuantity>(q)))
            measures.push_back({static_cast<StageQuantity>(q), {}});
    Stages fine = equalStages(run, 60);
    Stages coarse;
    for (std::size_t i = 0; i <= 60; i += 12) coarse.edges.push_back(fine.edges[i]);
    const auto a = cellsOf(**store, measures, fine), b = cellsOf(**store, measures, coarse);
    const Stages middle{{coarse.edges[2], coarse.edges[3]}};
    const auto c = cellsOf(**store, measures, middle);
    for (std::size_t m = 0; m < measures.size(); ++m)
        for (std::size_t pe = 0; pe < a->rows(); ++pe) {
            for (std::size_t stage = 0; stage < 5; ++stage) {
                std::int64_t sum = 0;
                for (std::size_t i = 0; i < 12; ++i) sum += a->counts(m, pe)[stage * 12 + i];
                QCOMPARE(sum, b->counts(m, pe)[stage]);
            }
            QCOMPARE(c->counts(m, pe)[0], b->counts(m, pe)[2]);  // asked for alone, it is the same
        }
}

void TestStageCells::refusals()
{
    const auto none = stageCells(*m_small, {.measures = {}, .stages = {}, .pes = {}}, Progress{});
    QVERIFY(!none);
    const auto unknown = stageCells(
        *m_small, {.measures = {}, .stages = equalStages(m_small->info().range(), 1), .pes = {ProcessorId{2}}},
        Progress{});
    QVERIFY(!unknown && unknown.error().what.contains(QLatin1String("PE 2")));
    const auto tooMany = StageCells::prepare(*m_small,
                                             {.measures = {{StageQuantity::User, {}}},
                                              .stages = equalStages(m_small->info().range(), 1000),
                                              .pes = {}},
                                             1000);
    QVERIFY(!tooMany);
    Progress cancelled;
    cancelled.cancel();
    QVERIFY(!stageCells(*m_small,
                        {.measures = {{StageQuantity::User, {}}}, .stages = equalStages({1000, 9000}, 2), .pes = {}},
                        cancelled));
}

LONGPOLE_TEST(TestStageCells)
#include "tst_stagecells.moc"
