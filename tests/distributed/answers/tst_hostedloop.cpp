// SPDX-License-Identifier: GPL-3.0-or-later
// Drawn programs that were recorded with call stacks: several processes, each with the calls of its own ranks only,
// find the outermost loop, its marks and the rounds of phases that are found in the trace of the whole run.
#include "analysis/paths/criticalpath.h"
#include "analysis/phases/callrounds.h"
#include "analysis/phases/rounds.h"
#include "distributed/answers/hostedloop.h"
#include "distributed/answers/hostedpath.h"
#include "distributed/transport/threadwire.h"

#include "support/mpi/mpiprogram.h"
#include "support/mpi/unrulywire.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <mutex>
#include <random>

using namespace longpole;
using namespace longpole::tests;

namespace {

constexpr std::uint32_t loopPrograms = 150;
constexpr std::uint32_t places = 9;

// A loop over steps, with loops in it, around what is called from some places; ranks may leave some of these out.
// Before and behind it there may be other loops. All that is drawn is the same for each source of one seed.
class DrawnLoops {
public:
    explicit DrawnLoops(std::uint32_t seed) : m_random(seed), m_program(1 + below(6))
    {
        addCall(1, noCallPath, 0);
        addCall(3, 2, 1);
        addCall(5, 2, 2);
        for (std::uint32_t place = 0; place < places; ++place)
            m_program.addCallPath({.id = placeId(place),
                                   .parent = place < 4   ? 1u
                                             : place < 7 ? 3u
                                                         : 5u,
                                   .isPlace = true,
                                   .function = QStringLiteral("f%1").arg(place / 3),
                                   .file = QStringLiteral("/loops.c"),
                                   .line = static_cast<int>(place) + 1,
                                   .module = {}});
        meetAll();
        if (below(2) == 0) repeat(2 + below(6), {below(2)});
        if (below(8) != 0) outer();
        if (below(3) == 0) repeat(3 + below(4), {7 + below(2)});
        meetAll();
        for (std::uint32_t rank = 0; rank < ranks(); ++rank)
            m_program.info().end = std::max(m_program.info().end, m_program.rank(rank).now());
    }
    ScriptedMpi& program() { return m_program; }
    std::uint32_t ranks() const { return m_program.names().ranks; }

private:
    static std::uint32_t placeId(std::uint32_t place) { return place + 7; }
    // A function and the place in it from which others are called.
    void addCall(std::uint32_t function, std::uint32_t parent, int line)
    {
        CallPath path{.id = function,
                      .parent = parent,
                      .function = QStringLiteral("g%1").arg(function),
                      .file = {},
                      .module = {}};
        m_program.addCallPath(path);
        path.id = function + 1;
        path.parent = function;
        path.isPlace = true;
        path.file = QStringLiteral("/calls.c");
        path.line = line + 1;
        m_program.addCallPath(path);
    }
    std::uint32_t below(std::uint32_t most) { return static_cast<std::uint32_t>(m_random() % most); }

    void outer()
    {
        const std::uint32_t steps = 3 + below(12);
        const std::array first{2 + below(2), 4 + below(3)};
        const bool isEven = below(3) != 0, endsWithMark = below(4) == 0;
        const std::uint32_t inner = 1 + below(5), alone = below(ranks() + 2);
        for (std::uint32_t step = 0; step < steps; ++step) {
            if (!endsWithMark) repeat(1, {first[0]});
            repeat(isEven ? inner : 1 + below(5), {first[1], 7}, alone);
            if (endsWithMark) repeat(1, {first[0]});
            if (below(3) == 0) meetAll();
        }
    }
    // `alone`: a rank that makes none of these calls, if there is one of that number.
    void repeat(std::uint32_t times, const std::vector<std::uint32_t>& from, std::uint32_t alone = 1000)
    {
        for (std::uint32_t i = 0; i < times; ++i)
            for (const std::uint32_t place : from)
                for (std::uint32_t rank = 0; rank < ranks(); ++rank)
                    if (rank != alone || ranks() == 1) call(rank, place);
    }
    void call(std::uint32_t rank, std::uint32_t place)
    {
        MpiThread& thread = m_program.rank(rank);
        thread.compute(1 + below(40));
        thread.begin(place % 2 == 0 ? "MPI_Comm_rank" : "MPI_Comm_size");
        if (place != 8) thread.event([path = placeId(place)](MpiEvents& events) { events.callPath(path); });
        thread.end(1 + below(10));
    }
    void meetAll()
    {
        TimeNs met = 0;
        for (std::uint32_t rank = 0; rank < ranks(); ++rank) met = std::max(met, m_program.rank(rank).now());
        for (std::uint32_t rank = 0; rank < ranks(); ++rank)
            m_program.rank(rank).barrier(met + below(5) - m_program.rank(rank).now());
    }

