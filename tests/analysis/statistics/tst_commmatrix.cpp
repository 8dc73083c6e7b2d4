// SPDX-License-Identifier: GPL-3.0-or-later
// Who sent to whom: against brute force on random traces, and on real ones against the totals of the import.
#include "analysis/randomtrace.h"
#include "analysis/realtraces.h"
#include "analysis/statistics/commmatrix.h"

#include "core/trace/columns.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <random>

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
