// SPDX-License-Identifier: GPL-3.0-or-later
// What collective calls move from rank to rank: against its definition on random calls, and where there is very much.
#include "analysis/statistics/collectivetraffic.h"
#include "analysis/statistics/commmatrix.h"

#include "core/trace/columns.h"
#include "support/mpi/mpirows.h"
#include "support/testmain.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <ctime>
#include <map>
#include <random>
#include <tuple>

using namespace longpole;

namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

// A rank's call, made by its first thread or by its second one.
struct MadeCollective {
    std::uint32_t rank = 0;
    bool isOfSecond = false;
    TimeNs begin = 0;
    std::int64_t comm = 0;
    std::int64_t root = -1;
    bool isScan = false;
    std::int64_t sent = 0, received = 0;
};

// Two ranks are of one node.
Result<std::shared_ptr<const TraceStore>> writeCollectives(const QString& path, std::uint32_t ranks,
                                                           const std::vector<MadeCollective>& calls)
{
    auto writer = TraceWriter::create(path);
    if (!writer) return writer.error();
    const auto trackOf = [ranks](const MadeCollective& call) {
        return TrackId{1 + call.rank + (call.isOfSecond ? ranks : 0)};
    };
    (*writer)->add(Track{.id = TrackId{0}, .kind = TrackKind::Root, .name = QStringLiteral("run"), .pe = {}});
    (*writer)->add(Region{RegionId{0}, RegionKind::MpiCall, 0, QStringLiteral("MPI_Allreduce")});
    (*writer)->add(Region{RegionId{1}, RegionKind::MpiCall, 1, QStringLiteral("MPI_Exscan")});
    for (std::uint32_t i = 0; i < 2 * ranks; ++i) {
        const ProcessorId pe{i % ranks};
        const TrackKind kind = i < ranks ? TrackKind::Rank : TrackKind::Thread;
        (*writer)->add(
            Track{.id = TrackId{1 + i}, .parent = TrackId{0}, .kind = kind, .name = QString::number(i), .pe = pe});
        if (i >= ranks) continue;
        (*writer)->add(Processor{
            .pe = pe, .track = TrackId{1 + i}, .node = i / 2, .kind = TrackKind::Rank, .name = QString::number(i)});
    }
    auto stream = (*writer)->stream(0);
    std::int64_t seq = 0;
    for (const MadeCollective& call : calls) {
        Row row = callRow({.begin = call.begin,
                           .end = call.begin + 1,
                           .region = call.isScan ? 1 : 0,
                           .instance = seq,
                           .comm = call.comm,
                           .peer = call.root,
                           .bytes = call.sent + call.received},
                          seq);
        row[MpiCallColumn::Sent] = call.sent;
        stream->append(ChunkKind::MpiCall, trackOf(call), row);
        ++seq;
    }
    stream->close();
    TraceInfo info;
    info.format = recordingFormat;
    info.vocabulary = ProgramKind::Mpi;
    info.processors = ranks;
    info.end = calls.back().begin + 1;
    (*writer)->setInfo(info);
    if (const Result<> finished = (*writer)->finish(Progress()); !finished) return finished.error();
    return TraceStore::open(path);
}

