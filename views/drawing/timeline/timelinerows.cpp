// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/timelinerows.h"

#include "core/base/drawnhash.h"
#include "core/trace/issues.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace longpole {

namespace {

class RowTree {
public:
    RowTree(std::span<const Track> tracks, std::span<const Processor> processors, const RowChoice& choice)
        : m_choice(choice)
    {
        std::map<TrackKind, int> kinds;
        for (const Track& track : tracks) {
            m_tracks.emplace(track.id, &track);
            ++kinds[track.kind];
        }
        m_nodesAreGroups = kinds[TrackKind::Node] > 1;
        m_processesAreGroups = kinds[TrackKind::Process] > 1 && kinds[TrackKind::Process] != kinds[TrackKind::Node];
        for (const Track& track : tracks) {
            const bool hasParent = m_tracks.contains(track.parent) && track.parent != track.id;
            m_children[hasParent ? track.parent : noTrack].push_back(&track);
        }
        for (const Processor& processor : processors) m_processors.emplace(processor.track, &processor);
        for (const ProcessorId pe : choice.only) m_only.insert(pe);
    }

    std::vector<TimelineRow> rows()
    {
        visit(noTrack, 0, 0);
        applyOrder();
        applyPins();
        return std::move(m_rows);
    }

private:
    bool isGroup(const Track& track) const
    {
        return (track.kind == TrackKind::Node && m_nodesAreGroups)
               || (track.kind == TrackKind::Process && m_processesAreGroups);
    }
    static bool isHidden(const Track& track)
    {
        return track.kind == TrackKind::Root || track.kind == TrackKind::Node || track.kind == TrackKind::Process;
    }
    bool wanted(const Track& track) const { return m_only.empty() || (track.pe && m_only.contains(*track.pe)); }

    // Of tracks nested deeper than 64 levels, which a broken trace may have, none are shown.
    void visit(TrackId parent, int depth, int level)
    {
        const auto children = m_children.find(parent);
        if (children == m_children.end() || level > 64) return;
        for (const Track* track : children->second) {
            if (isGroup(*track)) addGroup(*track, depth, level);
            else if (isHidden(*track)) visit(track->id, depth, level + 1);
            else addTrack(*track, depth, level);
        }
    }

    void addGroup(const Track& track, int depth, int level)
    {
        TimelineRow row{.kind = RowKind::Group,
                        .track = track.id,
                        .label = track.name,
                        .depth = depth,
                        .foldable = true,
                        .folded = m_choice.folded.contains(track.id)};
        collectMembers(track.id, row.members, level);
        if (row.members.empty()) return;
        const bool folded = row.folded;
        m_rows.push_back(std::move(row));
        if (!folded) visit(track.id, depth + 1, level + 1);
    }

    void addTrack(const Track& track, int depth, int level)
    {
        const bool below = m_children.contains(track.id);
        if (wanted(track)) {
            const auto processor = m_processors.find(track.id);
            TimelineRow row{.kind = RowKind::Intervals,
                            .track = track.id,
                            .pe = track.pe,
                            .label = track.name,
                            .depth = depth,
                            .foldable = below,
                            .folded = m_choice.folded.contains(track.id)};
            if (track.kind == TrackKind::CommThread) row.kind = RowKind::CommThread;
            else if (processor != m_processors.end()) row.kind = RowKind::Processor;
            if (processor != m_processors.end()) row.hasLog = processor->second->hasLog;
            m_rows.push_back(std::move(row));
        }
        if (below && !m_choice.folded.contains(track.id)) visit(track.id, depth + 1, level + 1);
    }

    void collectMembers(TrackId parent, std::vector<TrackId>& members, int level) const
    {
        const auto children = m_children.find(parent);
        if (children == m_children.end() || level > 64) return;
        for (const Track* track : children->second) {
            const auto processor = m_processors.find(track->id);
            const bool counted = processor != m_processors.end() && track->kind != TrackKind::CommThread;
            if (counted && wanted(*track)) members.push_back(track->id);
            collectMembers(track->id, members, level + 1);
        }
    }

    void applyOrder()
    {
        if (m_choice.order.empty()) return;
        std::unordered_map<std::uint32_t, std::size_t, DrawnHash> place;
        for (std::size_t i = 0; i < m_choice.order.size(); ++i) place.emplace(index(m_choice.order[i]), i);
        std::erase_if(m_rows, [](const TimelineRow& row) { return row.kind == RowKind::Group; });
        const auto placeOf = [&](const TimelineRow& row) {
            const auto found = row.pe ? place.find(index(*row.pe)) : place.end();
            return found == place.end() ? m_choice.order.size() : found->second;
        };
        std::ranges::stable_sort(m_rows, {}, placeOf);
    }

    void applyPins()
    {
        if (m_choice.pinned.empty()) return;
        std::map<TrackId, std::size_t> place;
        for (std::size_t i = 0; i < m_choice.pinned.size(); ++i) place.emplace(m_choice.pinned[i], i);
        for (TimelineRow& row : m_rows) row.pinned = place.contains(row.track);
        std::ranges::stable_sort(m_rows, {}, [&](const TimelineRow& row) {
            const auto found = place.find(row.track);
            return found == place.end() ? m_choice.pinned.size() : found->second;
        });
    }

    const RowChoice& m_choice;
    std::map<TrackId, const Track*> m_tracks;
    std::map<TrackId, std::vector<const Track*>> m_children;
    std::map<TrackId, const Processor*> m_processors;
    std::set<ProcessorId> m_only;
    bool m_nodesAreGroups = false;
    bool m_processesAreGroups = false;
    std::vector<TimelineRow> m_rows;
};

}  // namespace

void markCutLogs(std::vector<TimelineRow>& rows, const TraceStore& store)
{
    const auto isCut = [](const Issue& issue) {
        return issue.kind == issueIdentifier(IssueKind::CutLog)
               || issue.kind == issueIdentifier(IssueKind::MissingEndOfLog);
    };
    if (std::ranges::none_of(store.issues(), isCut)) return;
    for (TimelineRow& row : rows) {
        if (row.kind != RowKind::Processor || !row.pe || !row.hasLog) continue;
        const Processor* const processor = store.processor(*row.pe);
        if (processor != nullptr && processor->lastRecord < store.info().end) row.recordedUntil = processor->lastRecord;
    }
}

std::vector<TimelineRow> timelineRows(std::span<const Track> tracks, std::span<const Processor> processors,
                                      const RowChoice& choice)
{
    return RowTree(tracks, processors, choice).rows();
}

}  // namespace longpole
