// SPDX-License-Identifier: GPL-3.0-or-later
// Who sent to whom: against brute force on random traces, and on real ones against the totals of the import.
#include "analysis/randomtrace.h"
#include "analysis/realtraces.h"
#include "analysis/statistics/collectivetraffic.h"
#include "analysis/statistics/commmatrix.h"

#include "core/trace/columns.h"
#include "support/mpi/mpirows.h"
#include "support/testmain.h"

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

// An execution whose creation is known. Messages of random traces have 64 bytes.
struct Execution {
    std::uint32_t fromPe, toPe, fromEntry, toEntry;
    TimeNs begin;
    std::int64_t message;
};
constexpr std::int64_t messageBytes = 64;

std::map<std::pair<std::uint32_t, std::int64_t>, int> deliveriesOf(const std::vector<Execution>& executions)
{
    std::map<std::pair<std::uint32_t, std::int64_t>, int> times;
    for (const Execution& execution : executions) ++times[{execution.fromPe, execution.message}];
    return times;
}

std::vector<Execution> executionsOf(const TraceStore& store, std::int64_t& others)
{
    std::vector<Execution> found;
    for (const Processor& processor : store.processors()) {
        const auto refs = store.chunks(ChunkKind::Task, processor.track);
        const auto sources = store.chunks(ChunkKind::TaskSource, processor.track);
        for (std::size_t i = 0; i < refs.size(); ++i) {
            const auto rows = *store.read(refs[i]);
            const auto from = *store.read(sources[i]);
            for (std::uint32_t r = 0; r < refs[i].rows; ++r) {
                if (from->at(TaskSourceColumn::MessageIndex, r) < 0) {
                    ++others;
                    continue;
                }
                const TaskId source{ProcessorId{std::uint32_t(from->at(TaskSourceColumn::SourcePe, r))},
                                    std::uint32_t(from->at(TaskSourceColumn::SourceIndex, r))};
                const bool hasTask = from->at(TaskSourceColumn::Link, r) != std::int64_t(Link::NoTask);
                found.push_back({std::uint32_t(from->at(TaskSourceColumn::CreatorPe, r)), index(processor.pe),
                                 hasTask ? index(store.task(source)->entry) : noSender,
                                 std::uint32_t(rows->at(TaskColumn::Entry, r)), rows->at(TaskColumn::Begin, r),
                                 from->at(TaskSourceColumn::MessageIndex, r)});
            }
        }
    }
    return found;
}

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

std::map<Pair, CommCell> cellsOf(const CommMatrix& matrix)
{
    std::map<Pair, CommCell> cells;
    for (const CommCell& cell : matrix.cells) cells[{cell.from, cell.to}] = cell;
    return cells;
}

}  // namespace

