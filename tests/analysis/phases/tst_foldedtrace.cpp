// SPDX-License-Identifier: GPL-3.0-or-later
// Iterations laid over each other: a small run by hand, and real ones against the same times counted in the original.
#include "analysis/realtraces.h"

#include "analysis/phases/foldedtrace.h"
#include "analysis/phases/pathphases.h"
#include "analysis/projection/attribute.h"
#include "analysis/projection/projection.h"
#include "core/trace/columns.h"
#include "support/testmain.h"
#include "support/writtentrace.h"

#include <QElapsedTimer>
#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <QTranslator>

#include <ctime>
#include <random>

using namespace longpole;

namespace {

using Rows = std::vector<std::vector<std::int64_t>>;

// All rows of a kind on a PE, the columns that are asked for.
Rows rowsOf(const TraceStore& store, ChunkKind kind, std::uint32_t pe, const std::vector<std::size_t>& columns)
{
    Rows rows;
    for (const ChunkRef& ref : store.chunks(kind, store.processor(ProcessorId{pe})->track)) {
        const auto chunk = store.read(ref);
        if (!chunk) return {};
        for (std::uint32_t i = 0; i < (*chunk)->rows; ++i) {
            rows.emplace_back();
            for (const std::size_t column : columns) rows.back().push_back((*chunk)->at(column, i));
        }
    }
    return rows;
}

// Executions in each other and spans of idle time, on PE 0: those with a length.
std::shared_ptr<const TraceStore> nestedAndIdle(const std::vector<TimeRange>& executions,
                                                const std::vector<TimeRange>& idle, const QString& path)
{
    auto writer = TraceWriter::create(path);
    if (!writer) return nullptr;
    addSmallDefinitions(**writer);
    TraceInfo info;
    info.processors = 2;
    for (const auto* ranges : {&executions, &idle})
        for (const TimeRange& range : *ranges) info.end = std::max(info.end, range.end);
    (*writer)->setInfo(info);
    auto stream = (*writer)->stream(0);
    std::int64_t outer = 0;
    for (const TimeRange& range : executions)
        stream->append(ChunkKind::Task, TrackId{10}, taskRow(range.begin, range.end, 0, 0, outer++));
    for (std::size_t i = 0; i < executions.size(); ++i)
        stream->append(ChunkKind::TaskSource, TrackId{10}, Row{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0});
    for (const TimeRange& range : idle) stream->append(ChunkKind::Idle, TrackId{10}, Row{range.begin, range.length()});
    stream->close();
    if (!(*writer)->finish(Progress{})) return nullptr;
    const auto opened = TraceStore::open(path);
    return opened ? *opened : nullptr;
}

}  // namespace

class TestFoldedTrace : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void byHand();
    void manyEntryMethods();
    void nestedAndLong();
    void deepInOneIteration();
    void longSpans();
    void goingOn_data();
    void goingOn();
    void idleOverEachOther();
    void lengths();
    void labelsAreNotTranslated();
    void wrongQuestions();
    void iterationsOfRealPrograms_data();
    void iterationsOfRealPrograms();
    void realTraces_data();
    void realTraces();

private:
    QString file(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    QTemporaryDir m_folder;
    RealTraces m_traces;
};