// Group by group and pair by pair, of the calls that begin before `until` between chosen ranks.
std::map<Pair, std::int64_t> trafficByDefinition(const std::vector<MadeCollective>& calls, TimeNs until, bool byNode,
                                                 const std::vector<ProcessorId>& chosen)
{
    __extension__ using Wide = __int128;
    struct Sums {
        std::int64_t sent = 0, received = 0;
    };
    std::map<std::tuple<std::int64_t, std::int64_t, bool>, std::map<std::uint32_t, Sums>> groups;
    for (const MadeCollective& call : calls) {
        if (call.begin >= until || call.sent + call.received == 0) continue;
        Sums& sums = groups[{call.comm, call.root, call.isScan}][call.rank];
        sums.sent += call.sent;
        sums.received += call.received;
    }
    std::map<Pair, std::int64_t> traffic;
    const auto isChosen = [&chosen](std::uint32_t rank) {
        return chosen.empty() || std::find(chosen.begin(), chosen.end(), ProcessorId{rank}) != chosen.end();
    };
    const auto add = [&](std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
        if (from == to || bytes == 0 || !isChosen(from) || !isChosen(to)) return;
        traffic[byNode ? Pair{from / 2, to / 2} : Pair{from, to}] += bytes;
    };
    for (const auto& group : groups) {
        const std::int64_t root = std::get<1>(group.first);
        const bool isScan = std::get<2>(group.first);
        const std::map<std::uint32_t, Sums>& members = group.second;
        for (const auto& sender : members) {
            const std::uint32_t from = sender.first;
            if (root >= 0) {
                add(static_cast<std::uint32_t>(root), from, sender.second.received);
                if (from != root) add(from, static_cast<std::uint32_t>(root), sender.second.sent);
                continue;
            }
            std::vector<std::pair<std::uint32_t, std::int64_t>> weights;
            for (const auto& receiver : members)
                if (isScan ? receiver.first > from : receiver.first != from)
                    weights.emplace_back(receiver.first, isScan ? 1 : receiver.second.received);
            std::int64_t left = sender.second.sent, all = 0;
            for (const auto& weight : weights) all += weight.second;
            for (const auto& weight : weights) {
                if (all == 0) break;
                const auto part = static_cast<std::int64_t>(Wide{left} * weight.second / all);
                add(from, weight.first, part);
                left -= part;
                all -= weight.second;
            }
        }
    }
    return traffic;
}

}  // namespace