    std::mt19937 m_random;
    ScriptedMpi m_program;
};

QString timesText(const std::vector<TimeNs>& times)
{
    QString text;
    for (const TimeNs time : times) text += QStringLiteral(" %1").arg(time);
    return text;
}

QStringList loopLines(const CallLoop& loop, const std::vector<TimeNs>& marks)
{
    return {QStringLiteral("%1 from %2, %3 times, %4 to %5%6")
                .arg(loop.call)
                .arg(loop.path)
                .arg(loop.count)
                .arg(loop.range.begin)
                .arg(loop.range.end)
                .arg(loop.isMarkLast ? QStringLiteral(", ends iterations") : QString()),
            timesText(marks)};
}

QStringList roundLines(const PathPhases& phases)
{
    QStringList lines;
    for (const Phase& phase : phases.phases) {
        QString line = QStringLiteral("%1 symbols, %2 times:").arg(phase.pattern.size()).arg(phase.begins.size());
        for (const TimeRange& round : phase.rounds) line += QStringLiteral(" %1-%2").arg(round.begin).arg(round.end);
        lines << line;
    }
    return lines;
}

const PhaseQuestion shortPhases{.options = {.support = 2, .count = 3}, .collapse = true};

QStringList expectedLines(const TraceStore& store)
{
    const auto graph = loadActivityGraph(store, Progress{});
    const auto loop = programLoop(store, {}, Progress{});
    if (!graph || !loop) return {QStringLiteral("no answer")};
    QStringList lines;
    if (*loop) {
        const auto marks = loopMarks(store, {}, **loop, Progress{});
        if (!marks) return {toText(marks.error())};
        lines = loopLines(**loop, *marks);
    }
    const auto path = workPath(**graph, workHeads(**graph, EdgeLevel::Order, Progress{}));
    if (!path) return {toText(path.error())};
    auto phases = pathPhases(*path, shortPhases, Progress{});
    if (!phases || !findRounds(store, {}, *phases, Progress{})) return {QStringLiteral("no phases")};
    return lines + roundLines(*phases);
}

QStringList loopOfProcesses(std::uint32_t seed, int processes)
{
    QStringList lines;
    std::mutex mutex;
    const auto body = [&](Transport& transport) {
        DrawnLoops drawn(seed);
        std::mt19937 random(seed + static_cast<std::uint32_t>(processes));
        std::vector<std::uint32_t> borders{0};
        for (int i = 1; i < processes; ++i) borders.push_back(random() % (drawn.ranks() + 1));
        borders.push_back(drawn.ranks());
        std::sort(borders.begin(), borders.end());
        const Progress progress;
        HostingOptions options;
        options.isForTrace = false;
        const auto trace = hostSource(transport, drawn.program(), Hosting(borders), options, progress);
        if (!trace) return;
        const auto loop = hostedLoop(transport, *trace->store, progress);
        WorkPass pass(transport, *trace, trace->store->info().range(), progress);
        if (!loop || !pass.prepare()) return;
        const auto path = hostedWorkPath(pass, *trace->store, progress);
        if (!path || !transport.isRoot()) return;
        auto phases = pathPhases(path->path, shortPhases, progress);
        const std::lock_guard lock(mutex);
        if (!phases) return void(lines << toText(phases.error()));
        if (*loop) setLoop(*phases, (*loop)->loop, (*loop)->marks);
        lines = (*loop ? loopLines((*loop)->loop, (*loop)->marks) : QStringList()) + roundLines(*phases);
    };
    const Result<> ran = seed % 10 == 0 ? runUnruly(processes, seed, body, 100) : runOnThreads(processes, body);
    return ran ? lines : QStringList{toText(ran.error())};
}

}  // namespace

class TestHostedLoop : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void drawnLoops()
    {
        int loops = 0, visits = 0, rounds = 0;
        for (std::uint32_t seed = 1; seed <= loopPrograms; ++seed) {
            const QTemporaryDir folder;
            DrawnLoops drawn(seed);
            const auto store = importedProgram(drawn.program(), folder.path(), 1);
            QVERIFY(store);
            const QStringList wanted = expectedLines(*store);
            const std::optional<CallLoop> loop = *programLoop(*store, {}, Progress{});
            loops += loop.has_value() ? 1 : 0;
            visits += loop && loop->call == anyCall ? 1 : 0;
            rounds += static_cast<int>(wanted.filter(QStringLiteral("times:")).filter(QStringLiteral("-")).size());
            for (int processes = 1; processes <= 4; ++processes) {
                const QStringList found = loopOfProcesses(seed, processes);
                QVERIFY2(found == wanted,
                         qPrintable(QStringLiteral("seed %1, %2 processes:\n%3\ninstead of\n%4")
                                        .arg(seed)
                                        .arg(processes)
                                        .arg(found.join(QLatin1Char('\n')), wanted.join(QLatin1Char('\n')))));
            }
        }
        QVERIFY2(4 * loops > int{loopPrograms} && loops < int{loopPrograms}, qPrintable(QString::number(loops)));
        QVERIFY2(visits > 5 && 2 * visits < loops, qPrintable(QString::number(visits)));
        QVERIFY2(rounds > 10, qPrintable(QString::number(rounds)));
    }
};

LONGPOLE_TEST(TestHostedLoop)
#include "tst_hostedloop.moc"