// PE 0 sends from its task in each iteration to PE 1; the last message arrives an iteration later.
//        0         10        20        30
//     0: AAAA......BBBB......CCCC......
//     1: ..aaa.......bbbbbbbbbb.c......    b lies in two iterations
void TestFoldedTrace::byHand()
{
    Written run;
    run.tasks = {{{.begin = 100, .duration = 4}, {.begin = 110, .duration = 4}, {.begin = 120, .duration = 4}},
                 {{.begin = 102, .duration = 3}, {.begin = 112, .duration = 10}, {.begin = 123, .duration = 1}}};
    run.messages.resize(2);
    run.send(task(0, 0), 1);
    run.start(task(1, 0), task(0, 0));
    run.send(task(0, 1), 2);
    run.start(task(1, 1), task(0, 1));
    run.send(task(0, 1), 3);
    run.start(task(1, 2), task(0, 1));
    const auto whole = store(run, file("run.longpole"));
    QVERIFY(whole);
    const std::vector<TimeRange> iterations{{100, 110}, {110, 120}, {120, 130}};
    const auto report = foldTrace(*whole, iterations, file("folded.longpole"), Progress{});
    QVERIFY2(report.ok(), report ? "" : qPrintable(toText(report.error())));
    QCOMPARE(report->rows, 6);
    QCOMPARE(report->length, 10);
    QCOMPARE(report->executions, 7);
    QCOMPARE(report->cutExecutions, 1);
    QCOMPARE(report->messages, 3);
    QCOMPARE(report->droppedLinks, 1);
    QCOMPARE(report->cutIterations, 0);
    const auto opened = TraceStore::open(file("folded.longpole"));
    QVERIFY(opened.ok());
    const TraceStore& folded = **opened;
    QCOMPARE(folded.info().processors, 6);
    QCOMPARE(folded.info().range(), (TimeRange{0, 10}));
    const std::vector<std::size_t> times{TaskColumn::Begin, TaskColumn::Duration};
    QCOMPARE(rowsOf(folded, ChunkKind::Task, 0, times), (Rows{{0, 4}}));
    QCOMPARE(rowsOf(folded, ChunkKind::Task, 3, times), (Rows{{2, 3}}));
    QCOMPARE(rowsOf(folded, ChunkKind::Task, 4, times), (Rows{{2, 8}}));
    QCOMPARE(rowsOf(folded, ChunkKind::Task, 5, times), (Rows{{0, 2}, {3, 1}}));
    QCOMPARE(folded.processor(ProcessorId{4})->busy, 8);
    QCOMPARE(folded.processor(ProcessorId{4})->name, QStringLiteral("PE 1 · iteration 2"));
    const std::vector<std::size_t> sources{TaskSourceColumn::Link, TaskSourceColumn::SourcePe,
                                           TaskSourceColumn::SourceIndex, TaskSourceColumn::Offset,
                                           TaskSourceColumn::MessageIndex};
    QCOMPARE(rowsOf(folded, ChunkKind::TaskSource, 4, sources), (Rows{{std::int64_t(Link::Message), 1, 0, 2, 0}}));
    const std::vector<std::int64_t> none{std::int64_t(Link::None), 0, 0, 0, -1};
    QCOMPARE(rowsOf(folded, ChunkKind::TaskSource, 5, sources), (Rows{none, none}));
    QCOMPARE(rowsOf(folded, ChunkKind::Message, 1, {MessageColumn::Sent, MessageColumn::Task, MessageColumn::Offset}),
             (Rows{{2, 0, 2}, {3, 0, 3}}));
    QCOMPARE(rowsOf(folded, ChunkKind::MessageExecutions, 1, {0}), (Rows{{1}, {0}}));
    for (const Issue& issue : folded.issues())
        QVERIFY(issue.kind == QStringLiteral("folded_execution") || issue.kind == QStringLiteral("folded_message"));
}

// What is stored is in the words of the trace, whatever language the program speaks.
void TestFoldedTrace::labelsAreNotTranslated()
{
    class Foreign : public QTranslator {
    public:
        QString translate(const char*, const char* text, const char*, int) const override
        {
            return QStringLiteral("?") + QString::fromUtf8(text);
        }
        bool isEmpty() const override { return false; }
    };
    Written run;
    run.tasks = {{{.begin = 100, .duration = 4}, {.begin = 110, .duration = 4}}};
    run.messages.resize(1);
    const auto whole = store(run, file("plain.longpole"));
    QVERIFY(whole);
    Foreign foreign;
    QCoreApplication::installTranslator(&foreign);
    const auto report = foldTrace(*whole, std::vector<TimeRange>{{100, 110}, {110, 120}}, file("foreign.longpole"),
                                  Progress{});
    QCoreApplication::removeTranslator(&foreign);
    QVERIFY(report.ok());
    const auto folded = TraceStore::open(file("foreign.longpole"));
    QVERIFY(folded.ok());
    for (const Processor& row : (*folded)->processors()) QVERIFY2(!row.name.contains(u'?'), qPrintable(row.name));
    for (const Track& track : (*folded)->tracks()) QVERIFY2(!track.name.contains(u'?'), qPrintable(track.name));
    QVERIFY(!(*folded)->info().program.contains(u'?'));
}

