// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/mpi/mpiprogram.h"

#include <numeric>

namespace longpole {

MpiThread& MpiThread::compute(TimeNs duration)
{
    m_now += duration;
    return *this;
}

MpiThread& MpiThread::at(TimeNs time)
{
    m_now = time;
    return *this;
}

MpiThread& MpiThread::event(std::function<void(MpiEvents&)> give)
{
    m_events.push_back(std::move(give));
    return *this;
}

MpiThread& MpiThread::enter(const char* region, MpiRegionKind kind)
{
    return event([time = m_now, number = m_program.region(region, kind)](MpiEvents& events) {
        events.record("ENTER");
        events.enter(time, number);
    });
}

MpiThread& MpiThread::leave(const char* region, MpiRegionKind kind)
{
    return event([time = m_now, number = m_program.region(region, kind)](MpiEvents& events) {
        events.record("LEAVE");
        events.leave(time, number);
    });
}

MpiThread& MpiThread::begin(const char* call)
{
    return event([time = m_now, number = m_program.region(call, MpiRegionKind::Mpi)](MpiEvents& events) {
        events.record("ENTER");
        events.beginCall(time, number);
    });
}

MpiThread& MpiThread::end(TimeNs duration)
{
    m_now += duration;
    return event([time = m_now](MpiEvents& events) {
        events.record("LEAVE");
        events.endCall(time);
    });
}

MpiThread& MpiThread::sendCall(const char* name, const Message& to, TimeNs duration, bool isSynchronous)
{
    begin(name);
    event([=](MpiEvents& events) { events.send(blocking, to.comm, to.peer, to.tag, to.bytes, isSynchronous); });
    return end(duration);
}

MpiThread& MpiThread::send(std::uint32_t to, std::int32_t tag, std::int64_t bytes, TimeNs duration, std::uint32_t comm)
{
    return sendCall("MPI_Send", {to, tag, bytes, comm}, duration, false);
}

MpiThread& MpiThread::ssend(std::uint32_t to, std::int32_t tag, std::int64_t bytes, TimeNs duration, std::uint32_t comm)
{
    return sendCall("MPI_Ssend", {to, tag, bytes, comm}, duration, true);
}

MpiThread& MpiThread::recv(std::uint32_t from, std::int32_t tag, std::int64_t bytes, TimeNs duration,
                           std::uint32_t comm)
{
    begin("MPI_Recv");
    event([=](MpiEvents& events) { events.received(blocking, comm, from, tag, bytes); });
    return end(duration);
}

MpiThread& MpiThread::sendrecv(const Message& to, const Message& from, TimeNs duration)
{
    begin("MPI_Sendrecv");
    event([=](MpiEvents& events) {
        events.send(blocking, to.comm, to.peer, to.tag, to.bytes, false);
        events.received(blocking, from.comm, from.peer, from.tag, from.bytes);
    });
    return end(duration);
}

MpiThread& MpiThread::isend(std::int64_t request, const Message& to, TimeNs duration)
{
    m_program.m_requests[m_rank][request] = {Request::Kind::Send, to};
    begin("MPI_Isend");
    event([=](MpiEvents& events) { events.send(request, to.comm, to.peer, to.tag, to.bytes, false); });
    return end(duration);
}

MpiThread& MpiThread::irecv(std::int64_t request, const Message& from, TimeNs duration)
{
    m_program.m_requests[m_rank][request] = {Request::Kind::Receive, from};
    begin("MPI_Irecv");
    event([=](MpiEvents& events) { events.postReceive(request); });
    return end(duration);
}

MpiThread& MpiThread::complete(const char* name, const std::vector<std::int64_t>& requests, TimeNs duration)
{
    begin(name);
    for (const std::int64_t request : requests) {
        const Request done = m_program.m_requests[m_rank][request];
        event([=](MpiEvents& events) {
            switch (done.kind) {
            case Request::Kind::Send: return events.sendCompleted(request);
            case Request::Kind::Receive:
                return events.received(request, done.message.comm, done.message.peer, done.message.tag,
                                       done.message.bytes);
            case Request::Kind::Collective: return events.collectiveCompleted(request);
            }
        });
    }
    return end(duration);
}

MpiThread& MpiThread::waitNothing(std::int64_t request, TimeNs duration)
{
    begin("MPI_Wait");
    event([=](MpiEvents& events) { events.receivedNothing(request); });
    return end(duration);
}

MpiThread& MpiThread::cancel(std::int64_t request, TimeNs duration)
{
    begin("MPI_Cancel");
    event([=](MpiEvents& events) { events.cancelled(request); });
    return end(duration);
}

namespace {

// What a member of such a call sends and receives if each gives and gets `bytes`, in a program of two ranks.
MpiMoved movedBy(const char* name, std::uint32_t rank, std::int32_t root, std::int64_t bytes)
{
    const QByteArray call = QByteArray(name).toLower();
    const bool isRoot = root == static_cast<std::int32_t>(rank);
    const bool isToRoot = !call.contains("all") && (call.contains("reduce") || call.contains("gather"));
    if (root != noRank) return isRoot == isToRoot ? MpiMoved{0, bytes} : MpiMoved{bytes, 0};
    return {bytes, bytes};
}

}  // namespace

MpiThread& MpiThread::collective(const char* name, std::int32_t root, std::int64_t bytes, TimeNs duration,
                                 std::uint32_t comm)
{
    begin(name);
    event([=, rank = m_rank](MpiEvents& events) {
        events.collective(blocking, comm, root, movedBy(name, rank, root, bytes), CollectiveKind::None);
    });
    return end(duration);
}

MpiThread& MpiThread::icollective(const char* name, std::int64_t request, std::int32_t root, std::int64_t bytes,
                                  TimeNs duration, std::uint32_t comm)
{
    m_program.m_requests[m_rank][request] = {Request::Kind::Collective, {}};
    begin(name);
    event([=, rank = m_rank](MpiEvents& events) {
        events.collective(request, comm, root, movedBy(name, rank, root, bytes), CollectiveKind::None);
    });
    return end(duration);
}

MpiThread& MpiThread::counter(const char* name, double value)
{
    return event([time = m_now, number = m_program.counter(name), value](MpiEvents& events) {
        events.record("METRIC");
        events.counter(time, number, value);
    });
}

MpiThread& MpiThread::mark(const char* region, const QString& text)
{
    return event([time = m_now, number = m_program.region(region, MpiRegionKind::User), text](MpiEvents& events) {
        events.record("MARKER");
        events.mark(time, number, text);
    });
}

ScriptedMpi::ScriptedMpi(std::uint32_t ranks) : m_requests(ranks)
{
    m_names.info.format = recordingFormat;
    m_names.info.vocabulary = ProgramKind::Mpi;
    m_names.info.program = QStringLiteral("program");
    m_names.info.source = QStringLiteral("/program");
    m_names.info.fingerprint = QStringLiteral("0");
    m_names.ranks = ranks;
    std::vector<std::uint32_t> world(ranks);
    std::iota(world.begin(), world.end(), 0u);
    addCommunicator("MPI_COMM_WORLD", std::move(world));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) addThread(rank, "", TrackKind::Rank);
}

