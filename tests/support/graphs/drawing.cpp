// SPDX-License-Identifier: GPL-3.0-or-later
// Reads drawings of small activity graphs.
#include "support/graphs/drawing.h"

#include <QList>

#include <algorithm>
#include <cctype>

namespace longpole {

namespace {

struct Drawn {
    char name;
    std::uint32_t pe;
    TimeNs begin;
    TimeNs length;
};

struct Sent {
    char from, to;
    TimeNs at;        // -1: at the end
    TimeNs received;  // minTime: unknown
    bool isMerge;
};

struct Sketch {
    std::vector<Drawn> tasks;
    std::vector<Sent> messages;
    std::vector<std::pair<QByteArray, QByteArray>> entries;  // name, tasks
    std::uint32_t processors = 0;
    TimeNs end = 0;
    bool hasRanks = false;
};

void readProcessor(std::uint32_t pe, const QByteArray& row, Sketch& sketch)
{
    for (qsizetype i = 0; i < row.size();) {
        qsizetype j = i;
        while (j < row.size() && row[j] == row[i]) ++j;
        if (std::isalnum(static_cast<unsigned char>(row[i]))) sketch.tasks.push_back({row[i], pe, i, j - i});
        i = j;
    }
    sketch.processors = std::max(sketch.processors, pe + 1);
    sketch.end = std::max<TimeNs>(sketch.end, row.size());
}

void readMessage(const QList<QByteArray>& words, Sketch& sketch)
{
    Sent message{.from = words[0][0], .to = words[2][0], .at = -1, .received = minTime, .isMerge = words[1] == ">>"};
    if (words[0].size() > 1) message.at = words[0].mid(2).toLongLong();
    if (words.size() > 3) message.received = words[3].mid(1).toLongLong();
    sketch.messages.push_back(message);
}

void readLine(const QByteArray& line, Sketch& sketch)
{
    const QList<QByteArray> words = line.split(' ');
    if (line == "ranks") {
        sketch.hasRanks = true;
    } else if (words.size() > 2 && words[1].startsWith('>')) {
        readMessage(words, sketch);
    } else if (words.size() == 3 && words[1] == "at") {
        const QList<QByteArray> place = words[2].split(':');
        sketch.tasks.push_back({words[0][0], place[0].toUInt(), place[1].toLongLong(), 0});
        sketch.processors = std::max(sketch.processors, place[0].toUInt() + 1);
    } else if (line.startsWith("entry ")) {
        const qsizetype colon = line.indexOf(':');
        sketch.entries.emplace_back(line.mid(6, colon - 6), line.mid(colon + 1).replace(' ', ""));
    } else {
        const qsizetype colon = line.indexOf(':');
        readProcessor(line.left(colon).toUInt(), line.mid(colon + 1).trimmed(), sketch);
    }
}

EntryId entryOf(char task, const Drawing& drawing, const Sketch& sketch)
{
    for (const auto& [name, tasks] : sketch.entries)
        if (tasks.contains(task)) return drawing.entry(name.constData());
    return EntryId{static_cast<std::uint32_t>(static_cast<unsigned char>(task))};
}

void addTasks(const Sketch& sketch, Drawing& drawing)
{
    std::vector<std::uint32_t> next(drawing.processors, 0);
    for (const Drawn& task : sketch.tasks) {
        const TaskId id{ProcessorId{task.pe}, next[task.pe]++};
        drawing.names.emplace_back(task.name, id);
        drawing.tasks.push_back(
            {.id = id, .begin = task.begin, .duration = task.length, .entry = entryOf(task.name, drawing, sketch)});
    }
}

void addEdge(const Sent& message, Drawing& drawing)
{
    const auto raw = [&drawing](char name) {
        return std::find_if(drawing.tasks.begin(), drawing.tasks.end(),
                            [id = drawing[name]](const RawTask& task) { return task.id == id; });
    };
    const auto source = raw(message.from);
    const auto target = raw(message.to);
    const TimeNs offset = message.at < 0 ? source->duration : message.at;
    if (message.isMerge) {
        drawing.merges.push_back({target->id, source->id, offset, MergeKind::Recorded});
        return;
    }
    target->source = source->id;
    target->offset = offset;
    target->sent = source->begin + offset;
    target->received = drawing.hasRanks ? target->sent : message.received;
}

}  // namespace

TaskId Drawing::operator[](char name) const
{
    for (const auto& [known, id] : names)
        if (known == name) return id;
    return {};
}

char Drawing::nameOf(TaskId id) const
{
    for (const auto& [name, known] : names)
        if (known == id) return name;
    return '?';
}

EntryId Drawing::entry(const char* name) const
{
    for (const auto& [known, id] : entries)
        if (known == name) return id;
    return EntryId{static_cast<std::uint32_t>(static_cast<unsigned char>(name[0]))};
}

Drawing draw(const char* text)
{
    Sketch sketch;
    for (const QByteArray& line : QByteArray(text).split('\n'))
        if (!line.trimmed().isEmpty()) readLine(line.simplified(), sketch);
    std::stable_sort(sketch.tasks.begin(), sketch.tasks.end(),
                     [](const Drawn& a, const Drawn& b) { return a.begin < b.begin; });
    Drawing drawing;
    drawing.run = {0, sketch.end};
    drawing.processors = sketch.processors;
    drawing.hasRanks = sketch.hasRanks;
    for (std::size_t e = 0; e < sketch.entries.size(); ++e)
        drawing.entries.emplace_back(sketch.entries[e].first, EntryId{static_cast<std::uint32_t>(256 + e)});
    addTasks(sketch, drawing);
    for (const Sent& message : sketch.messages) addEdge(message, drawing);
    return drawing;
}

}  // namespace longpole