// An execution around all of three iterations, with others inside; the second iteration is slow and cut, the third
// short.
void TestFoldedTrace::nestedAndLong()
{
    Written run;
    run.tasks = {{{.begin = 5, .duration = 95},
                  {.begin = 12, .duration = 4, .outer = 1},
                  {.begin = 58, .duration = 20, .outer = 2}}};
    run.messages.resize(1);
    const auto whole = store(run, file("nested.longpole"));
    QVERIFY(whole);
    // Durations 10, 10, 10, 30 (from 40 on), 8.
    const std::vector<TimeRange> iterations{{10, 20}, {20, 30}, {30, 40}, {40, 70}, {70, 78}};
    QCOMPARE(foldedLength(iterations), 10);
    const auto report = foldTrace(*whole, iterations, file("nestedfolded.longpole"), Progress{});
    QVERIFY(report.ok());
    QCOMPARE(report->cutIterations, 1);
    QCOMPARE(report->cutTime, 20);
    QCOMPARE(report->outside, whole->info().duration() - 68);
    QCOMPARE(report->cutExecutions, 6);  // the long one in five, and the last one in the fifth
    const auto opened = TraceStore::open(file("nestedfolded.longpole"));
    QVERIFY(opened.ok());
    const std::vector<std::size_t> columns{TaskColumn::Begin, TaskColumn::Duration, TaskColumn::Nested,
                                           TaskColumn::Outer};
    QCOMPARE(rowsOf(**opened, ChunkKind::Task, 0, columns), (Rows{{0, 10, 4, 0}, {2, 4, 0, 1}}));
    QCOMPARE(rowsOf(**opened, ChunkKind::Task, 1, columns), (Rows{{0, 10, 0, 0}}));
    QCOMPARE(rowsOf(**opened, ChunkKind::Task, 3, columns), (Rows{{0, 10, 0, 0}}));
    QCOMPARE(rowsOf(**opened, ChunkKind::Task, 4, columns), (Rows{{0, 8, 8, 0}, {0, 8, 0, 1}}));
    QCOMPARE(rowsOf(**opened, ChunkKind::Overhead, 4, {0, 1, 2}), (Rows{{8, 2, std::int64_t(OverheadKind::Untraced)}}));
    QCOMPARE((*opened)->processor(ProcessorId{4})->busy, 8);
    QCOMPARE((*opened)->processor(ProcessorId{4})->untraced, 2);
}

// Many executions are open at once, but none from one iteration into the next.
void TestFoldedTrace::deepInOneIteration()
{
    constexpr TimeNs many = 60'000, length = 4 * many;
    std::vector<TimeRange> executions;
    for (TimeNs i = 0; i < many; ++i) executions.push_back({i, length - i});
    const auto whole = nestedAndIdle(executions, {{length, 2 * length}}, file("deep.longpole"));
    QVERIFY(whole);
    const std::vector<TimeRange> iterations{{0, length}, {length, 2 * length}};
    const std::clock_t start = std::clock();
    const auto report = foldTrace(*whole, iterations, file("deepfolded.longpole"), Progress{});
    QVERIFY2(report.ok(), report ? "" : qPrintable(toText(report.error())));
    QCOMPARE(report->executions, many);
    QCOMPARE(report->cutExecutions, 0);
    QVERIFY((std::clock() - start) / CLOCKS_PER_SEC < 4);
    const auto folded = TraceStore::open(file("deepfolded.longpole"));
    QVERIFY(folded.ok());
    QCOMPARE((*folded)->processor(ProcessorId{0})->busy, length);
    QCOMPARE((*folded)->processor(ProcessorId{1})->idle, length);
}

// Idle time that reaches over two iterations, and others beside it.
void TestFoldedTrace::longSpans()
{
    const auto whole = nestedAndIdle({{0, 5}}, {{6, 25}, {8, 9}, {12, 13}, {26, 28}}, file("spans.longpole"));
    QVERIFY(whole);
    const std::vector<TimeRange> iterations{{0, 10}, {10, 20}, {20, 30}};
    QVERIFY(foldTrace(*whole, iterations, file("spansfolded.longpole"), Progress{}).ok());
    const auto folded = TraceStore::open(file("spansfolded.longpole"));
    QVERIFY(folded.ok());
    QCOMPARE(rowsOf(**folded, ChunkKind::Idle, 0, {0, 1}), (Rows{{6, 4}, {8, 1}}));
    QCOMPARE(rowsOf(**folded, ChunkKind::Idle, 1, {0, 1}), (Rows{{0, 10}, {2, 1}}));
    QCOMPARE(rowsOf(**folded, ChunkKind::Idle, 2, {0, 1}), (Rows{{0, 5}, {6, 2}}));
}

