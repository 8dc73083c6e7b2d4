// SPDX-License-Identifier: GPL-3.0-or-later
// What a recording gives as a source of events, and recordings that are made in a test.
#pragma once

#include "core/store/tracestore.h"
#include "importers/recording/source.h"
#include "recorder/format/format.h"
#include "support/mpi/haloexchange.h"
#include "support/mpi/recorded.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <memory>
#include <vector>

namespace longpole {

// What a location's events are, one line each.
class EventLines final : public MpiEvents {
public:
    EventLines(const MpiRunNames& names, TimeNs zero) : m_names(names), m_zero(zero) {}

    void enter(TimeNs time, std::uint32_t region) override { add(time, u"enter " % name(region)); }
    void leave(TimeNs time, std::uint32_t region) override { add(time, u"leave " % name(region)); }
    void beginCall(TimeNs time, std::uint32_t region) override { add(time, name(region)); }
    void endCall(TimeNs time) override { add(time, QStringLiteral("end")); }
    void send(std::int64_t request, std::uint32_t comm, std::uint32_t to, std::int32_t tag, std::int64_t bytes,
              bool isSynchronous) override
    {
        add(QStringLiteral("send %1 %2 to %3 tag %4 bytes %5%6")
                .arg(request)
                .arg(communicator(comm))
                .arg(to)
                .arg(tag)
                .arg(bytes)
                .arg(isSynchronous ? QStringLiteral(" synchronous") : QString()));
    }
    void polled() override { add(QStringLiteral("polled")); }
    void probed(std::uint32_t comm, std::uint32_t from, std::int32_t tag, bool takes) override
    {
        add(QStringLiteral("probed %1 from %2 tag %3%4")
                .arg(communicator(comm))
                .arg(from)
                .arg(tag)
                .arg(takes ? QStringLiteral(" takes") : QString()));
    }
    void postReceive(std::int64_t request) override { add(QStringLiteral("post %1").arg(request)); }
    void sendCompleted(std::int64_t request) override { add(QStringLiteral("sent %1").arg(request)); }
    void received(std::int64_t request, std::uint32_t comm, std::uint32_t from, std::int32_t tag,
                  std::int64_t bytes) override
    {
        add(QStringLiteral("received %1 %2 from %3 tag %4 bytes %5")
                .arg(request)
                .arg(communicator(comm))
                .arg(from)
                .arg(tag)
                .arg(bytes));
    }
    void receivedNothing(std::int64_t request) override { add(QStringLiteral("nothing %1").arg(request)); }
    void cancelled(std::int64_t request) override { add(QStringLiteral("cancelled %1").arg(request)); }
    void collective(std::int64_t request, std::uint32_t comm, std::int32_t root, MpiMoved moved,
                    CollectiveKind) override
    {
        add(QStringLiteral("collective %1 %2 root %3 bytes %4>%5")
                .arg(request)
                .arg(communicator(comm))
                .arg(root)
                .arg(moved.sent)
                .arg(moved.received));
    }
    void collectiveCompleted(std::int64_t request) override { add(QStringLiteral("collected %1").arg(request)); }
    void counter(TimeNs time, std::uint32_t counter, double value) override
    {
        const QString& name = m_names.counters.at(counter);
        if (name == QLatin1String("Failed polls")) add(time, QStringLiteral("%1 = %2").arg(name).arg(value));
        else machine[name] += value;
    }
    void mark(TimeNs, std::uint32_t, const QString&) override {}
    void record(const char* kind) override { ++records[QString::fromLatin1(kind)]; }

    QStringList lines;
    std::map<QString, int> records;
    std::map<QString, double> machine;  // sums over what it gave

private:
    QString name(std::uint32_t region) const { return m_names.regions.at(region).name; }
    QString communicator(std::uint32_t comm) const
    {
        return comm == noComm ? QStringLiteral("-") : m_names.communicators.at(comm).name;
    }
    void add(const QString& line) { lines << line; }
    void add(TimeNs time, const QString& line) { lines << QString::number(time - m_zero) % u' ' % line; }

    const MpiRunNames& m_names;
    TimeNs m_zero;
};

struct Opened {
    std::unique_ptr<RecordingSource> source;
    Error error;
    ImportLog log;

    explicit Opened(const QString& path)
    {
        Result<std::unique_ptr<RecordingSource>> opened = RecordingSource::open(path, 2, Progress{});
        if (opened) source = std::move(*opened);
        else error = opened.error();
    }
    QStringList events(std::size_t location = 0, TimeNs zero = 0)
    {
        EventLines lines(source->names(), zero);
        if (!source->read(location, lines, log, Progress{})) return {QStringLiteral("error")};
        return lines.lines;
    }
    QStringList issues() const
    {
        ImportLog all;
        all.merge(source->log());
        all.merge(log);
        QStringList kinds;
        for (const Issue& issue : all.issues()) kinds << issue.kind;
        return kinds;
    }
};

inline void putWorld(int size)
{
    std::vector<std::int32_t> members(static_cast<std::size_t>(size), 0);
    for (int i = 0; i < size; ++i) members[static_cast<std::size_t>(i)] = i;
    lp_put_comm(0, 0, 0, "MPI_COMM_WORLD", size, members.data());
}

// Records in a folder of its own, which is new with each begin().
class RecordedRanks {
protected:
    void begin() { m_folder = std::make_unique<QTemporaryDir>(); }
    QString folder() const { return m_folder->filePath(QStringLiteral("run.lprec")); }
    // One rank after the other.
    void record(int ranks, const std::function<void(int rank)>& body, const Settings& settings = {})
    {
        for (int rank = 0; rank < ranks; ++rank) {
            const int status = runRecorded(folder(), settings, [&] {
                lp_open(rank, ranks, 1);
                lp_set_run(77);
                putWorld(ranks);
                body(rank);
                lp_close(false);
                if (rank != 0) return;
                std::vector<lp_index_rank> rows(static_cast<std::size_t>(ranks));
                lp_index_row(rows.data());
                lp_write_index(rows.data(), ranks);
            });
            QCOMPARE(status, 0);
        }
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

// Changes a rank's header on disk.
inline void patchHeader(const QString& path, const std::function<void(lp_header&)>& change)
{
    QFile file(path);
    lp_header header;
    if (!file.open(QIODevice::ReadWrite) || file.read(reinterpret_cast<char*>(&header), sizeof header) < 0) return;
    change(header);
    file.seek(0);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
}

}  // namespace longpole
