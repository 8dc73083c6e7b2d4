// SPDX-License-Identifier: GPL-3.0-or-later
// The trace that an import makes of an MPI program: its tasks as text, and what must hold in any.
#pragma once

#include "core/trace/columns.h"
#include "importers/smallrun.h"
#include "support/mpi/mpiprogram.h"

#include <numeric>

namespace longpole::test {

// Where programs are imported to.
class ImportFolder {
public:
    ImportFolder() { QVERIFY(m_folder.isValid()); }
    QString path() const { return m_folder.path(); }
    QByteArray bytes() const
    {
        QFile file(m_folder.filePath(QStringLiteral("program.longpole")));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QStringList files() const { return QDir(m_folder.path()).entryList(QDir::Files); }

private:
    QTemporaryDir m_folder;
};

inline QString entryNameOf(const TraceStore& store, std::int64_t entry)
{
    const Entry* known = store.entry(EntryId{static_cast<std::uint32_t>(entry)});
    return known ? known->name : QStringLiteral("?");
}

// "begin+duration name" of each task of a rank.
inline QStringList tasksOf(const TraceStore& store, std::uint32_t rank)
{
    QStringList tasks;
    for (const QString& row :
         rowsOf(store, ChunkKind::Task, TrackId{rank}, {TaskColumn::Begin, TaskColumn::Duration, TaskColumn::Entry})) {
        const QStringList cells = row.split(u' ');
        tasks << cells[0] + u'+' + cells[1] + u' ' + entryNameOf(store, cells[2].toLongLong());
    }
    return tasks;
}

inline std::int64_t sumOf(const TraceStore& store, ChunkKind kind, TrackId track, std::size_t column)
{
    std::int64_t sum = 0;
    for (const QString& row : rowsOf(store, kind, track, {column})) sum += row.toLongLong();
    return sum;
}

// What must hold in every trace of an MPI run that has no damage and begins with its first event.
inline void checkMpiSums(const TraceStore& store)
{
    const TraceInfo& info = store.info();
    QCOMPARE(info.busy + info.idle + info.overhead(), info.duration() * info.processors);
    std::int64_t tasks = 0, messages = 0, matched = 0;
    for (const Processor& processor : store.processors()) {
        QVERIFY(processor.busy >= 0 && processor.idle >= 0 && processor.busy + processor.idle <= info.duration());
        const TrackId track = processor.track;
        QCOMPARE(sumOf(store, ChunkKind::Task, track, TaskColumn::Duration), processor.busy);
        QCOMPARE(sumOf(store, ChunkKind::Idle, track, IdleColumn::Duration), processor.idle);
        QCOMPARE(rowsOf(store, ChunkKind::TaskSource, track).size(), static_cast<qsizetype>(processor.tasks));
        QCOMPARE(rowsOf(store, ChunkKind::Message, track).size(), static_cast<qsizetype>(processor.messages));
        matched += sumOf(store, ChunkKind::MessageExecutions, track, 0);
        tasks += processor.tasks;
        messages += processor.messages;
        TileBin tiles;
        const auto level = store.tiles(track, store.tileLevels(track).front(), info.range());
        QVERIFY(level);
        for (const TileBin& bin : level->bins) {
            tiles.busy += bin.busy;
            tiles.idle += bin.idle;
            tiles.tasks += bin.tasks;
            tiles.messages += bin.messages;
        }
        QCOMPARE(tiles.busy, processor.busy);
        QCOMPARE(tiles.idle, processor.idle);
        QCOMPARE(tiles.tasks, processor.tasks);
        QCOMPARE(tiles.messages, processor.messages);
        ProfileRow profile;
        for (const ProfileRow& row : store.profile()) {
            if (row.pe != processor.pe) continue;
            profile.count += row.count;
            profile.exclusive += row.exclusive;
            profile.messages += row.messages;
            QVERIFY(store.entry(row.entry));
        }
        QCOMPARE(profile.count, processor.tasks);
        QCOMPARE(profile.exclusive, processor.busy);
        QVERIFY(profile.messages <= processor.messages);
        const EntryBins bins = *store.entryBins(track);
        QCOMPARE(std::accumulate(bins.time.begin(), bins.time.end(), TimeNs{0}), processor.busy);
        QCOMPARE(std::accumulate(bins.tasks.begin(), bins.tasks.end(), std::int64_t{0}), processor.tasks);
    }
    QCOMPARE(info.tasks, tasks);
    QCOMPARE(info.messages, messages);
    QCOMPARE(info.messagesMatched, matched);
}

}  // namespace longpole::test
