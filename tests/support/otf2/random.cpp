// SPDX-License-Identifier: GPL-3.0-or-later
// A walk per rank: regions nest, calls hold one or two records each, times grow by whole nanoseconds.
#include "support/otf2/random.h"

#include "support/otf2/written.h"

#include <random>

namespace longpole {
namespace {

constexpr std::uint64_t ticksPerNs[] = {1, 2, 4};

class Walk {
public:
    Walk(std::mt19937& random, WrittenOtf2& archive, std::uint32_t ranks, std::uint32_t rank, std::uint64_t scale)
        : m_random(random), m_archive(archive), m_ranks(ranks), m_rank(rank), m_scale(scale)
    {
    }
    QStringList write(int steps, std::uint32_t regions, std::uint32_t firstCall, OTF2_CommRef reversed);

private:
    std::uint32_t upTo(std::uint32_t count) { return static_cast<std::uint32_t>(m_random() % count); }
    OTF2_TimeStamp ticks() const { return offset + static_cast<std::uint64_t>(m_time) * m_scale; }
    OTF2_EvtWriter* events() { return m_archive.events(m_rank); }
    void add(const QString& line) { m_lines += line; }
    void call(std::uint32_t firstCall, OTF2_CommRef reversed);
    void sendOrReceive(bool isSend, OTF2_CommRef reversed);
    void request();

public:
    static constexpr std::uint64_t offset = 5000;

private:
    std::mt19937& m_random;
    WrittenOtf2& m_archive;
    std::uint32_t m_ranks;
    std::uint32_t m_rank;
    std::uint64_t m_scale;
    std::int64_t m_time = 0;
    std::uint64_t m_request = 0;
    QStringList m_lines;
};

void Walk::sendOrReceive(bool isSend, OTF2_CommRef reversed)
{
    const bool isReversed = upTo(3) == 0;
    const OTF2_CommRef comm = isReversed ? reversed : 0;
    const std::uint32_t peer = upTo(m_ranks);
    const std::uint32_t world = isReversed ? m_ranks - 1 - peer : peer;
    const std::uint32_t tag = upTo(100);
    const std::uint64_t bytes = upTo(1000000);
    if (isSend) OTF2_EvtWriter_MpiSend(events(), nullptr, ticks(), peer, comm, tag, bytes);
    else OTF2_EvtWriter_MpiRecv(events(), nullptr, ticks(), peer, comm, tag, bytes);
    add(QStringLiteral("%1 -1 comm %2 %3 %4 tag %5 bytes %6")
            .arg(isSend ? QStringLiteral("send") : QStringLiteral("received"))
            .arg(comm)
            .arg(isSend ? QStringLiteral("to") : QStringLiteral("from"))
            .arg(world)
            .arg(tag)
            .arg(bytes));
}

void Walk::request()
{
    const std::uint64_t id = ++m_request;
    const std::uint32_t peer = upTo(m_ranks);
    OTF2_EvtWriter_MpiIsend(events(), nullptr, ticks(), peer, 0, 1, id, id);
    OTF2_EvtWriter_MpiIrecvRequest(events(), nullptr, ticks(), id + (std::uint64_t(1) << 40));
    OTF2_EvtWriter_MpiIsendComplete(events(), nullptr, ticks(), id);
    OTF2_EvtWriter_MpiIrecv(events(), nullptr, ticks(), peer, 0, 2, 3, id + (std::uint64_t(1) << 40));
    const std::uint64_t second = id + (std::uint64_t(1) << 40);
    add(QStringLiteral("send %1 comm 0 to %2 tag 1 bytes %1").arg(id).arg(peer));
    add(QStringLiteral("post %1").arg(second));
    add(QStringLiteral("sent %1").arg(id));
    add(QStringLiteral("received %1 comm 0 from %2 tag 2 bytes 3").arg(second).arg(peer));
}

void Walk::call(std::uint32_t firstCall, OTF2_CommRef reversed)
{
    static const char* const names[] = {"MPI_Send", "MPI_Recv", "MPI_Allreduce", "MPI_Waitall"};
    const std::uint32_t kind = upTo(4);
    m_archive.enter(m_rank, ticks(), firstCall + kind);
    add(QStringLiteral("%1 begin %2").arg(m_time).arg(QString::fromLatin1(names[kind])));
    m_time += upTo(3);
    if (kind < 2) sendOrReceive(kind == 0, reversed);
    if (kind == 2) {
        OTF2_EvtWriter_MpiCollectiveBegin(events(), nullptr, ticks());
        OTF2_EvtWriter_MpiCollectiveEnd(events(), nullptr, ticks(), OTF2_COLLECTIVE_OP_ALLREDUCE, reversed,
                                        OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
        add(QStringLiteral("collective -1 comm %1 root -1 bytes %2>%2").arg(reversed).arg(8 * (m_ranks - 1)));
    }
    if (kind == 3) request();
    m_time += upTo(1000);
    m_archive.leave(m_rank, ticks(), firstCall + kind);
    add(QStringLiteral("%1 end").arg(m_time));
}

QStringList Walk::write(int steps, std::uint32_t regions, std::uint32_t firstCall, OTF2_CommRef reversed)
{
    std::vector<std::uint32_t> stack;
    const auto leave = [&] {
        m_archive.leave(m_rank, ticks(), stack.back());
        add(QStringLiteral("%1 leave function %2").arg(m_time).arg(stack.back()));
        stack.pop_back();
    };
    for (int step = 0; step < steps; ++step) {
        m_time += upTo(100);
        const std::uint32_t choice = upTo(10);
        if (choice < 4 && stack.size() < 40) {
            stack.push_back(upTo(regions));
            m_archive.enter(m_rank, ticks(), stack.back());
            add(QStringLiteral("%1 enter function %2").arg(m_time).arg(stack.back()));
        } else if (choice < 7 && !stack.empty()) {
            leave();
        } else {
            call(firstCall, reversed);
        }
    }
    while (!stack.empty()) leave();
    return m_lines;
}

}  // namespace

RandomOtf2 writeRandomOtf2(const QString& folder, std::uint32_t seed)
{
    std::mt19937 random(seed);
    const auto ranks = static_cast<std::uint32_t>(1 + random() % 6);
    const std::uint64_t scale = ticksPerNs[random() % 3];
    const std::uint64_t chunk = random() % 2 == 0 ? 256 * 1024 : OTF2_CHUNK_SIZE_EVENTS_DEFAULT;
    WrittenOtf2 archive(folder, QStringLiteral("random"), chunk);
    archive.clock(scale * 1'000'000'000, Walk::offset);
    archive.mpi(ranks, 2);
    std::vector<std::uint64_t> members;
    for (std::uint32_t rank = ranks; rank > 0; --rank) members.push_back(rank - 1);
    const OTF2_CommRef reversed = archive.comm(QStringLiteral("reversed"),
                                               archive.group(OTF2_GROUP_TYPE_COMM_GROUP, members));
    const auto regions = static_cast<std::uint32_t>(1 + random() % 20);
    for (std::uint32_t i = 0; i < regions; ++i) archive.region(QStringLiteral("function %1").arg(i));
    for (const char* name : {"MPI_Send", "MPI_Recv", "MPI_Allreduce", "MPI_Waitall"})
        archive.region(QString::fromLatin1(name), OTF2_PARADIGM_MPI);
    RandomOtf2 expected;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        Walk walk(random, archive, ranks, rank, scale);
        const int steps = seed % 5 == 0 ? 40000 : 300;
        expected.lines.push_back(walk.write(steps, regions, regions, reversed));
    }
    return expected;
}

}  // namespace longpole
