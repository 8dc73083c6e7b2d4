// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/session/rowchoicejson.h"

#include <QHash>
#include <QSet>

namespace longpole {

namespace {

// Each at most once, in the order of the list.
std::vector<ProcessorId> processorsIn(const JsonValue& list, const TraceStore& store)
{
    std::vector<ProcessorId> pes;
    QSet<std::uint32_t> known;
    for (const JsonValue& item : list) {
        if (!item.is_number_unsigned() || item.get<std::uint64_t>() >= mostIds) continue;
        const auto number = item.get<std::uint32_t>();
        if (!store.processor(ProcessorId{number}) || known.contains(number)) continue;
        known.insert(number);
        pes.push_back(ProcessorId{number});
    }
    return pes;
}

std::vector<TrackId> tracksIn(const JsonValue& list, const TraceStore& store)
{
    QHash<QString, TrackId> byName;
    for (const Track& track : store.tracks()) byName.insert(track.name, track.id);
    std::vector<TrackId> tracks;
    for (const JsonValue& name : list) {
        if (!name.is_string()) continue;
        const auto it = byName.find(QString::fromStdString(name.get<std::string>()));
        if (it == byName.end()) continue;
        tracks.push_back(*it);
        byName.erase(it);  // each at most once
    }
    return tracks;
}

}  // namespace

JsonValue toJson(const RowChoice& choice, const TraceStore& store)
{
    const auto names = [&store](const auto& tracks) {
        JsonValue list = JsonValue::array();
        for (const TrackId id : tracks)
            if (const Track* track = store.track(id)) list.push_back(track->name);
        return list;
    };
    return {{"folded", names(choice.folded)},
            {"pinned", names(choice.pinned)},
            {"only", choice.only},
            {"order", choice.order}};
}

RowChoice rowChoiceFrom(const JsonValue& object, const TraceStore& store)
{
    RowChoice choice;
    for (const TrackId track : tracksIn(listOf(object, "folded"), store)) choice.folded.insert(track);
    choice.pinned = tracksIn(listOf(object, "pinned"), store);
    choice.only = processorsIn(listOf(object, "only"), store);
    choice.order = processorsIn(listOf(object, "order"), store);
    return choice;
}

}  // namespace longpole