class TestCollectiveTraffic : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void trafficOfCollectiveCalls()
    {
        CommMatrix matrix;
        matrix.cells = {{0, 1, 2, 64, 2, 64}, {2, 0, 1, 8, 1, 8}};
        matrix.total = {0, 0, 3, 72, 3, 72};
        matrix.collective = {{.from = 0, .to = 1, .bytes = 10}, {.from = 1, .to = 0, .bytes = 5}};
        const CommMatrix both = withTraffic(matrix, CommTraffic::Both);
        QCOMPARE(both.cells, (std::vector<CommCell>{{0, 1, 2, 64, 2, 74}, {1, 0, 0, 0, 0, 5}, {2, 0, 1, 8, 1, 8}}));
        QCOMPARE(both.total.deliveredBytes, 87);
        const CommMatrix collective = withTraffic(matrix, CommTraffic::Collective);
        QCOMPARE(collective.cells, (std::vector<CommCell>{{0, 1, 0, 0, 0, 10}, {1, 0, 0, 0, 0, 5}}));
        QCOMPARE(collective.total.deliveredBytes, 15);
        QCOMPARE(withTraffic(matrix, CommTraffic::Messages).cells, matrix.cells);
        matrix.by = CommBy::Entry;
        QCOMPARE(withTraffic(matrix, CommTraffic::Both).cells, matrix.cells);
    }

    // A few groups, with and without a root, and scans; amounts whose products need more than 64 bits, too.
    void collectivesByDefinition()
    {
        const QTemporaryDir folder;
        std::mt19937_64 random(17);
        const auto below = [&random](std::int64_t most) {
            return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
        };
        std::size_t pairs = 0;
        for (int round = 0; round < 40; ++round) {
            const auto ranks = static_cast<std::uint32_t>(2 + below(7));
            const std::int64_t largest = round % 2 == 0 ? 100 : std::int64_t{1} << 40;
            std::vector<MadeCollective> calls;
            for (TimeNs begin = 0; begin < 60; ++begin) {
                MadeCollective call{.rank = static_cast<std::uint32_t>(below(ranks)), .begin = begin};
                call.isOfSecond = below(3) == 0;
                call.comm = below(3);
                call.root = below(2) == 0 ? below(ranks) : -1;
                call.isScan = call.root < 0 && below(3) == 0;
                if (below(4) != 0) call.sent = below(largest);
                if (below(4) != 0) call.received = below(largest);
                calls.push_back(call);
            }
            const auto store = writeCollectives(folder.filePath(QString::number(round)), ranks, calls);
            QVERIFY2(store.ok(), store ? "" : qPrintable(store.error().what));
            CommRequest request{.by = below(2) == 0 ? CommBy::Pe : CommBy::Node};
            if (below(3) == 0) request.range = {0, 40};
            if (below(3) == 0) request.pes = {ProcessorId{1}, ProcessorId{0}};
            const auto found = collectiveTraffic(**store, request, Progress{});
            QVERIFY(found.ok() && found->has_value());
            std::map<Pair, std::int64_t> traffic;
            for (const CommCell& cell : **found) {
                QCOMPARE(cell.messages + cell.deliveries, 0);
                QVERIFY(traffic.emplace(Pair{cell.from, cell.to}, cell.bytes).second);
            }
            QCOMPARE(traffic, trafficByDefinition(calls, request.range.isEmpty() ? 60 : 40, request.by == CommBy::Node,
                                                  request.pes));
            pairs += traffic.size();
        }
        QVERIFY(pairs > 100);
    }

    // On many communicators what ranks send has many parts: these take not much longer than to read the calls.
    void manyCommunicators()
    {
        constexpr std::uint32_t ranks = 250;
        constexpr std::int64_t rounds = 200;
        const QTemporaryDir folder;
        const auto secondsFor = [&folder](std::int64_t comms, std::int64_t& bytes) {
            std::vector<MadeCollective> calls;
            for (std::int64_t round = 0; round < rounds; ++round)
                for (std::uint32_t rank = 0; rank < ranks; ++rank)
                    calls.push_back(
                        {.rank = rank, .begin = round, .comm = round % comms, .sent = 1000, .received = 1000});
            const auto store = writeCollectives(folder.filePath(QString::number(comms)), ranks, calls);
            const std::clock_t begun = std::clock();
            const auto found = collectiveTraffic(**store, {}, Progress{});
            const double seconds = double(std::clock() - begun) / CLOCKS_PER_SEC;
            bytes = 0;
            if (found && *found)
                for (const CommCell& cell : **found) bytes += cell.bytes;
            return seconds;
        };
        std::int64_t ofOne = 0, ofMany = 0;
        const double one = secondsFor(1, ofOne), many = secondsFor(rounds, ofMany);
        QCOMPARE(ofOne, ranks * rounds * 1000);
        QCOMPARE(ofMany, ofOne);
        QVERIFY2(many < 20 * one + 0.2, qPrintable(QStringLiteral("%1 s, not %2 s").arg(many).arg(one)));
    }

    // Calls that lead between too many pairs are left out, and the rest of the matrix is there.
    void tooManyPairs()
    {
        constexpr std::uint32_t ranks = 4000;
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("ranks.longpole"));
        {
            auto writer = TraceWriter::create(path);
            QVERIFY(writer.ok());
            (*writer)->add(Track{.id = TrackId{0}, .kind = TrackKind::Root, .name = QStringLiteral("run"), .pe = {}});
            (*writer)->add(Region{RegionId{0}, RegionKind::MpiCall, 0, QStringLiteral("MPI_Allreduce")});
            auto stream = (*writer)->stream(0);
            for (std::uint32_t rank = 0; rank < ranks; ++rank) {
                const TrackId track{rank + 1};
                const ProcessorId pe{rank};
                const QString name = QString::number(rank);
                (*writer)->add(
                    Track{.id = track, .parent = TrackId{0}, .kind = TrackKind::Rank, .name = name, .pe = pe});
                (*writer)->add(Processor{.pe = pe, .track = track, .kind = TrackKind::Rank, .name = name});
                Row call = callRow({.begin = 0, .end = 1, .instance = 0, .comm = 0, .bytes = 16 * ranks}, 0);
                call[MpiCallColumn::Sent] = 8 * ranks;
                stream->append(ChunkKind::MpiCall, track, call);
            }
            stream->close();
            TraceInfo info;
            info.format = recordingFormat;
            info.vocabulary = ProgramKind::Mpi;
            info.processors = ranks;
            info.end = 1;
            (*writer)->setInfo(info);
            QVERIFY((*writer)->finish(Progress()).ok());
        }
        const auto store = TraceStore::open(path);
        QVERIFY(store.ok());
        const auto matrix = commMatrix(**store, {}, Progress{});
        QVERIFY(matrix.ok());
        QVERIFY(!matrix->hasCollective && matrix->collective.empty());
        const auto few = commMatrix(**store, {.by = CommBy::Node}, Progress{});
        QVERIFY(few.ok() && few->hasCollective);  // of nodes there are few pairs
    }
};

LONGPOLE_TEST(TestCollectiveTraffic)
#include "tst_collectivetraffic.moc"
