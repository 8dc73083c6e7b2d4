// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/callwaits.h"

namespace longpole {

namespace {

// The completion state of calls that, by MPI's standard, no member leaves before all have entered; told by the name,
// also of nonblocking ones such as "MPI_Iallreduce".
std::optional<WaitStateKind> completionState(const QString& callName)
{
    const QString call = callName.toLower();
    if (call.contains(QLatin1String("barrier"))) return WaitStateKind::BarrierCompletion;
    for (const char* const part : {"allreduce", "allgather", "alltoall", "reduce_scatter"})
        if (call.contains(QLatin1String(part))) return WaitStateKind::NxNCompletion;
    return {};
}

WaitInstance waitIn(const MpiRow& call, std::uint32_t rank, TimeRange wait)
{
    WaitInstance instance;
    instance.rank = rank;
    instance.seq = call.seq();
    instance.wait = wait;
    instance.call = call.region();
    instance.path = call.path();
    return instance;
}

}  // namespace

CallWaits::CallWaits(const TraceStore& store)
{
    for (const Region& region : store.regions()) {
        if (region.kind != RegionKind::MpiCall || index(region.id) >= mostIds) continue;
        if (m_completions.size() <= index(region.id)) m_completions.resize(index(region.id) + std::size_t{1});
        m_completions[index(region.id)] = completionState(region.name);
    }
}

WaitInstance CallWaits::severityOf(const MpiRow& call, std::uint32_t rank)
{
    WaitInstance instance = waitIn(call, rank, {call.begin(), saturatingAdd(call.begin(), call.severity())});
    instance.culprit = call.culprit().value_or(-1);
    instance.culpritSeq = call.culpritSeq().value_or(-1);
    return instance;
}

WaitInstance CallWaits::completionIn(const MpiRow& call, std::uint32_t rank)
{
    return waitIn(call, rank, {saturatingSubtract(call.end(), call.waitAfter()), call.end()});
}

std::optional<std::pair<WaitStateKind, WaitInstance>> CallWaits::ofThread(const ThreadWaitRow& row, std::uint32_t rank,
                                                                          TrackId track)
{
    const auto kind = stateOf(row.pattern());
    if (!kind || row.waited() <= 0) return {};
    WaitInstance instance;
    instance.rank = rank;
    instance.seq = -1;
    instance.wait = row.wait();
    instance.call = row.region();
    instance.culprit = rank;
    instance.track = track;
    instance.culpritTrack = row.culprit() ? static_cast<TrackId>(*row.culprit()) : noTrack;
    return std::pair(*kind, instance);
}

}  // namespace longpole
