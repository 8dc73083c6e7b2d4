// SPDX-License-Identifier: GPL-3.0-or-later
// What another process sends is not trusted: places, cuts, borders and kinds that cannot be end the analysis with an
// error, at all processes.
#include "core/store/tracestore.h"
#include "distributed/answers/elapsedwalk.h"
#include "distributed/answers/hostedelapsed.h"
#include "distributed/lyingwire.h"
#include "distributed/matching/hosting.h"
#include "distributed/recording/hostedrun.h"
#include "distributed/recording/wholetrace.h"
#include "distributed/simulation/madeprogram.h"
#include "distributed/simulation/madesource.h"
#include "distributed/transport/threadwire.h"
#include "support/testmain.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::tests;

namespace {

// Finds the elapsed path of a made run of some ranks, and writes its trace, with two processes, of which one lies.
Result<> analyzed(const LyingWire::Alter& alter, std::size_t liar = 1)
{
    const QTemporaryDir folder;
    const SimulatedRun run{allMadePatterns().front(), 4, 12, 5};
    std::vector<std::unique_ptr<Wire>> wires = threadWires(2);
    wires[liar] = std::make_unique<LyingWire>(std::move(wires[liar]), alter);
    return runOnThreads(std::move(wires), [&](Transport& transport) {
        MadeSource source(run);
        const Hosting hosting = Hosting::balanced(std::vector<std::uint64_t>(run.ranks, 0), transport.processes());
        const Result<HostedTrace> trace = hostSource(transport, source, hosting, {}, Progress{});
        if (!trace) return transport.fail(trace.error());
        const Progress progress;
        WorkPass pass(transport, *trace, trace->store->info().range(), progress);
        if (!pass.prepare() || !hostedElapsedPath(pass, *trace->store, Progress{})) return;
        static_cast<void>(writeWholeTrace(transport, *trace, folder.filePath(QStringLiteral("t.longpole")),
                                          Progress{}));
    });
}

}  // namespace

class TestLyingProcesses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingIsAltered()
    {
        int placed = 0, given = 0;  // that there is something to lie about
        const Result<> ran = analyzed([&](std::uint16_t tag, const Payload& bytes) {
            placed += bytes.size() == heading + 24 ? 1 : 0;
            given += isOfPass(tag, RecordingPass::GiveRows) ? 1 : 0;
        });
        QVERIFY2(ran.ok(), ran ? "" : qPrintable(toText(ran.error())));
        QVERIFY(placed > 0 && given > 0);
    }

    // Fewer cuts of all ranks together than one of them has.
    void cutsOfNoRun()
    {
        constexpr std::size_t shape = 32;
        const Result<> ran = analyzed(
            [](std::uint16_t tag, Payload& bytes) {
                if (tag < 2 * Transport::highestPass || bytes.size() != shape + heading) return;
                put(bytes, 0, std::uint64_t{0});
                put(bytes, 8, std::uint64_t{0});
            },
            0);
        QVERIFY(!ran);
        QVERIFY2(ran.error().what.contains(QStringLiteral("what cannot be")), qPrintable(ran.error().what));
    }

    // A walk that begins in a task that no rank has.
    void aPlaceOfNoTask()
    {
        const Result<> ran = analyzed([](std::uint16_t tag, Payload& bytes) {
            if (tag < 2 * Transport::highestPass || bytes.size() != heading + 24) return;
            put(bytes, 0, maxTime);
            put(bytes, 8, std::uint32_t{0});
            put(bytes, 12, std::uint32_t{1} << 30);
        });
        QVERIFY(!ran);
        QVERIFY2(ran.error().what.contains(QStringLiteral("that cannot be")), qPrintable(ran.error().what));
    }

    // Rows of a kind that there is not.
    void rowsOfNoKind()
    {
        const Result<> ran = analyzed([](std::uint16_t tag, Payload& bytes) {
            constexpr std::size_t kind = 1 + 8 + 8 + 4 + 8;  // behind what a batch and a chunk's ordinal and id take
            if (isOfPass(tag, RecordingPass::GiveRows)) put(bytes, kind, std::uint8_t{200});
        });
        QVERIFY(!ran);
        QVERIFY2(ran.error().what.contains(QStringLiteral("did not arrive whole")), qPrintable(ran.error().what));
    }

    void bordersOfRanks()
    {
        QVERIFY(Hosting({0, 3, 3, 7}).isOf(3));
        QVERIFY(!Hosting({0, 3, 7}).isOf(3));
        QVERIFY(!Hosting({0, 9, 3, 7}).isOf(3));
        QVERIFY(!Hosting({1, 3, 3, 7}).isOf(3));
        QVERIFY(!Hosting(std::vector<std::uint32_t>{}).isOf(0));
    }
};

LONGPOLE_TEST(TestLyingProcesses)
#include "tst_lyingprocesses.moc"
