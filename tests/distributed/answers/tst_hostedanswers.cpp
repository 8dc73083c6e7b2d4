// SPDX-License-Identifier: GPL-3.0-or-later
// One to four processes say of drawn programs and real archives what is said of their traces: the paths, step by step,
// what the work path gains if regions cost nothing or more, the slack of all tasks, and the next longest paths.
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/nearcritical.h"
#include "analysis/paths/slack.h"
#include "analysis/whatif/zeroing.h"
#include "core/base/limits.h"
#include "distributed/answers/hostedelapsed.h"
#include "distributed/answers/hostedpath.h"
#include "distributed/answers/hostedslack.h"
#include "distributed/answers/hostedzeroing.h"
#include "distributed/archives.h"
#include "distributed/nearpaths/hostednear.h"
#include "distributed/transport/threadwire.h"
#include "importers/common/importer.h"

#include "distributed/algorithms/randomprogram.h"
#include "distributed/answers/drawnexecutions.h"
#include "distributed/answers/hostedanswers.h"
#include "support/mpi/mpirows.h"
#include "support/mpi/unrulywire.h"
#include "support/testmain.h"

#include <QDirIterator>
#include <QTemporaryDir>
#include <QTest>

#include <ctime>
#include <memory>
#include <mutex>
#include <utility>

using namespace longpole;
using namespace longpole::tests;

