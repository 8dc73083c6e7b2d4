// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpirows/syncs.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

// The barrier calls of one team that belong together, as places in the list of waits.
struct BarrierInstance {
    std::vector<std::size_t> calls{};
    TimeNs first = maxTime;  // arrival
};

// All barriers, in order of their first arrivals.
std::vector<BarrierInstance> barriersOf(const std::vector<MpiThreadWait>& waits)
{
    std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>, BarrierInstance> byKey;
    for (std::size_t i = 0; i < waits.size(); ++i) {
        const MpiSync& sync = waits[i].sync;
        if (sync.kind != MpiSyncKind::Barrier || !sync.hasTeam) continue;
        BarrierInstance& barrier = byKey[{sync.team, sync.round, sync.number}];
        barrier.calls.push_back(i);
        barrier.first = std::min(barrier.first, sync.range.begin);
    }
    std::vector<BarrierInstance> barriers;
    barriers.reserve(byKey.size());
    for (auto& [key, barrier] : byKey) barriers.push_back(std::move(barrier));
    std::stable_sort(barriers.begin(), barriers.end(),
                     [](const BarrierInstance& a, const BarrierInstance& b) { return a.first < b.first; });
    return barriers;
}

// Whether all were in the team at once: else records are missing, and rounds of different number meet. A team that is
// named anew each time has one round only; its members may leave before the last one comes.
bool isOneRound(const std::vector<MpiThreadWait>& waits, const BarrierInstance& barrier)
{
    if (waits[barrier.calls.front()].sync.round == 0) return true;
    TimeNs joined = minTime;
    std::map<std::uint32_t, TimeNs> left;  // by location
    for (const std::size_t call : barrier.calls) {
        const MpiSync& sync = waits[call].sync;
        joined = std::max(joined, sync.teamBegin);
        TimeNs& end = left.try_emplace(sync.location, minTime).first->second;
        end = std::max(end, sync.range.end);
    }
    return std::all_of(left.begin(), left.end(), [joined](const auto& end) { return joined <= end.second; });
}

void waitForTeam(std::vector<MpiThreadWait>& waits, const BarrierInstance& barrier, std::int64_t number)
{
    if (!isOneRound(waits, barrier)) return;
    const MpiSync* last = nullptr;
    for (const std::size_t call : barrier.calls) {
        const MpiSync& sync = waits[call].sync;
        if (!sync.isContinued && (last == nullptr || sync.range.begin > last->range.begin)) last = &sync;
    }
    for (const std::size_t call : barrier.calls) {
        MpiThreadWait& wait = waits[call];
        wait.instance = number;
        if (last == nullptr || wait.sync.location == last->location) continue;
        wait.wait = TimeRange{wait.sync.range.begin, std::min(last->range.begin, wait.sync.range.end)}.length();
        if (wait.wait <= 0) continue;
        wait.pattern = WaitPattern::OmpBarrier;
        wait.culprit = last->location;
    }
}

void waitForDevices(std::vector<MpiThreadWait>& waits, std::vector<MpiDeviceWork> work)
{
    if (work.empty()) return;
    std::sort(work.begin(), work.end(), [](const MpiDeviceWork& a, const MpiDeviceWork& b) {
        return std::pair(a.end, a.location) < std::pair(b.end, b.location);
    });
    std::int64_t number = 0;
    for (MpiThreadWait& wait : waits) {
        if (wait.sync.kind != MpiSyncKind::Device) continue;
        wait.instance = number++;
        const TimeRange range = wait.sync.range;
        const auto after = std::upper_bound(work.begin(), work.end(), range.end,
                                            [](TimeNs time, const MpiDeviceWork& w) { return time < w.end; });
        if (after == work.begin() || std::prev(after)->end <= range.begin) continue;
        wait.wait = std::prev(after)->end - range.begin;
        wait.pattern = WaitPattern::DeviceSynchronization;
        wait.culprit = std::prev(after)->location;
    }
}

}  // namespace

void MpiSyncs::beginTeam(TimeNs time, std::uint64_t team) { m_teams.push_back({team, m_rounds[team]++, 0, time}); }

void MpiSyncs::endTeam()
{
    if (!m_teams.empty()) m_teams.pop_back();
}

void MpiSyncs::begin(TimeNs time, std::uint32_t region, MpiSyncKind kind, std::size_t depth)
{
    MpiSync sync{.range = {time, time}, .region = region, .location = m_location, .kind = kind};
    if (kind == MpiSyncKind::Barrier && !m_teams.empty()) {
        Team& team = m_teams.back();
        sync.hasTeam = true;
        sync.team = team.id;
        sync.round = team.round;
        sync.number = team.barriers++;
        sync.teamBegin = team.begin;
    }
    m_open = sync;
    m_depth = depth;
    m_isPaused = false;
}

void MpiSyncs::pause(TimeNs time)
{
    m_open->range.end = time;
    m_done.push_back(*m_open);
    m_isPaused = true;
}

void MpiSyncs::resume(TimeNs time)
{
    m_open->range = {time, time};
    m_open->isContinued = true;
    m_isPaused = false;
}

void MpiSyncs::end(TimeNs time)
{
    if (!m_isPaused) pause(time);
    m_open.reset();
}

std::vector<MpiThreadWait> threadWaits(std::vector<MpiSync> syncs, std::vector<MpiDeviceWork> work)
{
    std::stable_sort(syncs.begin(), syncs.end(), [](const MpiSync& a, const MpiSync& b) {
        return std::pair(a.location, a.range.begin) < std::pair(b.location, b.range.begin);
    });
    std::vector<MpiThreadWait> waits;
    waits.reserve(syncs.size());
    for (const MpiSync& sync : syncs) waits.push_back({.sync = sync});
    std::int64_t number = 0;
    for (const BarrierInstance& barrier : barriersOf(waits)) waitForTeam(waits, barrier, number++);
    waitForDevices(waits, std::move(work));
    return waits;
}

}  // namespace longpole