void TestFoldedTrace::goingOn_data()
{
    QTest::addColumn<int>("executions");
    QTest::addColumn<int>("spans");
    QTest::addColumn<bool>("isFolded");
    QTest::newRow("some") << 10 << 1 << true;
    QTest::newRow("executions") << 1000 << 1 << false;
    QTest::newRow("idle") << 1 << 1000 << false;
}

// What lies over all iterations has a row in each.
void TestFoldedTrace::goingOn()
{
    QFETCH(const int, executions);
    QFETCH(const int, spans);
    QFETCH(const bool, isFolded);
    constexpr TimeNs count = 100, length = 10;
    const TimeRange all{0, count * length};
    const auto whole = nestedAndIdle(std::vector(std::size_t(executions), all), std::vector(std::size_t(spans), all),
                                     file("goingon.longpole"));
    QVERIFY(whole);
    std::vector<TimeRange> iterations;
    for (TimeNs i = 0; i < count; ++i) iterations.push_back({i * length, (i + 1) * length});
    const QString target = file("goingonfolded.longpole");
    const auto report = foldTrace(*whole, iterations, target, Progress{});
    QCOMPARE(report.ok(), isFolded);
    QCOMPARE(QFile::exists(target), isFolded);
    if (isFolded) QCOMPARE(report->executions, executions * count);
    else QVERIFY(report.error().what.startsWith(QStringLiteral("PE 0: too much goes on")));
    QFile::remove(target);
    QFile::remove(file("goingon.longpole"));
}