class TestCommMatrix : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void againstBruteForce()
    {
        QTemporaryDir folder;
        std::mt19937 random(11);
        std::size_t cellsSeen = 0;
        for (unsigned seed = 0; seed < 80; ++seed) {
            const auto store = RandomTrace(seed).write(folder.filePath(QString::number(seed)));
            QVERIFY(store.ok());
            std::int64_t others = 0;
            const std::vector<Execution> executions = executionsOf(**store, others);
            CommRequest request{.by = random() % 2 == 0 ? CommBy::Pe : CommBy::Entry};
            const auto begin = std::int64_t(random() % 20);
            if (random() % 2 == 0) request.range = {begin, begin + 10};
            if (random() % 2 == 0) request.pes = {ProcessorId{0}, ProcessorId{1}};
            if (random() % 4 == 0) request.fromPe = ProcessorId{0};
            if (random() % 4 == 0) request.toPe = ProcessorId{1};
            if (random() % 4 == 0) request.fromEntry = EntryId{1};
            if (random() % 4 == 0) request.toEntry = EntryId{2};
            std::map<Pair, CommCell> expected;
            CommCell outside;
            const auto deliveries = deliveriesOf(executions);
            for (const Execution& e : executions) {
                if (!request.range.isEmpty() && !request.range.contains(e.begin)) continue;
                if (request.fromPe && index(*request.fromPe) != e.fromPe) continue;
                if (request.toPe && index(*request.toPe) != e.toPe) continue;
                if (request.fromEntry && index(*request.fromEntry) != e.fromEntry) continue;
                if (request.toEntry && index(*request.toEntry) != e.toEntry) continue;
                const bool isFrom = request.pes.empty() || e.fromPe < 2;
                const bool isTo = request.pes.empty() || e.toPe < 2;
                if (isFrom != isTo) ++outside.deliveries;
                if (!isFrom || !isTo) continue;
                const bool isByPe = request.by == CommBy::Pe;
                const Pair pair{isByPe ? e.fromPe : e.fromEntry, isByPe ? e.toPe : e.toEntry};
                CommCell& cell = expected[pair];
                const std::int64_t one = deliveries.at({e.fromPe, e.message}) == 1 ? 1 : 0;
                cell = {pair.first,          pair.second,
                        cell.messages + one, cell.bytes + messageBytes * one,
                        cell.deliveries + 1, cell.deliveredBytes + messageBytes};
            }
            const auto found = commMatrix(**store, request, Progress{});
            QVERIFY(found.ok());
            QCOMPARE(cellsOf(*found), expected);
            QCOMPARE(found->cells.size(), expected.size());
            QCOMPARE(found->outside.deliveries, outside.deliveries);
            cellsSeen += expected.size();
        }
        QVERIFY(cellsSeen > 100);
    }

    void whatNobodyExecuted()
    {
        QTemporaryDir folder;
        for (unsigned seed = 0; seed < 30; ++seed) {
            const auto store = RandomTrace(seed).write(folder.filePath(QString::number(seed)));
            std::int64_t expected = 0;
            std::int64_t executed = 0;
            std::int64_t shared = 0;
            std::int64_t all = 0;
            for (const ChunkRef& ref : (*store)->chunks(ChunkKind::MessageExecutions)) {
                const auto chunk = *(*store)->read(ref);
                for (std::uint32_t r = 0; r < ref.rows; ++r) {
                    expected += chunk->at(MessageExecutionsColumn::Executions, r) == 0 ? 1 : 0;
                    executed += chunk->at(MessageExecutionsColumn::Executions, r);
                    shared += chunk->at(MessageExecutionsColumn::Executions, r) > 1 ? 1 : 0;
                    ++all;
                }
            }
            const auto found = commMatrix(**store, {}, Progress{});
            QCOMPARE(found->unexecuted.messages, expected);
            QCOMPARE(found->unexecuted.bytes, messageBytes * expected);
            QCOMPARE(found->unattributed.messages, shared);
            QCOMPARE(found->total.deliveries, executed);
            QCOMPARE(found->total.messages, all);
            QCOMPARE(found->total.bytes, messageBytes * all);
        }
    }

    void sums()
    {
        const std::vector<CommCell> cells{{0, 0, 0, 0, 1, 10}, {0, 1, 0, 0, 2, 20}, {1, 0, 0, 0, 4, 40}};
        const std::vector<CommSum> sums = commSums(cells);
        QCOMPARE(sums.size(), std::size_t(2));
        QCOMPARE(sums[0].sent, 3);
        QCOMPARE(sums[0].sentBytes, 30);
        QCOMPARE(sums[0].received, 5);
        QCOMPARE(sums[0].innerBytes, 10);
        QCOMPARE(sums[1].receivedBytes, 20);
        QCOMPARE(sums[1].inner, 0);
    }

    void realTraces_data() { RealTraces::addRows(); }
    void realTraces()
    {
        QFETCH(QString, name);
        const auto opened = m_traces.open(name);
        if (!opened) QSKIP("not imported");
        const TraceStore& store = **opened;
        std::int64_t bytes = -1;
        for (const CommBy by : {CommBy::Pe, CommBy::Node, CommBy::Entry}) {
            const auto matrix = commMatrix(store, {.by = by}, Progress{});
            QVERIFY(matrix.ok());
            QCOMPARE(matrix->total.deliveries + matrix->unknownSenders, store.info().tasks);
            QCOMPARE(matrix->total.messages, store.info().messages);
            QCOMPARE(store.info().messages - matrix->unexecuted.messages, store.info().messagesMatched);
            QCOMPARE(matrix->outside, CommCell{});
            CommCell sum;
            CommCell inner;
            for (const CommCell& cell : matrix->cells) {
                sum.messages += cell.messages;
                sum.bytes += cell.bytes;
                sum.deliveries += cell.deliveries;
                sum.deliveredBytes += cell.deliveredBytes;
                if (cell.from == cell.to) inner.deliveries += cell.deliveries;
            }
            QCOMPARE(sum.deliveries, matrix->total.deliveries);
            QCOMPARE(sum.deliveredBytes, matrix->total.deliveredBytes);
            QCOMPARE(sum.messages + matrix->unattributed.messages + matrix->unexecuted.messages,
                     matrix->total.messages);
            QCOMPARE(sum.bytes + matrix->unattributed.bytes + matrix->unexecuted.bytes, matrix->total.bytes);
            if (by == CommBy::Node) QCOMPARE(inner.deliveries, matrix->inNode.deliveries);
            if (bytes >= 0) QCOMPARE(matrix->total.deliveredBytes, bytes);
            bytes = matrix->total.deliveredBytes;
            for (const CommSum& end : commSums(matrix->cells)) sum.deliveries -= end.sent;
            QCOMPARE(sum.deliveries, 0);
        }
    }

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

    void cancelled()
    {
        QTemporaryDir folder;
        const auto store = RandomTrace(3).write(folder.filePath(QStringLiteral("t")));
        Progress progress;
        progress.cancel();
        QVERIFY(!commMatrix(**store, {.by = CommBy::Entry}, progress).ok());
    }

private:
    RealTraces m_traces;
};

LONGPOLE_TEST(TestCommMatrix)
#include "tst_commmatrix.moc"
