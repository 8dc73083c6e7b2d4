// SPDX-License-Identifier: GPL-3.0-or-later
// Groups of ranks: nodes and processes of the timeline, communicators of the calls, each set of members once.
#include "analysis/mpi/processgroups.h"

#include "core/trace/columns.h"
#include "support/mpi/mpirows.h"
#include "support/testmain.h"

#include <QTemporaryDir>
#include <QTest>

using namespace longpole;

namespace {

constexpr std::uint32_t ranks = 4;
constexpr std::int64_t call = 0, world = 1, rows = 2, sameRows = 3, own = 4, unused = 5, diagonal = 6, otherRows = 7;

void addRegions(TraceWriter& writer)
{
    const auto add = [&writer](std::int64_t id, RegionKind kind, const char* name) {
        writer.add(Region{.id = RegionId{static_cast<std::uint32_t>(id)},
                          .kind = kind,
                          .name = QString::fromUtf8(name)});
    };
    add(call, RegionKind::MpiCall, "MPI_Barrier");
    add(world, RegionKind::Communicator, "MPI_COMM_WORLD");
    add(own, RegionKind::Communicator, "own");
    add(rows, RegionKind::Communicator, "rows");
    add(sameRows, RegionKind::Communicator, "rows, again");
    add(unused, RegionKind::Communicator, "unused");
    add(diagonal, RegionKind::Communicator, "diagonal");
    add(otherRows, RegionKind::Communicator, "rows");
}

// Two nodes of two ranks each; two communicators of one name, as MPI_Comm_split makes them; the first rank has a
// thread, and only this calls on `own`.
Result<> write(const QString& path)
{
    auto writer = TraceWriter::create(path);
    if (!writer) return writer.error();
    constexpr TrackId root{1000};
    (*writer)->add(Track{.id = root, .kind = TrackKind::Root, .name = QStringLiteral("run"), .pe = {}});
    for (const std::uint32_t node : {0u, 1u})
        (*writer)->add(Track{.id = TrackId{1001 + node},
                             .parent = root,
                             .kind = TrackKind::Node,
                             .name = QStringLiteral("host%1").arg(node),
                             .pe = {}});
    addRegions(**writer);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const TrackId track{10 + 2 * rank}, thread{11 + 2 * rank};
        const QString name = QStringLiteral("rank %1").arg(rank);
        (*writer)->add(Track{.id = track,
                             .parent = TrackId{1001 + rank / 2},
                             .kind = TrackKind::Rank,
                             .name = name,
                             .pe = ProcessorId{rank}});
        (*writer)->add(
            Track{.id = thread, .parent = track, .kind = TrackKind::Thread, .name = name, .pe = ProcessorId{rank}});
        (*writer)->add(Processor{.pe = ProcessorId{rank}, .track = track, .kind = TrackKind::Rank, .name = name});
        const auto stream = (*writer)->stream(rank);
        std::int64_t seq = 0;
        const auto callOn = [&](TrackId on, std::int64_t comm) {
            const TimeNs begin = 10 * seq;
            stream->append(ChunkKind::MpiCall, on,
                           callRow({.begin = begin, .end = begin + 5, .region = call, .comm = comm}, seq++));
        };
        for (const std::int64_t comm : {world, std::int64_t{-1}, world}) callOn(track, comm);
        if (rank % 2 == 0)
            for (const std::int64_t comm : {rows, sameRows, rows}) callOn(track, comm);
        if (rank % 2 == 1) callOn(track, otherRows);
        if (rank == 0 || rank == 3) callOn(track, diagonal);
        if (rank == 0) callOn(thread, own);
    }
    TraceInfo info;
    info.vocabulary = ProgramKind::Mpi;
    info.processors = ranks;
    info.end = 100;
    (*writer)->setInfo(info);
    return (*writer)->finish(Progress());
}

std::vector<ProcessorId> members(std::initializer_list<std::uint32_t> numbers)
{
    std::vector<ProcessorId> list;
    for (const std::uint32_t number : numbers) list.push_back(ProcessorId{number});
    return list;
}

}  // namespace

class TestProcessGroups : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nodesAndCommunicators()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a.longpole"));
        QVERIFY(write(path).ok());
        const auto opened = TraceStore::open(path);
        QVERIFY2(opened.ok(), opened ? "" : qPrintable(opened.error().what));
        Results results(*opened);
        const auto groups = results.ask(ProcessGroupsQuestion{}, Progress{});
        QVERIFY(groups.ok());
        // Those of one name are together. Neither what all belong to, nor the same ranks twice, nor a communicator on
        // which nobody calls.
        const std::vector<ProcessGroup> expected{{QStringLiteral("host0"), members({0, 1})},
                                                 {QStringLiteral("host1"), members({2, 3})},
                                                 {QStringLiteral("rows"), members({0, 2})},
                                                 {QStringLiteral("rows"), members({1, 3})},
                                                 {QStringLiteral("diagonal"), members({0, 3})},
                                                 {QStringLiteral("own"), members({0})}};
        QCOMPARE(**groups, expected);
        Progress stopped;
        stopped.cancel();
        QVERIFY(!processGroups(**opened, stopped).ok());
    }
};

LONGPOLE_TEST(TestProcessGroups)
#include "tst_processgroups.moc"
