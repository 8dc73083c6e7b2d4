// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/simulation/madesource.h"

namespace longpole {
namespace {

constexpr auto calls = static_cast<std::uint32_t>(MadeCall::Count);
constexpr std::uint32_t ranksOfHost = 64;

// A rank's calls as events; each call counts as one record.
class EventScript final : public RankScript {
public:
    EventScript(MpiEvents& events, std::int64_t bytes, const Progress& progress)
        : m_events(events), m_bytes(bytes), m_progress(progress)
    {
    }

    bool goesOn() const override { return !m_progress.isCancelled(); }

    void begin(MadeCall call, TimeNs time) override
    {
        if (m_calls++ == 0) m_first = time;
        m_events.beginCall(time, static_cast<std::uint32_t>(call));
        m_events.record("CALL");
    }
    void end(TimeNs time) override { m_events.endCall(m_last = time); }
    void sends(std::int64_t request, std::uint32_t to, std::int32_t tag) override
    {
        m_events.send(request, 0, to, tag, m_bytes, false);
    }
    void posts(std::int64_t request) override { m_events.postReceive(request); }
    void received(std::int64_t request, std::uint32_t from, std::int32_t tag) override
    {
        m_events.received(request, 0, from, tag, m_bytes);
    }
    void sent(std::int64_t request) override { m_events.sendCompleted(request); }
    void meets(std::uint32_t communicator) override
    {
        m_events.collective(blocking, communicator, noRank, {m_bytes, m_bytes}, CollectiveKind::None);
    }
    void finish() { m_events.span(m_first, m_last); }

private:
    MpiEvents& m_events;
    const std::int64_t m_bytes;
    const Progress& m_progress;
    std::int64_t m_calls = 0;
    TimeNs m_first = 0;
    TimeNs m_last = 0;
};

}  // namespace

MadeSource::MadeSource(const SimulatedRun& run) : m_run(run), m_program(MadeProgram::of(run))
{
    TraceInfo& info = m_names.info;
    info.format = QStringLiteral("simulation");
    info.vocabulary = ProgramKind::Mpi;
    info.version = QStringLiteral("1");
    info.program = QLatin1String(name(run.pattern));
    info.commandline = QStringLiteral("simulate --pattern %1 --ranks %2 --steps %3 --seed %4")
                           .arg(info.program, QString::number(run.ranks), QString::number(run.steps),
                                QString::number(run.seed));
    info.begin = MadeProgram::beginning();
    m_names.ranks = run.ranks;
    for (std::uint32_t call = 0; call < calls; ++call)
        m_names.regions.push_back({.name = QLatin1String(name(static_cast<MadeCall>(call))),
                                   .group = QStringLiteral("MPI"),
                                   .kind = MpiRegionKind::Mpi});
    MpiCommunicator world{.name = QStringLiteral("MPI_COMM_WORLD"), .members = {}};
    for (std::uint32_t rank = 0; rank < run.ranks; ++rank) world.members.push_back(rank);
    m_names.communicators.push_back(std::move(world));
    const MadeGrid grid = gridOf(run.ranks);
    for (std::uint32_t row = 0; run.pattern == MadePattern::Rows && row < grid.height; ++row) {
        MpiCommunicator one{.name = QStringLiteral("Row %1").arg(row), .members = {}};
        for (std::uint32_t column = 0; column < grid.width; ++column) one.members.push_back(row * grid.width + column);
        m_names.communicators.push_back(std::move(one));
    }
    for (std::uint32_t rank = 0; rank < run.ranks; ++rank)
        m_names.locations.push_back({.name = QStringLiteral("Rank %1").arg(rank),
                                     .host = QStringLiteral("Node %1").arg(rank / ranksOfHost),
                                     .rank = rank});
}

Result<> MadeSource::read(std::size_t location, MpiEvents& events, ImportLog&, const Progress& progress)
{
    EventScript script(events, m_program->messageBytes(), progress);
    const PlantedRank planted = m_program->play(m_names.locations[location].rank, script);
    if (progress.isCancelled()) return cancelledError();
    script.finish();
    const std::lock_guard lock(m_mutex);
    m_planted += planted;
    return Unit{};
}

PlantedRank MadeSource::planted() const
{
    const std::lock_guard lock(m_mutex);
    return m_planted;
}

}  // namespace longpole
