// SPDX-License-Identifier: GPL-3.0-or-later
// What sources count of collective calls becomes what ranks gave each other: as much as was sent was received.
#include "importers/mpi/collectivebytes.h"
#include "support/testmain.h"

#include <QTest>

using namespace longpole;

namespace {

constexpr CollectiveShape shapes[] = {CollectiveShape::Bcast,     CollectiveShape::Scatter,
                                      CollectiveShape::Gather,    CollectiveShape::Reduce,
                                      CollectiveShape::Allreduce, CollectiveShape::Allgather,
                                      CollectiveShape::Alltoall,  CollectiveShape::ReduceScatter,
                                      CollectiveShape::Scan,      CollectiveShape::Exscan};

// What Score-P counts of a call with parts of `part` bytes.
MpiMoved counted(CollectiveShape shape, const CollectiveMember& member, std::int64_t part)
{
    const std::int64_t n = member.members, place = member.place, all = n * part;
    switch (shape) {
    case CollectiveShape::Bcast:
    case CollectiveShape::Scatter: return {member.isRoot ? all : 0, part};
    case CollectiveShape::Gather:
    case CollectiveShape::Reduce: return {part, member.isRoot ? all : 0};
    case CollectiveShape::Allreduce: return {part, part};
    case CollectiveShape::Allgather:
    case CollectiveShape::Alltoall: return {all, all};
    case CollectiveShape::ReduceScatter: return {all, part};
    case CollectiveShape::Scan: return {(n - 1 - place) * part, (place + 1) * part};
    case CollectiveShape::Exscan: return {(n - 1 - place) * part, place * part};
    default: return {};
    }
}

// The argument that recordings had before version 4.
std::int64_t argument(CollectiveShape shape, const CollectiveMember& member, std::int64_t part)
{
    switch (shape) {
    case CollectiveShape::Scatter:
    case CollectiveShape::Gather: return member.isRoot ? member.members * part : part;
    case CollectiveShape::Allgather:
    case CollectiveShape::Alltoall:
    case CollectiveShape::ReduceScatter: return member.members * part;
    default: return part;
    }
}

}  // namespace

class TestCollectiveBytes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bothSourcesSayTheSame()
    {
        constexpr std::int64_t part = 8;
        for (const CollectiveShape shape : shapes)
            for (std::int64_t n = 1; n <= 5; ++n) {
                std::int64_t sent = 0, received = 0;
                for (std::int64_t place = 0; place < n; ++place) {
                    const CollectiveMember member{n, place, place == n / 2};
                    const MpiMoved moved = movedByScoreP(shape, member, counted(shape, member, part));
                    QCOMPARE(movedByArgument(shape, member, argument(shape, member, part)), moved);
                    sent += moved.sent;
                    received += moved.received;
                }
                const bool isRooted = shape <= CollectiveShape::Reduce;
                const bool isScan = shape == CollectiveShape::Scan || shape == CollectiveShape::Exscan;
                QCOMPARE(sent, part * (isRooted ? n - 1 : isScan ? n * (n - 1) / 2 : n * (n - 1)));
                QCOMPARE(received, sent);
            }
    }

    void unknownStaysUnknown()
    {
        QCOMPARE(movedByArgument(CollectiveShape::Bcast, {4, 1, false}, -1), (MpiMoved{-1, -1}));
        QCOMPARE(movedByArgument(CollectiveShape::None, {4, 1, false}, 100), MpiMoved{});
    }
};

LONGPOLE_TEST(TestCollectiveBytes)
#include "tst_collectivebytes.moc"