namespace {

constexpr int answeredPrograms = 250;
constexpr std::uint32_t strangeRuns = 150;
constexpr std::uint32_t drawnCharmRuns = 200;
constexpr int everyFew = 3;  // programs of which one is asked for slack twice, the second time for the first tasks

constexpr std::size_t tasksListed = 2000;
constexpr std::size_t tasksListedSlowly = 20;  // over a wire that takes long for many bytes

// Some programs are asked what they gain by halves, or lose if regions take longer.
Rational factorOf(std::uint32_t seed)
{
    if (seed % 4 == 1) return {1, 3};
    return seed % 4 == 2 ? Rational{5, 2} : Rational{0, 1};
}

QStringList zeroingLines(const std::vector<WhatIfAnswer>& answers)
{
    QStringList lines;
    for (const WhatIfAnswer& answer : answers) {
        lines << QStringLiteral("without entry %1: %2 of %3, %4, %5, then %6")
                     .arg(index(answer.question.entries.front()))
                     .arg(answer.gain)
                     .arg(answer.share)
                     .arg(answer.net)
                     .arg(answer.exactNet)
                     .arg(index(answer.nextCritical));
        for (const PathProfileRow& row : answer.profile)
            lines << QStringLiteral("  entry %1: %2 times, %3, %4")
                         .arg(index(row.entry))
                         .arg(row.count)
                         .arg(row.time)
                         .arg(row.share, 0, 'g', 17);
    }
    return lines;
}

QString slackLine(TaskId task, EntryId entry, TimeNs begin, TimeNs end, TimeNs slack)
{
    return QStringLiteral("%1 in %2 from %3 to %4: slack %5")
        .arg(taskText(task))
        .arg(index(entry))
        .arg(begin)
        .arg(end)
        .arg(slack);
}

// Some programs are asked for more paths, or for others.
NearCriticalOptions nearOptions(std::uint32_t seed)
{
    if (seed % 3 == 1) return {};
    if (seed % 3 == 2) return {.count = 4, .slackShare = 0.5, .distinctShare = 0.1};
    return {.count = 3, .slackShare = 1, .distinctShare = 0};
}

QStringList nearLines(TimeNs slack, TimeNs distinct, const CriticalPath& path)
{
    return QStringList{QStringLiteral("near path: slack %1, of its own %2").arg(slack).arg(distinct)} + pathLines(path);
}

QStringList expectedNear(const ActivityGraph& graph, const WhatIfModel& model, const Slack& slack,
                         const WorkHeads& heads, std::uint32_t seed)
{
    QStringList lines;
    const auto near = nearCriticalPaths(graph, model, slack, heads, nearOptions(seed), Progress());
    if (!near) return {toText(near.error())};
    for (const NearCriticalPath& one : *near) lines += nearLines(one.slack, one.distinct, *one.path);
    if (near->size() != 1) return lines;
    const auto other = nearCriticalPaths(graph, model, slack, heads, longestOther, Progress());
    if (!other) return {toText(other.error())};
    if (other->size() > 1)
        lines += QStringList{QStringLiteral("longest other one")}
                 + nearLines((*other)[1].slack, (*other)[1].distinct, *(*other)[1].path);
    return lines;
}

QStringList hostedNearLines(const CriticalPath& path, const HostedNear& near)
{
    QStringList lines;
    if (!path.steps.empty()) lines += nearLines(0, path.length, path);
    for (const HostedNearPath& one : near.paths) lines += nearLines(one.slack, one.distinct, one.path.path);
    if (near.longest)
        lines += QStringList{QStringLiteral("longest other one")}
                 + nearLines(near.longest->slack, near.longest->distinct, near.longest->path.path);
    return lines;
}

QStringList expectedAnswers(const TraceStore& store, std::uint32_t seed)
{
    const auto loaded = loadActivityGraph(store, Progress());
    if (!loaded) return {toText(loaded.error())};
    const ActivityGraph& graph = **loaded;
    const WorkHeads heads = workHeads(graph, EdgeLevel::Order, Progress());
    const auto path = workPath(graph, heads);
    const WhatIfModel model{PathMode::Work, heads.edges};
    const auto answers = path ? zeroing(graph, model, *path, Progress(), factorOf(seed))
                              : Result<std::vector<WhatIfAnswer>>(path.error());
    const auto slack = slackOfTasks(graph, model, &heads, Progress());
    const auto elapsed = elapsedPath(graph);
    if (!answers || !slack || !elapsed) return {QStringLiteral("no answers")};
    QStringList lines = pathLines(*path) + expectedNear(graph, model, **slack, heads, seed) + zeroingLines(*answers)
                        + pathLines(*elapsed);
    const std::vector<TimeNs>& all = (*slack)->slack;
    lines << QStringLiteral("%1 of %2 tasks without slack to %3")
                 .arg(std::count(all.begin(), all.end(), 0))
                 .arg(all.size())
                 .arg((*slack)->length);
    for (const std::uint32_t task : leastSlackFirst(**slack, maxTime, tasksListed))
        lines << slackLine(graph.id(task), EntryId{graph.entry[task]}, graph.begin[task], graph.end(task), all[task]);
    return lines;
}

QStringList hostedAnswers(const std::shared_ptr<const TraceStore>& store, const Hosting& hosting, std::uint32_t seed,
                          bool isUnruly, std::size_t& segments)
{
    QStringList lines;
    std::mutex mutex;
    const auto body = [&](Transport& transport) {
        const HostedTrace trace = hosted(store, hosting);
        const Progress progress;
        WorkPass pass(transport, trace, store->info().range(), progress);
        if (!pass.prepare()) return;
        const auto path = hostedWorkPath(pass, *store, Progress{});
        if (!path) return;
        TailPass tails(pass);
        tails.run();
        const auto slack = hostedSlack(pass, tails, isUnruly ? tasksListedSlowly : tasksListed, Progress{});
        if (!slack) return;
        const bool asksTwice = seed % everyFew == 0;
        const auto few = asksTwice ? hostedSlack(pass, tails, everyFew, Progress{})
                                   : Result<HostedSlack>(HostedSlack{});
        const auto near = hostedNearCritical(pass, std::move(tails), *path, *store, nearOptions(seed), Progress{});
        if (!near) return;
        const auto answers = hostedZeroing(pass, path->path, factorOf(seed), Progress{});
        const auto elapsed = hostedElapsedPath(pass, *store, Progress{});
        if (!few || !answers || !elapsed || !transport.isRoot()) return;
        const std::lock_guard lock(mutex);
        lines = pathLines(path->path) + hostedNearLines(path->path, *near) + zeroingLines(*answers)
                + pathLines(elapsed->path);
        lines << QStringLiteral("%1 of %2 tasks without slack to %3")
                     .arg(slack->without)
                     .arg(slack->tasks)
                     .arg(slack->length);
        for (const HostedTaskSlack& task : slack->least)
            lines << slackLine(task.task, task.entry, task.begin, task.end, task.slack);
        for (std::size_t i = 0; i < few->least.size(); ++i)
            if (i >= everyFew || few->least[i].task != slack->least[i].task)
                lines << QStringLiteral("others are first of few");
        segments = pass.segments();
    };
    const Result<> ran = isUnruly ? runUnruly(hosting.processes(), seed, body, 100)
                                  : runOnThreads(hosting.processes(), body);
    return ran ? lines : QStringList{toText(ran.error())};
}

MpiRows strangeRun(std::uint32_t seed)
{
    std::mt19937 random(seed);
    const auto below = [&random](std::uint32_t most) { return static_cast<TimeNs>(random() % most); };
    MpiRows run{.ranks = std::vector<RankRows>(1 + random() % 4),
                .regions = {QStringLiteral("MPI_Barrier")},
                .calls = 1};
    for (int i = 1; i < 5; ++i) run.regions.push_back(QStringLiteral("region %1").arg(i));
    const std::uint32_t tasks = 1 + random() % 25;
    for (RankRows& rank : run.ranks) {
        TimeNs now = below(4);
        for (std::uint32_t i = 0; i < tasks; ++i) {
            CodeRow task{.begin = now, .end = now + below(6), .entry = 1 + below(4)};
            if (below(3) != 0) {
                task.sourceRank = below(static_cast<std::uint32_t>(run.ranks.size()));
                task.sourceTask = below(std::min(i + 2, tasks));
                task.sourceLength = below(9) - 1;
                task.sent = now - below(8) + 1;
            }
            now = task.end + below(4);
            rank.code.push_back(task);
        }
    }
    return run;
}

}  // namespace

