// SPDX-License-Identifier: GPL-3.0-or-later
// One location of an MPI run: its code between calls as tasks, its regions as nested intervals.
#include "core/trace/columns.h"
#include "importers/mpirows/readlocation.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QRegularExpression>
#include <QTest>

#include <map>
#include <random>

using namespace longpole;
using namespace longpole::test;

class TestMpiLocationRows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // Code outside of all regions is named after the calls around it; calls in which all wait have a hub.
    void codeBetweenCalls()
    {
        ScriptedMpi program(2);
        program.info().begin = 150;
        program.rank(0)
            .at(100)
            .init(50)
            .compute(10)
            .send(1, 7, 64, 5)
            .compute(20)
            .recv(1, 8, 32, 15)
            .compute(3)
            .finalize(7);
        ReadLocation read(program);
        QVERIFY(read.isRead());
        QCOMPARE(read.tasks(), lines("100+0 before MPI_Init\n"
                                     "100+0 MPI_Init\n"
                                     "150+10 MPI_Init to MPI_Send\n"
                                     "165+20 MPI_Send to MPI_Recv\n"
                                     "200+3 MPI_Recv to MPI_Finalize\n"
                                     "203+0 MPI_Finalize\n"
                                     "210+0 after MPI_Finalize"));
        QCOMPARE(read.calls(), lines("0 1 2 100..150\n2 - 3 160..165\n3 - 4 185..200\n4 5 6 203..210"));
        QCOMPARE(read.issues(), QString());
        QCOMPARE(read.result.first, 100);
        QCOMPARE(read.result.last, 210);
        QCOMPARE(read.result.records, 8);
        const MpiPiecesResult& pieces = *read.result.pieces;
        QCOMPARE(pieces.tasks, 7u);
        QCOMPARE(pieces.busy, 33);
        const std::vector<std::pair<std::uint32_t, TimeNs>> begins = {{0, 100}, {1, 100}, {2, 150}, {3, 165},
                                                                      {4, 200}, {5, 203}, {6, 210}};
        for (const auto& [row, begin] : begins) QCOMPARE(pieces.begins.at(row), begin);
        // The code before the send sent.
        const auto sender = std::find_if(pieces.profile.begin(), pieces.profile.end(),
                                         [](const ProfileRow& row) { return row.messages == 1; });
        QVERIFY(sender != pieces.profile.end());
        QCOMPARE(sender->bytes, 64);
        QCOMPARE(sender->exclusive, 10);
        const MpiRank& rank = read.result.calls.rank;
        QCOMPARE(rank.sends.size(), std::size_t{1});
        QCOMPARE(rank.sends[0].completion, 1u);
        QCOMPARE(rank.receives.size(), std::size_t{1});
        QCOMPARE(rank.receives[0].from, 1u);
        QCOMPARE(rank.collectives.size(), std::size_t{2});
        QCOMPARE(rank.collectives[1].kind, CollectiveKind::Lifetime);
    }

    // Borders of regions split code; a piece of no length is only there where a call needs one, and named after what
    // comes next.
    void regionsSplitCode()
    {
        ScriptedMpi program(2);
        auto& rank = program.rank(0);
        rank.enter("main").compute(10).enter("f").compute(5).send(1, 0, 8, 4).compute(3).leave("f");
        rank.enter("g").send(1, 0, 8, 4).leave("g").compute(2).leave("main");
        rank.compute(6).enter("f").compute(1).leave("f").compute(1).barrier(2).enter("g").compute(7).leave("g");
        ReadLocation read(program);
        QCOMPARE(read.tasks(), lines("0+10 main\n"
                                     "10+5 f\n"
                                     "19+3 f\n"
                                     "26+2 main\n"
                                     "28+6 after main\n"
                                     "34+1 f\n"
                                     "35+1 after f\n"
                                     "36+0 MPI_Barrier\n"
                                     "38+7 g"));
        QCOMPARE(read.calls(), lines("1 - 2 15..19\n2 - 3 22..26\n6 7 8 36..38"));
        QCOMPARE(read.intervals(), lines("0+28-16 depth 0 main\n"
                                         "10+12-4 depth 1 f\n"
                                         "22+4-4 depth 1 g\n"
                                         "34+1-0 depth 0 f\n"
                                         "38+7-0 depth 0 g"));
        QCOMPARE(read.result.pieces->begins.at(1), 10);
        QCOMPARE(read.result.pieces->begins.at(6), 35);
        QCOMPARE(read.result.pieces->busy, 10 + 5 + 3 + 2 + 6 + 1 + 1 + 7);
        TimeNs inBins = 0;
        for (const TimeNs time : read.sink.entryBins.time) inBins += time;
        QCOMPARE(inBins, read.result.pieces->busy);
        QCOMPARE(read.issues(), QString());
    }

    // Code from a call to a region is named after the region: regions say more than calls.
    void beforeARegion()
    {
        ScriptedMpi program(2);
        program.rank(0).barrier(2).compute(3).enter("f").compute(4).leave("f");
        ReadLocation read(program);
        QCOMPARE(read.tasks(), lines("0+0 before MPI_Barrier\n0+0 MPI_Barrier\n2+3 before f\n5+4 f"));
    }

    // The tool's own time is in no task.
    void measurement()
    {
        ScriptedMpi program(2);
        auto& rank = program.rank(0);
        constexpr auto tool = MpiRegionKind::Measurement;
        rank.enter("main").compute(10).enter("flush", tool).compute(5).enter("inner").compute(1).leave("inner");
        rank.leave("flush", tool).compute(2).send(1, 0, 8, 4).enter("flush", tool).compute(3).leave("flush", tool);
        rank.send(1, 0, 8, 4).leave("main");
        ReadLocation read(program);
        QCOMPARE(read.tasks(), lines("0+10 main\n16+2 main\n22+0 main\n25+0 main\n29+0 after main"));
        QCOMPARE(read.calls(), lines("1 - 2 18..22\n3 - 4 25..29"));
        QCOMPARE(read.result.pieces->busy, 12);
        QCOMPARE(read.result.pieces->flush, 9);
        using Rows = std::vector<std::vector<std::int64_t>>;
        const auto flush = static_cast<std::int64_t>(OverheadKind::Flush);
        QCOMPARE(read.sink.rows(ChunkKind::Overhead), (Rows{{10, 6, flush}, {22, 3, flush}}));
    }

    // Where the tool works for itself, the code around it goes on: it is named by the calls around both.
    void ownWork()
    {
        ScriptedMpi program(2);
        auto& rank = program.rank(0);
        constexpr auto tool = MpiRegionKind::Measurement;
        const auto flush = [&rank](int time) { rank.enter("own", tool).compute(time).leave("own", tool); };
        rank.barrier(2).compute(3);
        flush(5);
        rank.compute(1);
        flush(2);
        flush(1);
        rank.send(1, 0, 8, 4);
        flush(6);
        rank.compute(7).enter("f").compute(1).leave("f").compute(2);
        flush(1);
        program.ownWork("own");
        for (const bool keepsAll : {false, true}) {
            ReadLocation read(program, 0, keepsAll);
            QCOMPARE(read.tasks(),
                     lines("0+0 before MPI_Barrier\n0+0 MPI_Barrier\n2+3 MPI_Barrier to MPI_Send\n"
                           "10+1 MPI_Barrier to MPI_Send\n13+0 MPI_Barrier to MPI_Send\n14+0 MPI_Barrier to MPI_Send\n"
                           "18+0 before f\n24+7 before f\n31+1 f\n32+2 after f\n35+0 after f"));
            QCOMPARE(read.result.pieces->busy, 3 + 1 + 7 + 1 + 2);
            QCOMPARE(read.result.pieces->flush, 5 + 2 + 1 + 6 + 1);
        }
    }

    // Threads have no tasks.
    void threadsHaveIntervals()
    {
        ScriptedMpi program(2);
        auto& thread = program.addThread(1, "worker");
        thread.at(5)
            .enter("loop", MpiRegionKind::Runtime)
            .compute(3)
            .recv(0, 1, 8, 2)
            .leave("loop", MpiRegionKind::Runtime);
        thread.counter("memory", 1.5).mark("note", QStringLiteral("here"));
        ReadLocation read(program, 2);
        QVERIFY(!read.result.pieces);
        QCOMPARE(read.intervals(2), lines("5+5-2 depth 0 loop"));
        QCOMPARE(read.calls(), lines("- - - 8..10"));
        QCOMPARE(read.sink.rows(ChunkKind::Counter, 2).size(), std::size_t{1});
        QCOMPARE(read.sink.rows(ChunkKind::Counter, 2)[0][CounterColumn::Time], 10);
        QCOMPARE(read.sink.rows(ChunkKind::Mark, 2)[0][MarkColumn::Text], std::int64_t{2} << 32);
        QCOMPARE(read.result.texts, std::vector<QString>{QStringLiteral("here")});
    }

    void issues_data()
    {
        using Write = std::function<void(MpiThread&)>;
        QTest::addColumn<Write>("write");
        QTest::addColumn<QString>("issues");
        QTest::addColumn<QString>("tasks");
        const auto row = [](const char* name, const Write& write, const char* issues, const char* tasks) {
            QTest::newRow(name) << write << QString::fromLatin1(issues) << QString::fromLatin1(tasks);
        };
        row(
            "none", [](MpiThread&) {}, "", "");
        row(
            "a point", [](MpiThread& t) { t.counter("c", 1); }, "", "");
        row(
            "no calls", [](MpiThread& t) { t.counter("c", 1).compute(5).counter("c", 1); }, "", "0+5 outside MPI");
        row(
            "other region left",
            [](MpiThread& t) { t.enter("f").enter("g").compute(1).leave("f").compute(2).leave("g"); },
            "region_mismatch*2", "0+1 g,1+2 f");
        row(
            "left twice", [](MpiThread& t) { t.enter("f").compute(1).leave("f").leave("f"); }, "leave_without_enter",
            "0+1 f");
        row(
            "never left", [](MpiThread& t) { t.enter("f").compute(1).enter("g").compute(1).counter("c", 1); },
            "open_region*2", "0+1 f,1+1 g");
        row(
            "call without end", [](MpiThread& t) { t.compute(1).begin("MPI_Recv").compute(4).counter("c", 1); },
            "open_region", "1+0 before MPI_Recv,5+0 after MPI_Recv");
        row(
            "end without call", [](MpiThread& t) { t.end(1); }, "leave_without_enter", "");
        row(
            "call in a call", [](MpiThread& t) { t.begin("MPI_Recv").compute(4).call("MPI_Wait", 2); },
            "call_inside_call", "0+0 before MPI_Recv,4+0 MPI_Recv to MPI_Wait,6+0 after MPI_Wait");
        row(
            "back in time", [](MpiThread& t) { t.at(10).enter("f").at(5).send(1, 0, 0, 1).at(12).leave("f"); },
            "time_backwards*2", "10+0 f,10+2 f");
        row(
            "stray", [](MpiThread& t) { t.event([](MpiEvents& e) { e.send(blocking, 0, 1, 0, 0, false); }); },
            "stray_communication", "");
        row(
            "rank out of range", [](MpiThread& t) { t.send(9, 0, 0, 1); }, "rank_out_of_range",
            "0+0 before MPI_Send,1+0 after MPI_Send");
        row(
            "region in a call",
            [](MpiThread& t) {
                t.begin("MPI_Reduce").enter("op").compute(3).leave("op").end(0).enter("f").compute(1).leave("f");
            },
            "", "0+0 before MPI_Reduce,3+1 f");
    }
    void issues()
    {
        QFETCH(std::function<void(MpiThread&)>, write);
        ScriptedMpi program(2);
        write(program.rank(0));
        ReadLocation read(program);
        QTEST(read.issues(), "issues");
        QTEST(read.tasks().join(u','), "tasks");
    }

    // Deeper than any stack of the importer.
    void deepNesting()
    {
        ScriptedMpi program(1);
        auto& rank = program.rank(0);
        constexpr int depth = 65600;
        for (int i = 0; i < depth; ++i) rank.enter("f").compute(1);
        for (int i = 0; i < depth; ++i) rank.leave("f");
        ReadLocation read(program);
        QCOMPARE(read.issues(), QStringLiteral("deep_nesting*64"));
        QCOMPARE(read.sink.rows(ChunkKind::Interval).size(), std::size_t{65536});
        QCOMPARE(read.result.pieces->busy, depth);
    }

    // Intervals come in the order of entering, whatever was spilled.
    void intervalOrder()
    {
        std::mt19937 random(7);
        for (const std::size_t budget : {std::size_t{0}, std::size_t{1} << 30}) {
            Spill spill(QDir::tempPath(), budget);
            MpiIntervals intervals(spill);
            struct Known {
                TimeNs begin, end, nested;
                std::size_t depth;
                std::uint32_t region;
            };
            std::vector<Known> known;
            std::vector<std::size_t> open;
            TimeNs now = -1000;
            const auto leave = [&] {
                intervals.leave(now);
                Known& closed = known[open.back()];
                closed.end = now;
                open.pop_back();
                if (!open.empty()) known[open.back()].nested += closed.end - closed.begin;
            };
            for (std::uint32_t i = 0; i < 100000; ++i) {
                now += static_cast<TimeNs>(random() % 3);
                if (open.empty() || (open.size() < 40 && random() % 2 == 0)) {
                    open.push_back(known.size());
                    known.push_back({now, 0, 0, open.size() - 1, i});
                    intervals.enter(now, i);
                } else {
                    leave();
                }
            }
            while (!open.empty()) leave();
            std::size_t at = 0;
            intervals.give([&](const NestedInterval& interval) {
                const Known& expected = known[at++];
                QCOMPARE(interval.begin, expected.begin);
                QCOMPARE(interval.duration, expected.end - expected.begin);
                QCOMPARE(interval.nested, expected.nested);
                QCOMPARE(interval.depth, static_cast<std::uint32_t>(expected.depth));
                QCOMPARE(interval.region, expected.region);
            });
            QCOMPARE(at, known.size());
            QVERIFY(!spill.hasFailed());
        }
    }

    void taskBegins()
    {
        std::mt19937 random(13);
        TaskBegins begins;
        std::map<std::uint32_t, TimeNs> known;
        for (std::uint32_t row = 0; row < 5000; ++row) {
            if (random() % 8 != 0 && row / 1000 != 2) continue;
            known[row] = TimeNs{row} * 3;
            begins.add(row, TimeNs{row} * 3);
            begins.add(row, 0);
        }
        for (const auto& [row, begin] : known) QCOMPARE(begins.at(row), begin);
    }
};

LONGPOLE_TEST(TestMpiLocationRows)
#include "tst_mpilocationrows.moc"