// Each of 200,000 would fill all tiles of the iteration: minutes.
void TestFoldedTrace::idleOverEachOther()
{
    constexpr TimeNs ms = 1'000'000;
    std::vector<TimeRange> idle;
    for (TimeNs i = 0; i < 200'000; ++i) idle.push_back({ms + i, 49 * ms + i});
    const auto whole = nestedAndIdle({{0, 50 * ms}, {50 * ms, 100 * ms}}, idle, file("over.longpole"));
    QVERIFY(whole);
    QElapsedTimer timer;
    timer.start();
    const QString target = file("overfolded.longpole");
    const auto report = foldTrace(*whole, std::vector<TimeRange>{{0, 50 * ms}, {50 * ms, 100 * ms}}, target,
                                  Progress{});
    QVERIFY2(report.ok(), report ? "" : qPrintable(toText(report.error())));
    QVERIFY2(timer.elapsed() < 20'000, qPrintable(QString::number(timer.elapsed())));
    const auto folded = TraceStore::open(target);
    QVERIFY(folded.ok());
    QCOMPARE((*folded)->info().idle, 48 * ms + 199'999);  // a PE idles once at a time
    QVERIFY((*folded)->info().isFolded() && !requireRun(**folded));
    QVERIFY(!whole->info().isFolded() && requireRun(*whole).ok());
}

void TestFoldedTrace::lengths()
{
    QCOMPARE(foldedLength(std::vector<TimeRange>{}), 0);
    QCOMPARE(foldedLength(std::vector<TimeRange>{{0, 5}}), 5);
    QCOMPARE(foldedLength(std::vector<TimeRange>{{0, 5}, {5, 11}, {11, 15}, {15, 115}}), 6);
}

void TestFoldedTrace::wrongQuestions()
{
    Written run;
    run.tasks = {{{.begin = 0, .duration = 9}}};
    run.messages.resize(1);
    const auto whole = store(run, file("short.longpole"));
    QVERIFY(!foldTrace(*whole, std::vector<TimeRange>{{0, 5}}, file("none.longpole"), Progress{}).ok());
    std::vector<TimeRange> many;
    for (TimeNs i = 0; i < mostFoldedRows + 1; ++i) many.push_back({i, i + 1});
    QVERIFY(!foldTrace(*whole, many, file("none.longpole"), Progress{}).ok());
    Progress stopped;
    stopped.cancel();
    QVERIFY(!foldTrace(*whole, std::vector<TimeRange>{{0, 5}, {5, 9}}, file("none.longpole"), stopped).ok());
    QVERIFY(!QFile::exists(file("none.longpole")));
}

// What the programs did: wave2d 60 and 2500 steps, the last of the systems of gauss_seidel 60 and the others 8 to 16 at
// the same time (from 126 ms on it is alone), jacobi2d 40, stencil3d 100, chain_and_bulk 20, pipeline 20. The elapsed
// path passes through nearly every step; the work path stays on a processor for two where nothing holds it up.
void TestFoldedTrace::iterationsOfRealPrograms_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("isElapsed");
    QTest::addColumn<EdgeLevel>("edges");
    QTest::addColumn<int>("iterations");
    const auto row = [](const char* name, bool isElapsed, EdgeLevel edges, int iterations) {
        QTest::addRow("%s %d %d", name, int(isElapsed), int(edges))
            << QString::fromLatin1(name) << isElapsed << edges << iterations;
    };
    row("wave2d_p6", true, EdgeLevel::Order, 60);
    row("wave2d_p6", false, EdgeLevel::Order, 55);
    row("gauss_seidel_p8", false, EdgeLevel::Messages, 60);
    row("gauss_seidel_p8", false, EdgeLevel::Order, 70);
    row("jacobi2d_sdag_p4", true, EdgeLevel::Order, 42);
    row("jacobi2d_sdag_p4", false, EdgeLevel::Order, 43);
    row("stencil3d_lb_p4", false, EdgeLevel::Order, 102);
    row("chain_and_bulk_p6", true, EdgeLevel::Order, 20);
    row("pipeline_p6", false, EdgeLevel::Order, 20);
}

void TestFoldedTrace::iterationsOfRealPrograms()
{
    QFETCH(const QString, name);
    QFETCH(const bool, isElapsed);
    QFETCH(const EdgeLevel, edges);
    QFETCH(const int, iterations);
    if (!RealTraces::has(name)) QSKIP("not there");
    const auto store = m_traces.open(name);
    QVERIFY(store.ok());
    const auto graph = loadActivityGraph(**store, Progress{});
    QVERIFY(graph.ok());
    const auto path = isElapsed ? elapsedPath(**graph)
                                : workPath(**graph, workHeads(**graph, dependencies(**graph, edges), Progress{}));
    QVERIFY(path.ok());
    const auto found = pathPhases(*path, {.options = {.count = 1}}, Progress{});
    QVERIFY(found.ok());
    QVERIFY(found->phases[0].proven);
    QCOMPARE(int(phasePieces(*found, found->phases[0], PhaseCut::Iterations).size()), iterations);
}

void TestFoldedTrace::realTraces_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("isPhase");
    for (const QString& name : RealTraces::names())
        for (const bool isPhase : {true, false})
            QTest::newRow(qPrintable(name + (isPhase ? QStringLiteral(", phase") : QStringLiteral(", random"))))
                << name << isPhase;
}

// Busy and idle time of every row are what the original has in that time; sums of tiles, bins and profile agree; what
// came from a message was sent before it began.
void TestFoldedTrace::realTraces()
{
    QFETCH(const QString, name);
    QFETCH(const bool, isPhase);
    const auto whole = m_traces.open(name);
    QVERIFY(whole.ok());
    if (!(*whole)->hasEvents()) QSKIP("a summary");
    std::vector<TimeRange> ranges;
    if (isPhase) {
        const auto graph = loadActivityGraph(**whole, Progress{});
        QVERIFY(graph.ok());
        const auto path = workPath(**graph, workHeads(**graph, dependencies(**graph, EdgeLevel::Order), Progress{}));
        QVERIFY(path.ok());
        const auto found = pathPhases(*path, {.options = {.count = 1}}, Progress{});
        if (found->phases.empty()) QSKIP("nothing repeats");
        ranges = rangesOf(phasePieces(*found, found->phases[0], PhaseCut::Iterations));
        if (ranges.size() < 2) QSKIP("one iteration");
    } else {
        std::mt19937_64 random(7);
        std::vector<TimeNs> cuts;
        const TimeRange run = (*whole)->info().range();
        for (int i = 0; i < 40; ++i) cuts.push_back(run.begin + TimeNs(random() % std::uint64_t(run.length())));
        std::sort(cuts.begin(), cuts.end());
        for (std::size_t i = 0; i + 1 < cuts.size(); i += 2) ranges.push_back({cuts[i], cuts[i + 1]});
        std::erase_if(ranges, [](const TimeRange& range) { return range.isEmpty(); });
    }
    const QString target = file("real.longpole");
    QFile::remove(target);
    const auto report = foldTrace(**whole, ranges, target, Progress{});
    QVERIFY2(report.ok(), report ? "" : qPrintable(toText(report.error())));
    const auto opened = TraceStore::open(target);
    QVERIFY2(opened.ok(), opened ? "" : qPrintable(toText(opened.error())));
    const TraceStore& folded = **opened;

    // The same stages of the original: iterations as far as the axis goes, and what lies between them.
    Stages stages;
    std::vector<std::size_t> stageOf;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        TimeNs end = std::min(ranges[i].end, ranges[i].begin + report->length);
        if (i + 1 < ranges.size()) end = std::min(end, ranges[i + 1].begin);
        if (end <= ranges[i].begin) continue;
        if (stages.edges.empty() || stages.edges.back() < ranges[i].begin) stages.edges.push_back(ranges[i].begin);
        stageOf.push_back(stages.edges.size() - 1);
        stages.edges.push_back(end);
    }
    QCOMPARE(std::int64_t(stageOf.size()), report->iterations);
    std::vector<ProcessorId> pes;
    for (const Processor& processor : (*whole)->processors())
        if (processor.kind != TrackKind::CommThread) pes.push_back(processor.pe);
    for (const char* attribute : {"user", "idle"}) {
        const auto what = parseAttribute(QLatin1String(attribute), **whole);
        QVERIFY(what.ok());
        const auto there = project(**whole, *what, stages, pes, nullptr, Progress{});
        QVERIFY(there.ok());
        for (std::size_t pe = 0; pe < pes.size(); ++pe)
            for (std::size_t i = 0; i < stageOf.size(); ++i) {
                const Processor* row = folded.processor(ProcessorId(std::uint32_t(pe * stageOf.size() + i)));
                QVERIFY(row);
                const TimeNs time = qstrcmp(attribute, "user") == 0 ? row->busy : row->idle;
                QCOMPARE(time, there->counts[pe * stages.count() + stageOf[i]]);
            }
    }
    TimeNs busy = 0;
    for (const ProfileRow& row : folded.profile()) busy += row.exclusive;
    QCOMPARE(busy, folded.info().busy);
    const auto overview = folded.overview();
    QVERIFY(overview.ok());
    TimeNs tiles = 0;
    std::int64_t tasks = 0;
    for (const TileBin& bin : overview->bins) {
        tiles += bin.busy;
        tasks += bin.tasks;
    }
    QCOMPARE(tiles, folded.info().busy);
    QCOMPARE(tasks, folded.info().tasks);
    const auto graph = loadActivityGraph(folded, Progress{});
    QVERIFY2(graph.ok(), graph ? "" : qPrintable(toText(graph.error())));
    const auto longest = workPath(**graph, workHeads(**graph, dependencies(**graph, EdgeLevel::Order), Progress{}));
    QVERIFY(longest.ok());
    QVERIFY(longest->length <= report->length);
}

