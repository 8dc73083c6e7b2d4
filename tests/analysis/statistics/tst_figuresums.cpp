// SPDX-License-Identifier: GPL-3.0-or-later
// Messages and bytes of matrices, attributes, histograms and profiles are those of the table of messages, which SQL
// adds up beside them; of all traces that are there, Charm++ and MPI.
#include "analysis/asked.h"
#include "analysis/graph/graphquestions.h"
#include "analysis/mpi/waitstates.h"
#include "analysis/projection/attribute.h"
#include "analysis/projection/projection.h"
#include "analysis/realtraces.h"
#include "analysis/statistics/distribution.h"
#include "analysis/statistics/efficiencyquestions.h"
#include "analysis/statistics/messagelatency.h"
#include "analysis/statistics/sumquestions.h"
#include "core/gappedtrace.h"
#include "core/smalltrace.h"
#include "core/sql/sqlsession.h"
#include "support/mpi/mpiprogram.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

#include <map>
#include <numeric>
#include <set>

using namespace longpole;

namespace {

// The rows of a SELECT, all of their cells as text.
std::vector<QStringList> selected(const std::shared_ptr<const TraceStore>& store, const QString& query)
{
    const auto session = SqlSession::open(store);
    std::vector<QStringList> rows;
    if (!session) return rows;
    const auto ran = (*session)->run(
        query, [](const QStringList&) {},
        [&](std::span<const QVariant> cells) {
            QStringList row;
            for (const QVariant& cell : cells) row << cell.toString();
            rows.push_back(row);
            return true;
        },
        Progress{});
    if (!ran) qCritical("%s", qPrintable(toText(ran.error())));
    return rows;
}

// What SQL says of all messages: how many, their bytes, how often they were delivered, and the bytes of that.
struct MessageSums {
    std::int64_t messages = 0, bytes = 0, deliveries = 0, deliveredBytes = 0;
    friend bool operator==(const MessageSums&, const MessageSums&) = default;
};

MessageSums inTable(const std::shared_ptr<const TraceStore>& store)
{
    const auto rows = selected(store, QStringLiteral("SELECT count(*), coalesce(sum(bytes), 0), "
                                                     "coalesce(sum(executions), 0), "
                                                     "coalesce(sum(bytes * executions), 0) FROM message"));
    if (rows.size() != 1) return {-1, -1, -1, -1};
    return {rows[0][0].toLongLong(), rows[0][1].toLongLong(), rows[0][2].toLongLong(), rows[0][3].toLongLong()};
}

MessageSums inMatrix(const CommMatrix& matrix)
{
    MessageSums sums;
    for (const CommCell& cell : matrix.cells) {
        sums.messages += cell.messages;
        sums.bytes += cell.bytes;
        sums.deliveries += cell.deliveries;
        sums.deliveredBytes += cell.deliveredBytes;
    }
    for (const CommCell* rest : {&matrix.unattributed, &matrix.unexecuted}) {
        sums.messages += rest->messages;
        sums.bytes += rest->bytes;
    }
    return sums;
}

// Of all stages and processors; 97 stages cut whatever there is.
std::int64_t ofAttribute(const TraceStore& store, const char* name)
{
    const auto attribute = parseAttribute(QLatin1String(name), store);
    const auto projection = project(store, *attribute, equalStages(store.info().range(), 97), {}, nullptr, Progress{});
    return projection ? projection->totalCount : -1;
}

}  // namespace

