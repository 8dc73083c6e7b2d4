// SPDX-License-Identifier: GPL-3.0-or-later
// A made run in which PEs record stats of variables that they share.
#pragma once

#include "analysis/scheduling/schedulingquestions.h"
#include "analysis/scheduling/sharedaccessconcerns.h"

#include "support/writtentrace.h"

#include <QStringList>
#include <QTemporaryDir>

#include <bit>
#include <map>
#include <memory>
#include <vector>

namespace longpole {

inline constexpr TimeNs second = 1'000'000'000;

// Stats recorded on PEs that otherwise do what `tasks` says.
struct StatRun {
    explicit StatRun(std::uint32_t pes, TimeNs length = second) : written{{}, {}}, end(length)
    {
        written.tasks.resize(pes);
        written.messages.resize(pes);
        samples.resize(pes);
        messageEntries.resize(pes);
    }

    void record(std::uint32_t pe, TimeNs time, const char* stat, double value, double user = -1)
    {
        samples[pe].push_back({time, regionOf(QString::fromUtf8(stat)), std::bit_cast<std::int64_t>(value),
                               std::bit_cast<std::int64_t>(user)});
    }
    std::int64_t regionOf(const QString& name)
    {
        if (!stats.contains(name)) stats << name;
        return stats.indexOf(name);
    }

    TaskId run(std::uint32_t pe, TimeNs begin, TimeNs length, EntryId entry = EntryId{0})
    {
        written.tasks[pe].push_back({begin, length});
        entries[{pe, written.tasks[pe].size() - 1}] = entry;
        return task(pe, static_cast<std::uint32_t>(written.tasks[pe].size() - 1));
    }
    // One message from `offset` in a task to each of the tasks.
    void send(TaskId from, TimeNs offset, std::initializer_list<TaskId> to)
    {
        written.send(from, offset);
        messageEntries[index(from.pe)].push_back(entries.at({index(to.begin()->pe), to.begin()->index}));
        for (const TaskId& one : to) written.start(one, from);
    }

    std::shared_ptr<const TraceStore> open() const
    {
        const QString path = folder.filePath(QStringLiteral("run.longpole"));
        auto writer = TraceWriter::create(path);
        if (!writer) return nullptr;
        TraceInfo info;
        info.format = QStringLiteral("projections");
        info.processors = static_cast<std::int64_t>(samples.size());
        info.end = end;
        (*writer)->setInfo(info);
        for (std::uint32_t entry = 0; entry < 3; ++entry)
            (*writer)->add(Entry{.id = EntryId{entry}, .name = QString::number(entry), .chare = QStringLiteral("M")});
        for (int i = 0; i < stats.size(); ++i)
            (*writer)->add(Region{.id = RegionId{static_cast<std::uint32_t>(i)},
                                  .kind = RegionKind::Stat,
                                  .number = i,
                                  .name = stats[i]});
        for (std::uint32_t pe = 0; pe < samples.size(); ++pe) writeProcessor(**writer, pe);
        if (!(*writer)->finish(Progress{})) return nullptr;
        const auto store = TraceStore::open(path);
        return store ? *store : nullptr;
    }

    SharedAccess analyse(const Thresholds& thresholds = {}) const
    {
        const auto store = open();
        if (!store) return {};
        const auto graph = loadActivityGraph(*store, Progress{});
        if (!graph) return {};
        const Result<SharedAccess> result = sharedAccess(*store, **graph, thresholds, Progress{});
        return result ? *result : SharedAccess{};
    }

private:
    void writeProcessor(TraceWriter& writer, std::uint32_t pe) const
    {
        const TrackId track{10 + pe};
        writer.add(Track{.id = track, .name = {}, .pe = ProcessorId{pe}});
        writer.add(Processor{.pe = ProcessorId{pe}, .track = track, .name = {}});
        auto stream = writer.stream(pe);
        for (const Row& sample : samples[pe]) stream->append(ChunkKind::Counter, track, sample);
        for (std::size_t i = 0; i < written.tasks[pe].size(); ++i) {
            const Executed& t = written.tasks[pe][i];
            stream->append(ChunkKind::Task, track, taskRow(t.begin, t.begin + t.duration, index(entries.at({pe, i}))));
        }
        for (std::size_t i = 0; i < written.messages[pe].size(); ++i) {
            const Sent& m = written.messages[pe][i];
            stream->append(ChunkKind::Message, track,
                           messageRow(written.tasks[pe][m.task].begin + m.offset, m.task, m.offset,
                                      index(messageEntries[pe][i]), 0));
        }
        for (const Executed& t : written.tasks[pe])
            stream->append(ChunkKind::TaskSource, track,
                           t.source.isValid() ? Row{std::int64_t(Link::Message), index(t.source.pe), t.source.index,
                                                    t.offset, 0, t.message, index(t.source.pe)}
                                              : Row{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0});
    }

    Written written;
    TimeNs end;
    std::vector<std::vector<Row>> samples;
    std::vector<std::vector<EntryId>> messageEntries;
    QStringList stats;
    std::map<std::pair<std::uint32_t, std::size_t>, EntryId> entries;
    QTemporaryDir folder;
};

// The first concern of that name.
inline SharedConcern concern(const SharedAccess& access, const char* id)
{
    for (const SharedConcern& one : access.concerns)
        if (one.id == QLatin1String(id)) return one;
    return {};
}

}  // namespace longpole
