// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/session/rowchoicejson.h"

#include <QHash>

namespace longpole {

namespace {

std::vector<ProcessorId> processorsIn(const JsonValue& list, const TraceStore& store)
{
    std::vector<ProcessorId> pes;
    for (const JsonValue& item : list) {
        if (!item.is_number_unsigned()) continue;
        const ProcessorId pe{static_cast<std::uint32_t>(item.get<std::uint64_t>())};
        if (store.processor(pe)) pes.push_back(pe);
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
        const auto it = byName.constFind(QString::fromStdString(name.get<std::string>()));
        if (it != byName.constEnd()) tracks.push_back(*it);
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
