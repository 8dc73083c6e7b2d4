// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/processgroups.h"

#include "analysis/results/answer.h"
#include "analysis/results/bytesof.h"
#include "core/base/drawnhash.h"
#include "core/store/rows.h"

#include <QHash>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace longpole {

namespace {

constexpr std::size_t mostMemberships = std::size_t{1} << 20;

bool isCounted(const Processor& processor) { return processor.kind != TrackKind::CommThread; }

// Of the rows of the timeline that hold others.
std::vector<ProcessGroup> groupsOfRows(const TraceStore& store)
{
    std::map<TrackId, std::vector<ProcessorId>> members;
    std::size_t memberships = 0;
    for (const Processor& processor : store.processors()) {
        if (!isCounted(processor)) continue;
        const Track* track = store.track(processor.track);
        while (track && track->parent != noTrack && memberships < mostMemberships) {
            track = store.track(track->parent);
            if (!track || (track->kind != TrackKind::Node && track->kind != TrackKind::Process)) continue;
            members[track->id].push_back(processor.pe);
            ++memberships;
        }
    }
    std::vector<ProcessGroup> groups;
    groups.reserve(members.size());
    for (auto& [id, pes] : members) groups.push_back({store.track(id)->name, std::move(pes)});
    return groups;
}

Result<std::vector<ProcessGroup>> communicators(const TraceStore& store, const Progress& progress)
{
    std::unordered_map<std::int64_t, std::vector<ProcessorId>, DrawnHash> members;
    std::size_t memberships = 0;
    for (const Processor& processor : store.processors()) {
        std::unordered_set<std::int64_t, DrawnHash> own;
        for (const auto& [pe, track] : store.tracksOf(processor.pe)) {
            std::optional<std::int64_t> last;
            auto calls = store.rows<MpiRow>(track, MpiRow::Communicator, {.progress = &progress});
            for (const MpiRow& call : calls) {
                const std::optional<std::int64_t> comm = call.communicator();
                if (!comm || comm == last || memberships == mostMemberships) continue;
                last = comm;
                if (!own.insert(*comm).second) continue;
                members[*comm].push_back(processor.pe);
                ++memberships;
            }
            if (const Result<> read = calls.result(); !read) return read.error();
        }
    }
    std::vector<ProcessGroup> groups;
    QHash<QString, std::size_t> names;  // in the order in which they were first made
    for (const Region& region : store.regions()) {
        const auto found = members.find(index(region.id));
        if (region.kind != RegionKind::Communicator || found == members.end()) continue;
        if (!names.contains(region.name)) names.insert(region.name, groups.size());
        groups.push_back({region.name, std::move(found->second)});
    }
    std::stable_sort(groups.begin(), groups.end(), [&](const ProcessGroup& a, const ProcessGroup& b) {
        if (a.members.size() != b.members.size()) return a.members.size() > b.members.size();
        return names.value(a.name) < names.value(b.name);
    });
    return groups;
}

}  // namespace

Result<std::vector<ProcessGroup>> processGroups(const TraceStore& store, const Progress& progress)
{
    const auto all = std::count_if(store.processors().begin(), store.processors().end(), isCounted);
    Result<std::vector<ProcessGroup>> ofCalls = communicators(store, progress);
    if (!ofCalls) return ofCalls.error();
    std::vector<ProcessGroup> found = groupsOfRows(store);
    found.insert(found.end(), std::make_move_iterator(ofCalls->begin()), std::make_move_iterator(ofCalls->end()));
    std::set<std::vector<ProcessorId>> known;
    std::vector<ProcessGroup> groups;
    for (ProcessGroup& group : found)
        if (std::cmp_less(group.members.size(), all) && known.insert(group.members).second)
            groups.push_back(std::move(group));
    return groups;
}

Result<std::shared_ptr<const ProcessGroupsQuestion::Answer>> ProcessGroupsQuestion::compute(
    Results& results, const Progress& progress) const
{
    return sharedAnswer(processGroups(results.store(), progress));
}

std::int64_t ProcessGroupsQuestion::bytes(const Answer& groups)
{
    return bytesOfAll(groups, [](const ProcessGroup& group) { return bytesOf(group.members); });
}

}  // namespace longpole