MpiThread& ScriptedMpi::addThread(std::uint32_t rank, const char* name, TrackKind kind)
{
    MpiLocation location;
    location.name = QString::fromLatin1(name);
    location.rank = rank;
    location.kind = kind;
    m_names.locations.push_back(location);
    m_threads.push_back(MpiThread(*this, rank));
    return m_threads.back();
}

std::uint32_t ScriptedMpi::addCommunicator(const char* name, std::vector<std::uint32_t> members)
{
    MpiCommunicator communicator;
    communicator.name = QString::fromLatin1(name);
    communicator.isSelf = members.size() == 1;
    communicator.members = std::move(members);
    m_names.communicators.push_back(std::move(communicator));
    return static_cast<std::uint32_t>(m_names.communicators.size() - 1);
}

void ScriptedMpi::ownWork(const char* name)
{
    m_names.regions[region(name, MpiRegionKind::Measurement)].isOwnWork = true;
}

std::uint32_t ScriptedMpi::region(const char* name, MpiRegionKind kind)
{
    const QString wanted = QString::fromLatin1(name);
    for (std::size_t i = 0; i < m_names.regions.size(); ++i) {
        if (m_names.regions[i].name == wanted) return static_cast<std::uint32_t>(i);
    }
    m_names.regions.push_back({wanted, kind == MpiRegionKind::Mpi ? QStringLiteral("MPI") : QStringLiteral("app.c"),
                               kind});
    return static_cast<std::uint32_t>(m_names.regions.size() - 1);
}

std::uint32_t ScriptedMpi::sync(const char* name, MpiSyncKind kind)
{
    const std::uint32_t number = region(name, MpiRegionKind::Runtime);
    m_names.regions[number].sync = kind;
    return number;
}

std::uint32_t ScriptedMpi::counter(const char* name)
{
    const QString wanted = QString::fromLatin1(name);
    for (std::size_t i = 0; i < m_names.counters.size(); ++i) {
        if (m_names.counters[i] == wanted) return static_cast<std::uint32_t>(i);
    }
    m_names.counters.push_back(wanted);
    return static_cast<std::uint32_t>(m_names.counters.size() - 1);
}

Result<> ScriptedMpi::read(std::size_t location, MpiEvents& events, ImportLog&, const Progress& progress)
{
    for (const auto& give : m_threads[location].m_events) {
        if (progress.isCancelled()) return cancelledError();
        give(events);
    }
    if (m_failure && m_failure->first == location) return Error{.what = m_failure->second, .where = {}, .hint = {}};
    return Unit{};
}

}  // namespace longpole
