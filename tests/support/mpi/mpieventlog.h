// SPDX-License-Identifier: GPL-3.0-or-later
// MpiEvents that write down what they get, one line each, and a source read into such lines.
#pragma once

#include "importers/mpi/source.h"

#include <QStringList>

#include <map>
#include <memory>
#include <string>

namespace longpole {

class MpiEventLog final : public MpiEvents {
public:
    explicit MpiEventLog(const MpiRunNames& names) : m_names(names) {}

    QStringList lines;
    std::map<std::string, std::int64_t> counts;
    TimeNs first = 0;
    TimeNs last = 0;

    void enter(TimeNs time, std::uint32_t region) override { add("%1 enter %2", time, nameOf(region)); }
    void leave(TimeNs time, std::uint32_t region) override { add("%1 leave %2", time, nameOf(region)); }
    void beginCall(TimeNs time, std::uint32_t region) override { add("%1 begin %2", time, nameOf(region)); }
    void endCall(TimeNs time) override { add("%1 end", time); }
    void send(std::int64_t request, std::uint32_t comm, std::uint32_t to, std::int32_t tag, std::int64_t bytes,
              bool isSynchronous) override
    {
        add("%1 %2 comm %3 to %4 tag %5 bytes %6", QLatin1String(isSynchronous ? "ssend" : "send"), request, comm, to,
            tag, bytes);
    }
    void postReceive(std::int64_t request) override { add("post %1", request); }
    void sendCompleted(std::int64_t request) override { add("sent %1", request); }
    void received(std::int64_t request, std::uint32_t comm, std::uint32_t from, std::int32_t tag,
                  std::int64_t bytes) override
    {
        add("received %1 comm %2 from %3 tag %4 bytes %5", request, comm, from, tag, bytes);
    }
    void receivedNothing(std::int64_t request) override { add("nothing %1", request); }
    void cancelled(std::int64_t request) override { add("cancelled %1", request); }
    void collective(std::int64_t request, std::uint32_t comm, std::int32_t root, MpiMoved moved,
                    CollectiveKind) override
    {
        add("collective %1 comm %2 root %3 bytes %4>%5", request, comm, root, moved.sent, moved.received);
    }
    void collectiveCompleted(std::int64_t request) override { add("completed %1", request); }
    void counter(TimeNs time, std::uint32_t counter, double value) override
    {
        add("%1 counter %2 = %3", time, m_names.counters[counter], value);
    }
    void mark(TimeNs time, std::uint32_t region, const QString& text) override
    {
        add("%1 mark %2 %3", time, nameOf(region), text);
    }
    void record(const char* kind) override { ++counts[kind]; }
    void span(TimeNs firstTime, TimeNs lastTime) override
    {
        first = firstTime;
        last = lastTime;
    }

private:
    QString nameOf(std::uint32_t region) const { return m_names.regions[region].name; }
    template <typename... Values>
    void add(const char* pattern, const Values&... values)
    {
        QString line = QString::fromLatin1(pattern);
        ((line = line.arg(values)), ...);
        lines += line;
    }

    const MpiRunNames& m_names;
};

struct MpiEventLogs {
    std::vector<MpiEventLog> locations;
    ImportLog log;  // soft errors of the run and of all locations
    std::map<std::string, std::int64_t> counts() const
    {
        std::map<std::string, std::int64_t> sum;
        for (const MpiEventLog& location : locations) {
            for (const auto& [kind, count] : location.counts) sum[kind] += count;
        }
        return sum;
    }
    QStringList issues() const
    {
        QStringList lines;
        for (const Issue& issue : log.issues()) lines += QStringLiteral("%1 %2").arg(issue.kind).arg(issue.count);
        return lines;
    }
};

inline MpiEventLogs readAll(MpiSource& source)
{
    MpiEventLogs logs;
    logs.log.merge(source.log());
    const Progress progress;
    for (std::size_t i = 0; i < source.names().locations.size(); ++i) {
        MpiEventLog& events = logs.locations.emplace_back(source.names());
        if (Result<> read = source.read(i, events, logs.log, progress); !read) events.lines += toText(read.error());
    }
    return logs;
}

}  // namespace longpole
