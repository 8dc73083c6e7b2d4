// SPDX-License-Identifier: GPL-3.0-or-later
// A program that ran n iterations shows n: of real traces whose programs say how many they run, against SQL's count of
// how often each object ran what begins them.
#include "analysis/asked.h"
#include "analysis/phases/phasequestions.h"
#include "analysis/phases/rounds.h"
#include "analysis/realtraces.h"
#include "core/smalltrace.h"
#include "core/sql/sqlsession.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <ctime>

using namespace longpole;

namespace {

// What `report`, `phases`, `project --stages iterations` and `fold` ask.
PathPhasesQuestion iterationsOfRun(EdgeLevel edges = EdgeLevel::Merges, std::size_t count = 1)
{
    return {.path = {.edges = edges}, .phases = {.options = {.count = count}}};
}

// How often the objects run an entry method, those that run it most often. Without an index each PE has an object.
std::int64_t mostByObject(const std::shared_ptr<const TraceStore>& store, std::uint32_t entry)
{
    const auto session = SqlSession::open(store);
    std::int64_t most = -1;
    const QString query = QStringLiteral(
                              "SELECT max(times) FROM (SELECT count(*) AS times FROM task WHERE entry = %1 GROUP BY "
                              "object, CASE WHEN (SELECT dimensions FROM chare JOIN entry ON chare_id = chare.id WHERE "
                              "entry.id = %1) > 0 THEN 0 ELSE pe END)")
                              .arg(entry);
    const auto ran = (*session)->run(
        query, [](const QStringList&) {},
        [&](std::span<const QVariant> cells) {
            most = cells[0].toLongLong();
            return true;
        },
        Progress{});
    return ran ? most : -1;
}

}  // namespace

class TestIterations : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void asManyAsTheProgramRan_data()
    {
        QTest::addColumn<int>("ran");
        const auto row = [](const char* name, int ran) { QTest::newRow(name) << ran; };
        row("jacobi2d_sdag_p4", 40);     // its command line
        row("gauss_seidel_p8", 60);      // of the last system, which is on the path
        row("chain_and_bulk_p6", 20);    // its source
        row("wave2d_p6", 61);            // 60 steps and the one that begins the first
        row("wave2d_net_p6", 61);        // the same program
        row("stencil3d_lb_p4", 100);     // each element begins so many, with load balancing every five
        row("pipeline_p6", 20);          // its source
        row("blocker_p6", 14);           // its source
        row("shared_variables_p6", 60);  // rounds, in its source
    }
    void asManyAsTheProgramRan()
    {
        QFETCH(const int, ran);
        const QString name = QString::fromLatin1(QTest::currentDataTag());
        if (!RealTraces::has(name)) QSKIP("not there");
        const auto store = m_traces.open(name);
        QVERIFY(store.ok());
        const auto found = asked(*store, iterationsOfRun());
        QVERIFY(found.ok() && !(*found)->phases.empty());
        const Phase& phase = (*found)->phases.front();
        const std::vector<TimeRange> iterations = rangesOf(phasePieces(**found, phase, PhaseCut::Iterations));
        QCOMPARE(int(iterations.size()), ran);
        QCOMPARE(mostByObject(*store, phase.mark), std::int64_t{ran});
        for (std::size_t i = 0; i < iterations.size(); ++i) {
            QVERIFY(!iterations[i].isEmpty());
            if (i > 0) QCOMPARE(iterations[i].begin, iterations[i - 1].end);
        }
        // Who lists more phases finds the same first one.
        const auto several = asked(*store, iterationsOfRun(EdgeLevel::Merges, 5));
        QCOMPARE(rangesOf(phasePieces(**several, (*several)->phases.front(), PhaseCut::Iterations)), iterations);
    }

    // Pieces of the path are those of the rounds' time, one behind the other; a round may have none.
    void piecesAreInTheirRounds_data() { asManyAsTheProgramRan_data(); }
    void piecesAreInTheirRounds()
    {
        const QString name = QString::fromLatin1(QTest::currentDataTag());
        if (!RealTraces::has(name)) QSKIP("not there");
        const auto store = m_traces.open(name);
        const auto found = asked(*store, iterationsOfRun());
        QVERIFY(found.ok());
        std::size_t last = 0;
        for (const PhasePiece& piece : phasePieces(**found, (*found)->phases.front(), PhaseCut::Iterations)) {
            QVERIFY(piece.first >= last && piece.last >= piece.first);
            last = piece.last;
            for (std::size_t run = piece.first; run < piece.last; ++run)
                QVERIFY(piece.range.contains((*found)->rangeOf(run, run + 1).begin));
        }
    }

    // A path through many entry methods in turn, twice.
    void longIterations()
    {
        constexpr std::uint32_t many = 50'000;
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("long.longpole"));
        PathPhases phases;
        {
            auto writer = TraceWriter::create(path);
            QVERIFY(writer.ok());
            addSmallDefinitions(**writer);
            for (std::uint32_t i = 2; i < many + 2; ++i)
                (*writer)->add(Entry{.id = EntryId{i},
                                     .name = QStringLiteral("pass%1()").arg(i),
                                     .chare = QStringLiteral("Ring"),
                                     .chareId = ChareId{1}});
            TraceInfo info;
            info.processors = 2;
            info.end = 2 * TimeNs{many};
            (*writer)->setInfo(info);
            auto stream = (*writer)->stream(0);
            for (std::uint32_t i = 0; i < 2 * many; ++i) {
                const std::uint32_t symbol = 2 + i % many;
                stream->append(ChunkKind::Task, TrackId{10}, taskRow(i, i + 1, symbol));
                phases.path.symbols.push_back(symbol);
                phases.path.tasks.push_back({ProcessorId{0}, i});
                phases.path.parts.push_back({i, i + 1});
            }
            for (std::uint32_t i = 0; i < 2 * many; ++i)
                stream->append(ChunkKind::TaskSource, TrackId{10}, Row{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0});
            stream->close();
            QVERIFY((*writer)->finish(Progress()).ok());
        }
        const auto store = TraceStore::open(path);
        QVERIFY(store.ok());
        phases.searched = everySymbol(phases.path.symbols);
        Phase phase{.rootLength = many};
        phase.pattern.assign(phases.path.symbols.begin(), phases.path.symbols.begin() + many);
        phases.phases.push_back(phase);
        const std::clock_t start = std::clock();
        QVERIFY(findRounds(**store, {}, phases, Progress{}).ok());
        QVERIFY((std::clock() - start) / CLOCKS_PER_SEC < 3);
        QCOMPARE(phases.phases[0].mark, 2u);
        QCOMPARE(phases.phases[0].rounds, (std::vector<TimeRange>{{0, many}, {many, 2 * TimeNs{many}}}));
    }

    void cancelled()
    {
        const auto store = m_traces.open(QStringLiteral("chain_and_bulk_p6"));
        QVERIFY(store.ok());
        Progress progress;
        progress.cancel();
        QVERIFY(!asked(*store, iterationsOfRun(), progress).ok());
    }

private:
    RealTraces m_traces;
};

LONGPOLE_TEST(TestIterations)
#include "tst_iterations.moc"
