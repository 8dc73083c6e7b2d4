// SPDX-License-Identifier: GPL-3.0-or-later
// Wait states and causes of imported MPI programs are those of the programs: what matching and the importer make of
// random programs leads to the same waits and the same delay costs as their own times do.
#include "analysis/base/cells.h"
#include "analysis/mpi/waitstates.h"
#include "support/mpi/mpiprogram.h"
#include "support/mpi/randomwaits.h"
#include "support/testmain.h"

#include <QRandomGenerator>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace longpole;

namespace {

struct Both {
    TimeNs direct = 0, propagated = 0;
};
using Causes = std::map<std::pair<QString, std::uint32_t>, Both>;  // by name of the code, rank

// Without the file that an imported region is grouped by.
QString codeName(const TraceStore& store, EntryId code)
{
    const Entry* const entry = store.entry(code);
    return entry != nullptr ? entry->name : nameOfCode(store, code);
}

Causes causesOf(const TraceStore& store, const WaitStates& found)
{
    Causes causes;
    for (const DelayCost& cost : found.causesByRank) {
        Both& both = causes[{codeName(store, cost.entry), cost.rank}];
        both.direct += cost.direct;
        both.propagated += cost.propagated;
    }
    return causes;
}

std::map<WaitStateKind, std::pair<std::int64_t, TimeNs>> statesOf(const WaitStates& found)
{
    std::map<WaitStateKind, std::pair<std::int64_t, TimeNs>> states;
    for (const WaitState& state : found.states)
        if (!isPartOfAnother(state.kind)) states[state.kind] = {state.count, state.time};
    return states;
}

void addCall(MpiThread& thread, const WrittenCall& call, const std::map<std::int64_t, std::uint32_t>& comms)
{
    const TimeNs length = call.end - call.begin;
    const auto peer = static_cast<std::uint32_t>(call.peer);
    const auto tag = static_cast<std::int32_t>(call.tag);
    thread.at(call.begin);
    switch (call.region) {
    case WaitProgram::Send: thread.send(peer, tag, 8, length); break;
    case WaitProgram::Ssend: thread.ssend(peer, tag, 8, length); break;
    case WaitProgram::Recv: thread.recv(peer, tag, 8, length); break;
    case WaitProgram::Barrier: thread.barrier(length, comms.at(call.comm)); break;
    case WaitProgram::Allreduce: thread.allreduce(8, length, comms.at(call.comm)); break;
    case WaitProgram::Bcast: thread.bcast(static_cast<std::int32_t>(call.peer), 8, length); break;
    default: QFAIL("a call that the programs do not have");
    }
}

// The same program as events of a source.
std::unique_ptr<ScriptedMpi> asSource(const WaitProgram& program)
{
    const MpiRows& rows = program.rows();
    const auto ranks = static_cast<std::uint32_t>(rows.ranks.size());
    auto source = std::make_unique<ScriptedMpi>(ranks);
    std::vector<std::uint32_t> part(std::max<std::size_t>(2, ranks / 2));
    std::iota(part.begin(), part.end(), 0u);
    const std::map<std::int64_t, std::uint32_t> comms{{100, 0}, {101, source->addCommunicator("part", part)}};
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        MpiThread& thread = source->rank(rank);
        std::size_t code = 0;
        const auto addCode = [&](std::size_t end) {
            for (; code < end; ++code) {
                const CodeRow& row = rows.ranks[rank].code[code];
                const QByteArray name = rows.regions[std::size_t(row.entry)].toUtf8();
                thread.at(row.begin).enter(name.constData()).at(row.end).leave(name.constData());
            }
        };
        for (const WrittenCall& call : rows.ranks[rank].calls) {
            addCode(std::size_t(call.task) + 1);
            addCall(thread, call, comms);
        }
        addCode(rows.ranks[rank].code.size());
    }
    return source;
}

}  // namespace