// Each execution is of an entry method of its own.
void TestFoldedTrace::manyEntryMethods()
{
    constexpr std::uint32_t many = 140'000;
    {
        auto writer = TraceWriter::create(file("entries.longpole"));
        QVERIFY(writer.ok());
        addSmallDefinitions(**writer);
        for (std::uint32_t i = 2; i < many; ++i)
            (*writer)->add(Entry{.id = EntryId{i}, .name = QStringLiteral("f"), .chare = QStringLiteral("Main")});
        TraceInfo info;
        info.processors = 2;
        info.begin = 1000;
        info.end = 1000 + 2 * many;
        (*writer)->setInfo(info);
        auto stream = (*writer)->stream(0);
        for (std::uint32_t i = 0; i < many; ++i)
            stream->append(ChunkKind::Task, TrackId{10}, taskRow(1000 + 2 * i, 1001 + 2 * i, i));
        for (std::uint32_t i = 0; i < many; ++i)
            stream->append(ChunkKind::TaskSource, TrackId{10}, Row{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0});
        stream->close();
        QVERIFY((*writer)->finish(Progress()).ok());
    }
    const auto whole = TraceStore::open(file("entries.longpole"));
    QVERIFY(whole.ok());
    const std::clock_t start = std::clock();
    const std::vector<TimeRange> iterations{{1000, 1000 + many}, {1000 + many, 1000 + 2 * many}};
    const auto report = foldTrace(**whole, iterations, file("folded-entries.longpole"), Progress{});
    QVERIFY2(report.ok(), report ? "" : qPrintable(toText(report.error())));
    QCOMPARE(report->executions, std::int64_t{many});
    QVERIFY((std::clock() - start) / CLOCKS_PER_SEC < 4);
    const auto folded = TraceStore::open(file("folded-entries.longpole"));
    QVERIFY(folded.ok());
    QCOMPARE((*folded)->profile().size(), std::size_t{many});
}

LONGPOLE_TEST(TestFoldedTrace)
#include "tst_foldedtrace.moc"
