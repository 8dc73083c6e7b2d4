// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/session/rowchoicejson.h"

#include <QHash>
#include <QJsonArray>

namespace longpole {

namespace {

QJsonArray numbers(const std::vector<ProcessorId>& pes)
{
    QJsonArray array;
    for (const ProcessorId pe : pes) array.append(static_cast<qint64>(index(pe)));
    return array;
}

std::vector<ProcessorId> processorsFrom(const QJsonValue& value, const TraceStore& store)
{
    std::vector<ProcessorId> pes;
    for (const QJsonValue& item : value.toArray()) {
        const ProcessorId pe{static_cast<std::uint32_t>(item.toInteger(-1))};
        if (store.processor(pe)) pes.push_back(pe);
    }
    return pes;
}

}  // namespace

QJsonObject toJson(const RowChoice& choice, const TraceStore& store)
{
    const auto names = [&store](const auto& tracks) {
        QJsonArray array;
        for (const TrackId id : tracks)
            if (const Track* track = store.track(id)) array.append(track->name);
        return array;
    };
    return {{QStringLiteral("folded"), names(choice.folded)},
            {QStringLiteral("pinned"), names(choice.pinned)},
            {QStringLiteral("only"), numbers(choice.only)},
            {QStringLiteral("order"), numbers(choice.order)}};
}

RowChoice rowChoiceFrom(const QJsonObject& object, const TraceStore& store)
{
    QHash<QString, TrackId> byName;
    for (const Track& track : store.tracks()) byName.insert(track.name, track.id);
    RowChoice choice;
    for (const QJsonValue& name : object.value(QLatin1String("folded")).toArray())
        if (const auto it = byName.constFind(name.toString()); it != byName.constEnd()) choice.folded.insert(*it);
    for (const QJsonValue& name : object.value(QLatin1String("pinned")).toArray())
        if (const auto it = byName.constFind(name.toString()); it != byName.constEnd()) choice.pinned.push_back(*it);
    choice.only = processorsFrom(object.value(QLatin1String("only")), store);
    choice.order = processorsFrom(object.value(QLatin1String("order")), store);
    return choice;
}

}  // namespace longpole