class TestFigureSums : public QObject {
    Q_OBJECT

private:
    static void traces()
    {
        QTest::addColumn<QString>("name");
        QStringList names = RealTraces::names();
        for (const char* archive :
             {"casita_4_mpi_ls_barr", "pipit_ping-pong", "sst_emberotf2", "casita_10_scorep_mpi_tags",
              "casita_2_jacobi_blame_cpu_050", "casita_1_scorep-ompt-host-nested"})
            names << QStringLiteral("otf2/") + QLatin1String(archive);
        for (const QString& name : names)
            if (name != QLatin1String("large")) QTest::newRow(qPrintable(name)) << name;
    }
    std::shared_ptr<const TraceStore> opened(const QString& name)
    {
        if (!RealTraces::has(name)) return nullptr;
        const auto store = m_traces.open(name);
        return store ? *store : nullptr;
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void messages_data() { traces(); }
    void messages()
    {
        QFETCH(const QString, name);
        const auto store = opened(name);
        if (!store || !store->hasEvents()) QSKIP("not there");
        const MessageSums expected = inTable(store);
        const TraceInfo& info = store->info();
        QCOMPARE(info.messages, expected.messages);
        for (const CommBy by : {CommBy::Pe, CommBy::Node, CommBy::Entry}) {
            const auto matrix = commMatrix(*store, {.by = by}, Progress{});
            QVERIFY(matrix.ok());
            QVERIFY(inMatrix(*matrix) == expected);
            QCOMPARE(matrix->total.messages, expected.messages);
            QCOMPARE(matrix->total.bytes, expected.bytes);
            QCOMPARE(matrix->total.deliveries, expected.deliveries);
            QCOMPARE(info.messages - matrix->unexecuted.messages, info.messagesMatched);
        }
        QCOMPARE(ofAttribute(*store, "messages_created"), expected.messages);
        QCOMPARE(ofAttribute(*store, "bytes_sent"), expected.bytes);
        QCOMPARE(ofAttribute(*store, "messages_processed"), expected.deliveries);
        QCOMPARE(ofAttribute(*store, "tasks_created"), expected.deliveries);
        QCOMPARE(ofAttribute(*store, "bytes_received"), expected.deliveredBytes);
        QCOMPARE(ofAttribute(*store, "messages_sent_in_node"), ofAttribute(*store, "messages_received_in_node"));
        QCOMPARE(ofAttribute(*store, "bytes_sent_in_node"), ofAttribute(*store, "bytes_received_in_node"));
        for (const DistributedQuantity of : {DistributedQuantity::Latency, DistributedQuantity::QueueWait})
            QCOMPARE(distribution(*store, {.of = of}, Progress{})->count, expected.deliveries);
        const auto sizes = distribution(*store, {.of = DistributedQuantity::MessageSize}, Progress{});
        QCOMPARE(sizes->count, expected.messages);
        QCOMPARE(sizes->sum, expected.bytes);
        for (const ProfileBy by : {ProfileBy::Entry, ProfileBy::Chare, ProfileBy::Pe, ProfileBy::Object}) {
            MessageSums sums;
            const auto lines = profile(*store, by, Progress{});
            QVERIFY(lines.ok());
            for (const ProfileLine& line : *lines) {
                sums.messages += line.messages;
                sums.bytes += line.bytes;
            }
            QCOMPARE(sums.messages, expected.messages);
            QCOMPARE(sums.bytes, expected.bytes);
        }
    }

    // Tasks and records have one number as well.
    void countsAgree_data() { traces(); }
    void countsAgree()
    {
        QFETCH(const QString, name);
        const auto store = opened(name);
        if (!store || !store->hasEvents()) QSKIP("not there");
        const TraceInfo& info = store->info();
        const auto rows = selected(
            store, QStringLiteral("SELECT (SELECT count(*) FROM task), (SELECT sum(count) FROM profile), sum(tasks), "
                                  "sum(messages), sum(records), (SELECT sum(count) FROM record_count) FROM processor"));
        QCOMPARE(rows.size(), std::size_t(1));
        for (const qsizetype column : {0, 1, 2}) QCOMPARE(rows[0][column].toLongLong(), info.tasks);
        QCOMPARE(rows[0][3].toLongLong(), info.messages);
        for (const qsizetype column : {4, 5}) QCOMPARE(rows[0][column].toLongLong(), info.records);
    }

    void usefulTimeIsBusyTime_data() { traces(); }
    void usefulTimeIsBusyTime()
    {
        QFETCH(const QString, name);
        const auto store = opened(name);
        if (!store || !store->hasEvents()) QSKIP("not there");
        const TimeRange run = store->info().range();
        const auto whole = asked(store, EfficiencyQuestion::of(*store, run));
        QVERIFY(whole.ok());
        const std::vector<TimeNs>& useful = (*whole)->useful;
        QCOMPARE(std::accumulate(useful.begin(), useful.end(), (*whole)->leftOutBusy), store->info().busy);
        // What the parts of a run have is what all of it has.
        TimeNs parts = 0;
        const TimeNs middle = run.begin + run.length() / 3;
        for (const TimeRange part : {TimeRange{run.begin, middle}, TimeRange{middle, run.end}}) {
            const auto found = asked(store, EfficiencyQuestion::of(*store, part));
            if (part.isEmpty() || !found) continue;
            for (const TimeNs time : (*found)->useful) parts += time;
            parts += (*found)->leftOutBusy;
        }
        if (run.length() > 3) QCOMPARE(parts, store->info().busy);
    }

    void regionsHaveTheirCalls_data() { traces(); }
    void regionsHaveTheirCalls()
    {
        QFETCH(const QString, name);
        const auto store = opened(name);
        if (!store || !store->info().hasRanks()) QSKIP("no MPI run, or not there");
        const auto lines = profile(*store, ProfileBy::Entry, Progress{});
        QVERIFY(lines.ok());
        std::map<QString, std::pair<std::int64_t, TimeNs>> found;
        TimeNs useful = 0;
        for (const ProfileLine& line : *lines) {
            auto& [calls, time] = found[line.name];
            calls += line.count;
            time += line.time;
            useful += line.exclusive - line.inMpi;
            QVERIFY(line.exclusive <= line.time);
            QVERIFY(line.share >= 0 && line.share <= 1);
        }
        QCOMPARE(useful, store->info().busy);
        const TimeRange run = store->info().range();
        const auto clipped =
            QStringLiteral("sum(max(0, min(end_ns, %1) - max(begin_ns, %2)))").arg(run.end).arg(run.begin);
        std::size_t compared = 0;
        for (const QStringList& row :
             selected(store, QStringLiteral("SELECT call, count(*), %1 FROM mpi_call GROUP BY call").arg(clipped))) {
            QCOMPARE(found[row[0]].first, row[1].toLongLong());
            QCOMPARE(found[row[0]].second, row[2].toLongLong());
            ++compared;
        }
        QVERIFY(compared > 0 || selected(store, QStringLiteral("SELECT * FROM mpi_call")).empty());
    }

    // Calls, their bytes and their waits have one number in attributes, SQL, the matrix and the list of waits.
    void callsAgree_data() { traces(); }
    void callsAgree()
    {
        QFETCH(const QString, name);
        const auto store = opened(name);
        if (!store || !store->info().hasRanks()) QSKIP("no MPI run, or not there");
        holdCalls(store);
    }

    // The same where every kind of call moves bytes, and threads call MPI.
    void callsOfAllKindsAgree()
    {
        ScriptedMpi program(3);
        for (std::uint32_t rank = 0; rank < 3; ++rank)
            program.rank(rank).init(2).compute(3 + 4 * rank).allreduce(24, 15 - 4 * rank).compute(2);
        program.rank(0).send(2, 1, 100, 3);
        program.rank(2).recv(0, 1, 100, 9);
        MpiThread& thread = program.addThread(2, "helper");
        thread.at(20).call("MPI_Win_lock", 3).call("MPI_Iprobe", 2);
        for (std::uint32_t rank = 0; rank < 3; ++rank) {
            const MpiMoved moved = rank == 1 ? MpiMoved{80, 0} : MpiMoved{0, 40};
            program.rank(rank).compute(1).begin("MPI_Bcast").event([moved](MpiEvents& events) {
                events.collective(blocking, 0, 1, moved, CollectiveKind::None);
            });
            program.rank(rank).end(6).finalize(2);
        }
        const QTemporaryDir folder;
        const auto store = importedProgram(program, folder.path());
        QVERIFY(store);
        holdCalls(store);
        QVERIFY(ofAttribute(*store, "collective_bytes_sent") > 0);
        QCOMPARE(ofAttribute(*store, "mpi_bytes_sent@MPI_Send"), 100);
        QCOMPARE(ofAttribute(*store, "mpi_bytes_received@MPI_Recv"), 100);
    }

    // PEs 0 and 3: messages are counted for as many PEs as there are, whatever their numbers.
    void numbersThatNoProcessorHas()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("gap.longpole"));
        const auto written = writeGappedTrace(path, 40, [](EventStream& stream, std::uint32_t pe) {
            stream.append(ChunkKind::Task, TrackId{pe}, taskRow(10 * pe, 10 * pe + 10, 0));
            if (pe == 0) stream.append(ChunkKind::Message, TrackId{pe}, messageRow(5, 0, 5, 0, 0));
            stream.append(ChunkKind::TaskSource, TrackId{pe},
                          pe == 0 ? Row{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0}
                                  : Row{std::int64_t(Link::Message), 0, 0, 5, 25, 0, 0});
        });
        QVERIFY(written.ok());
        const auto store = TraceStore::open(path);
        QVERIFY(store.ok());
        const auto graph = loadActivityGraph(**store, Progress{});
        QVERIFY(graph.ok());
        const auto found = messageLatency(**store, **graph, 1024, Progress{});
        QVERIFY(found.ok());
        QCOMPARE(found->messages[std::size_t(MessageWay::OwnNode)], 1);
        QCOMPARE(found->received, std::vector<std::int64_t>(2, 0));
    }

    // One task needs what two receives brought, and one message never comes.
    void severalMessagesForOneTask()
    {
        ScriptedMpi program(3);
        program.rank(0).init(2).compute(10).send(2, 1, 100, 3).compute(5).send(1, 9, 7, 1).finalize(1);
        program.rank(1).init(2).compute(4).send(2, 2, 30, 3).compute(3).finalize(2);
        program.rank(2)
            .init(2)
            .compute(1)
            .irecv(1, {.peer = 0, .tag = 1, .bytes = 100}, 1)
            .irecv(2, {.peer = 1, .tag = 2, .bytes = 30}, 1)
            .waitall({1, 2}, 20)
            .compute(3)
            .finalize(2);
        const QTemporaryDir folder;
        QTest::failOnWarning(QRegularExpression(QStringLiteral("^$")));
        const auto store = importedProgram(program, folder.path());
        QVERIFY(store);
        QVERIFY(inTable(store) == (MessageSums{3, 137, 2, 130}));
        const auto matrix = commMatrix(*store, {}, Progress{});
        QCOMPARE(matrix->cells, (std::vector<CommCell>{{0, 2, 1, 100, 1, 100}, {1, 2, 1, 30, 1, 30}}));
        QCOMPARE(matrix->unexecuted.messages, 1);
        QCOMPARE(matrix->unexecuted.bytes, 7);
        QCOMPARE(ofAttribute(*store, "messages_processed"), 2);
        QCOMPARE(ofAttribute(*store, "bytes_received"), 130);
        // Both came with the call that waited for them, from 25 on: sent at 12 and at 6.
        const auto latencies = distribution(*store, {.of = DistributedQuantity::Latency}, Progress{});
        QCOMPARE(latencies->count, 2);
        QCOMPARE(latencies->sum, (25 - 12) + (25 - 6));
    }