class TestImportedWaits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void sameAsTheProgram()
    {
        QRandomGenerator random(5);
        std::int64_t waits = 0;
        for (int run = 0; run < 30; ++run) {
            const QTemporaryDir folder;
            const WaitProgram program = randomProgram(random, 2 + std::uint32_t(random.bounded(5)), 40);
            const auto drawn = store(program.rows(), folder.filePath(QStringLiteral("drawn.longpole")));
            const auto imported = importedProgram(*asSource(program), folder.path());
            QVERIFY(drawn && imported);
            const auto expected = waitStates(*drawn, {}, Progress{});
            const auto found = waitStates(*imported, {}, Progress{});
            QVERIFY(expected.ok() && found.ok());
            QCOMPARE(found->total, expected->total);
            QVERIFY(statesOf(*found) == statesOf(*expected));
            QCOMPARE(found->unexplained, expected->unexplained);
            const Causes wanted = causesOf(*drawn, *expected);
            const Causes causes = causesOf(*imported, *found);
            for (const auto& [place, both] : wanted) {  // codes have other numbers, so shares are rounded elsewhere
                const auto other = causes.find(place);
                const Both got = other != causes.end() ? other->second : Both{};
                QVERIFY2(std::abs(both.direct - got.direct) < 40, qPrintable(place.first));
                QVERIFY2(std::abs(both.propagated - got.propagated) < 40, qPrintable(place.first));
            }
            for (const WaitState& state : found->states)
                for (const WaitInstance& worst : state.worst) {
                    const auto call = mpiCall(*imported, worst.rank, worst.seq);
                    QVERIFY(call.ok() && call->has_value());
                    QVERIFY(worst.wait.begin >= (*call)->range.begin && worst.wait.end <= (*call)->range.end);
                    ++waits;
                }
        }
        QVERIFY(waits > 500);
    }

    // rank 0  [work 10       ][Isend][1]........[Wait]
    // rank 1  [I][2][Wait....]          waits for rank 0's work in the call that completes the receive
    void requests()
    {
        ScriptedMpi program(2);
        program.rank(0).enter("work").compute(10).leave("work").isend(1, {1, 5, 8, 0}, 1).compute(1).wait(1, 1);
        program.rank(1).irecv(1, {0, 5, 8, 0}, 1).enter("work").compute(2).leave("work").wait(1, 9);
        const QTemporaryDir folder;
        const auto imported = importedProgram(program, folder.path());
        QVERIFY(imported);
        const auto found = waitStates(*imported, {}, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(found->states.size(), std::size_t(1));
        QVERIFY(found->states[0].kind == WaitStateKind::LateSender);
        QCOMPARE(found->total, 7);
        QCOMPARE(found->states[0].worst[0].culprit, 0);
        QCOMPARE(codeName(*imported, found->states[0].worst[0].meanwhile.entry), QStringLiteral("work"));
        QCOMPARE(found->causes.size(), std::size_t(1));
        QCOMPARE(codeName(*imported, found->causes[0].entry), QStringLiteral("work"));
        QCOMPARE(found->causes[0].direct, 7);
        QCOMPARE(found->unexplained, 0);
    }

    // rank 0, main   [work 20                  ]
    //         other            .........[S]
    // rank 1         [2][R..............]        waits for the other thread: what the main one ran is no reason
    void lateThread()
    {
        ScriptedMpi program(2);
        program.rank(0).enter("work").compute(20).leave("work").send(1, 6, 8, 1);
        program.addThread(0, "worker").at(10).send(1, 5, 8, 1);
        program.rank(1).compute(2).recv(0, 5, 8, 9).recv(0, 6, 8, 10);
        const QTemporaryDir folder;
        const auto imported = importedProgram(program, folder.path());
        QVERIFY(imported);
        const auto found = waitStates(*imported, {}, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(found->states.size(), std::size_t(1));
        const std::vector<WaitInstance>& worst = found->states[0].worst;
        QCOMPARE(worst.size(), std::size_t(2));
        QCOMPARE(worst[0].wait.length(), 9);
        QCOMPARE(codeName(*imported, worst[0].meanwhile.entry), QStringLiteral("work"));
        QCOMPARE(worst[1].wait.length(), 8);
        QCOMPARE(worst[1].culprit, 0);
        QVERIFY(worst[1].meanwhile.entry == noEntry);
        QVERIFY(!worst[1].meanwhile.task.isValid());
    }
};

LONGPOLE_TEST(TestImportedWaits)
#include "tst_importedwaits.moc"