class TestHostedAnswers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void drawnRuns()
    {
        std::size_t most = 0;
        for (int seed = 1; seed <= answeredPrograms; ++seed) {
            const auto random = static_cast<std::uint32_t>(seed);
            const QTemporaryDir folder;
            RandomProgram program(random);
            const auto store = importedProgram(program.program(), folder.path(), 1);
            QVERIFY(store);
            most = std::max(most, compare(store, random));
            if (QTest::currentTestFailed()) {
                qInfo("seed %d", seed);
                return;
            }
        }
        QVERIFY2(most > 5, qPrintable(QString::number(most)));  // segments: cuts have been followed
    }

    // Archives of real programs.
    void archives_data() { longpole::test::addArchives(); }
    void archives()
    {
        QFETCH(QString, path);
        if (importerFor(path) == nullptr) QSKIP("built without the OTF2 library");
        const QTemporaryDir folder;
        const auto store = longpole::test::importedArchive(path, folder);
        QVERIFY(store);
        compare(store, 3);
    }

    // Runs of Charm++ programs, and executions as no program leaves them behind.
    void logs_data()
    {
        QTest::addColumn<QString>("path");
        for (const QString& name :
             QDir(QStringLiteral(LONGPOLE_TEST_DATA)).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            const QString path = QStringLiteral(LONGPOLE_TEST_DATA "/") + name;
            const Importer* const importer = importerFor(path);
            if (importer != nullptr && qstrcmp(importer->id, "projections") == 0)
                QTest::addRow("%s", qPrintable(name)) << path;
        }
    }
    void logs()
    {
        QFETCH(QString, path);
        const QTemporaryDir folder;
        const auto store = longpole::test::importedArchive(path, folder);
        QVERIFY(store);
        compare(store, 3);
    }
    void drawnExecutions()
    {
        for (std::uint32_t seed = 1; seed <= drawnCharmRuns; ++seed) {
            const QTemporaryDir folder;
            const auto store = DrawnExecutions(seed).store(folder.filePath(QStringLiteral("drawn.longpole")));
            QVERIFY(store);
            compare(store, seed);
            if (QTest::currentTestFailed()) {
                qInfo("seed %u", seed);
                return;
            }
        }
    }

    // Times that no clock gives: messages from later tasks, from the task itself, sent before their senders began or
    // after they had ended, and tasks that need each other at one instant.
    void strangeTimes()
    {
        for (std::uint32_t seed = 1; seed <= strangeRuns; ++seed) {
            const QTemporaryDir folder;
            const auto store = longpole::store(strangeRun(seed), folder.filePath(QStringLiteral("strange.longpole")));
            QVERIFY(store);
            const auto graph = loadActivityGraph(*store, Progress{});
            QVERIFY2(graph.ok(), qPrintable(graph.ok() ? QString() : toText(graph.error())));
            const auto wanted = elapsedPath(**graph);
            QVERIFY(wanted);
            for (int processes = 1; processes <= 4; ++processes) {
                const Hosting hosting = drawnHosting(*store, processes, seed);
                QStringList found;
                const Result<> ran = runOnThreads(processes, [&](Transport& transport) {
                    const HostedTrace trace = hosted(store, hosting);
                    const Progress progress;
                    WorkPass pass(transport, trace, store->info().range(), progress);
                    if (!pass.prepare()) return;
                    const auto path = hostedElapsedPath(pass, *store, progress);
                    if (path && transport.isRoot()) found = pathLines(path->path);
                });
                QVERIFY2(ran.ok(), qPrintable(ran.ok() ? QString() : toText(ran.error())));
                const QString what = difference("elapsed path", found, pathLines(*wanted));
                QVERIFY2(what.isEmpty(), qPrintable(QStringLiteral("seed %1: %2").arg(seed).arg(what)));
            }
        }
    }

    // More regions than are zeroed, each by itself: those with most time, with as much of their profiles as of a trace.
    void manyRegions()
    {
        constexpr std::int64_t many = 1100;
        MpiRows run{.ranks = std::vector<RankRows>(1), .regions = {QStringLiteral("MPI_Barrier")}, .calls = 1};
        for (std::int64_t i = 1; i <= many; ++i) {
            run.regions.push_back(QStringLiteral("region %1").arg(i));
            run.ranks[0].code.push_back({.begin = i * 10, .end = i * 10 + 1 + i % 7, .entry = i});
        }
        const QTemporaryDir folder;
        const auto trace = longpole::store(run, folder.filePath(QStringLiteral("regions.longpole")));
        QVERIFY(trace);
        const auto graph = loadActivityGraph(*trace, Progress{});
        QVERIFY(graph);
        const WorkHeads heads = workHeads(**graph, EdgeLevel::Order, Progress{});
        const auto path = workPath(**graph, heads);
        QVERIFY(path);
        const auto wanted = zeroing(**graph, {PathMode::Work, heads.edges}, *path, Progress{});
        QVERIFY(wanted);
        QCOMPARE(std::int64_t(wanted->size()), limits::zeroedEntries.free);
        std::vector<WhatIfAnswer> found;
        const Result<> ran = runOnThreads(1, [&](Transport& transport) {
            const HostedTrace whole = hosted(trace, Hosting({0, 1}));
            const Progress progress;
            WorkPass pass(transport, whole, trace->info().range(), progress);
            if (!pass.prepare()) return;
            const auto same = hostedWorkPath(pass, *trace, progress);
            if (!same) return;
            if (auto answers = hostedZeroing(pass, same->path, {0, 1}, progress)) found = std::move(*answers);
        });
        QVERIFY(ran.ok());
        QCOMPARE(found.size(), wanted->size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            QCOMPARE(found[i].question, (*wanted)[i].question);
            QCOMPARE(found[i].gain, (*wanted)[i].gain);
            QCOMPARE(found[i].nextCritical, (*wanted)[i].nextCritical);
            QCOMPARE(found[i].profile.size(), (*wanted)[i].profile.size());
        }
    }

    // A cut behind each of many tasks that take no time.
    void manyCuts()
    {
        constexpr TimeNs many = 100'000;
        MpiRows run;
        run.regions = {QStringLiteral("MPI_Barrier"), QStringLiteral("work")};
        run.calls = 1;
        run.ranks.resize(2);
        for (RankRows& rank : run.ranks)
            for (TimeNs i = 0; i < many; ++i) {
                rank.code.push_back({.begin = i, .end = i, .entry = 1});
                rank.calls.push_back({.begin = i, .end = i, .flags = MpiCallFlag::Synchronization, .task = i});
            }
        const QTemporaryDir folder;
        const auto trace = longpole::store(run, folder.filePath(QStringLiteral("cuts.longpole")));
        QVERIFY(trace);
        const Progress progress;
        std::size_t segments = 0;
        const std::clock_t start = std::clock();
        const Result<> ran = runOnThreads(1, [&](Transport& transport) {
            const HostedTrace both = hosted(trace, Hosting({0, 2}));
            WorkPass pass(transport, both, trace->info().range(), progress);
            if (pass.prepare()) segments = pass.segments();
        });
        QVERIFY(ran.ok());
        QVERIFY((std::clock() - start) / CLOCKS_PER_SEC < 3);
        QCOMPARE(segments, std::size_t(many + 1));
    }

private:
    // The number of segments.
    static std::size_t compare(const std::shared_ptr<const TraceStore>& store, std::uint32_t seed)
    {
        const QStringList wanted = expectedAnswers(*store, seed);
        std::size_t segments = 0;
        for (int processes = 1; processes <= 4; ++processes) {
            const bool isUnruly = processes == 3 && seed % 10 == 0;
            const Hosting hosting = drawnHosting(*store, processes, seed);
            const QStringList found = hostedAnswers(store, hosting, seed, isUnruly, segments);
            const qsizetype unlisted = isUnruly ? std::max<qsizetype>(0, wanted.size() - found.size()) : 0;
            const QString what = difference("answers", found, wanted.mid(0, wanted.size() - unlisted));
            if (!what.isEmpty())
                QTest::qFail(qPrintable(QStringLiteral("%1 processes, %2").arg(processes).arg(what)), __FILE__,
                             __LINE__);
            if (!what.isEmpty()) return segments;
        }
        return segments;
    }
};

LONGPOLE_TEST(TestHostedAnswers)
#include "tst_hostedanswers.moc"
