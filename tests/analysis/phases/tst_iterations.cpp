// SPDX-License-Identifier: GPL-3.0-or-later
// A program that ran n iterations shows n: of real traces whose programs say how many they run, against SQL's count of
// how often each object ran what begins them.
#include "analysis/asked.h"
#include "analysis/phases/phasequestions.h"
#include "analysis/realtraces.h"
#include "core/sql/sqlsession.h"
#include "support/testmain.h"

#include <QTest>

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