private:
    static void holdCalls(const std::shared_ptr<const TraceStore>& store)
    {
        const TimeRange run = store->info().range();
        const auto clipped =
            QStringLiteral("sum(max(0, min(end_ns, %1) - max(begin_ns, %2)))").arg(run.end).arg(run.begin);
        const auto sums = selected(
            store, QStringLiteral("SELECT call, count(*), %1, sum(sent_bytes), sum(bytes - sent_bytes), "
                                  "sum(CASE WHEN instance IS NOT NULL AND (flags & %2) = 0 THEN sent_bytes ELSE 0 END) "
                                  "FROM mpi_call GROUP BY call")
                       .arg(clipped)
                       .arg(int(MpiCallFlag::Completes)));
        constexpr const char* attributes[] = {"mpi_calls", "mpi_time", "mpi_bytes_sent", "mpi_bytes_received",
                                              "collective_bytes_sent"};
        std::map<QString, std::int64_t> all;
        for (const QStringList& row : sums)
            for (std::size_t i = 0; i < std::size(attributes); ++i) {
                const QString one = QLatin1String(attributes[i]) + QLatin1Char('@') + row[0];
                const auto value = row[static_cast<qsizetype>(i) + 1].toLongLong();
                QCOMPARE(ofAttribute(*store, one.toUtf8().constData()), value);
                all[QLatin1String(attributes[i])] += value;
            }
        for (const auto& [attribute, sum] : all) QCOMPARE(ofAttribute(*store, attribute.toUtf8().constData()), sum);
        const auto matrix = commMatrix(*store, {}, Progress{});
        QVERIFY(matrix.ok());
        std::int64_t collective = 0;
        for (const CommCell& cell : matrix->collective) collective += cell.bytes;
        QCOMPARE(ofAttribute(*store, "collective_bytes_sent"), collective);
        const auto waits = waitStates(*store, {.withCauses = false}, Progress{});
        QVERIFY(waits.ok());
        QCOMPARE(ofAttribute(*store, "waited"), waits->total);
        QCOMPARE(waits->idle.idle(), store->info().idle);
        QCOMPARE(waits->idle.inStates + waits->idle.elsewhere, waits->total);
        std::set<WaitStateKind> there;
        for (const WaitState& state : waits->states) {
            const QByteArray one = QByteArray("waited@") + longpole::name(state.kind);
            QCOMPARE(ofAttribute(*store, one.constData()), state.time);
            there.insert(state.kind);
        }
        for (std::size_t i = 0; i < waitStateKinds; ++i) {
            const auto kind = static_cast<WaitStateKind>(i);
            const QByteArray one = QByteArray("waited@") + longpole::name(kind);
            if (!there.contains(kind)) QCOMPARE(ofAttribute(*store, one.constData()), 0);
        }
    }

    RealTraces m_traces;
};

LONGPOLE_TEST(TestFigureSums)
#include "tst_figuresums.moc"
