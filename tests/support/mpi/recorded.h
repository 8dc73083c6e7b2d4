// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that record themselves: a process has one recording, so each runs in a child of the test.
#pragma once

#include "importers/recording/file.h"
#include "recorder/format/calls.h"
#include "recorder/format/recording.h"

#include <QByteArray>
#include <QFile>
#include <QString>

#include <cstdlib>
#include <functional>
#include <map>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace longpole {

using Settings = std::map<QByteArray, QByteArray>;  // environment variables without their LONGPOLE_

// Starts `body` in a child and returns the child's process id. After `body` the child ends like a killed program,
// without closing anything. runRecorded() also waits, and returns the status of waitpid.
inline pid_t startRecorded(const QString& folder, const Settings& settings, const std::function<void()>& body)
{
    const pid_t child = fork();
    if (child != 0) return child;
    // The child has one thread: NOLINTNEXTLINE(concurrency-mt-unsafe)
    setenv("LONGPOLE_OUTPUT", QFile::encodeName(folder).constData(), 1);
    for (const auto& [name, value] : settings)  // NOLINTNEXTLINE(concurrency-mt-unsafe)
        setenv(QByteArray("LONGPOLE_" + name).constData(), value.constData(), 1);
    body();
    _exit(0);
}

inline int runRecorded(const QString& folder, const Settings& settings, const std::function<void()>& body)
{
    const pid_t child = startRecorded(folder, settings, body);
    int status = 0;
    return waitpid(child, &status, 0) == child ? status : -1;
}

inline lp_call madeCall(lp_call_id call, std::int64_t begin, std::int64_t end)
{
    lp_call made{};
    made.call = static_cast<std::uint16_t>(call);
    made.comm = LP_NO_COMM;
    made.peer = LP_NO_RANK;
    made.begin = begin;
    made.end = end;
    return made;
}

inline void putCall(const lp_call& call, const std::vector<lp_completion>& completions = {})
{
    lp_put_call(&call, completions.data(), static_cast<int>(completions.size()));
}

inline QString rankPath(const QString& folder, int rank = 0)
{
    return folder + QStringLiteral("/rank-%1.lprank").arg(rank, 6, 10, QLatin1Char('0'));
}

// One thread's records as they lie in an area, chunk after chunk. Empty, and `ok` false, if a chunk is damaged.
inline std::vector<char> recordsOf(const RecordingBytes& bytes, const RecordedRank& rank, std::uint32_t thread,
                                   bool& ok)
{
    std::vector<char> all;
    std::vector<char> records;
    for (const RecordedChunk& chunk : rank.chunks) {
        if (chunk.thread != thread) continue;
        ok = ok && readRecords(bytes, chunk, records);
        all.insert(all.end(), records.begin(), records.end());
    }
    return all;
}

}  // namespace longpole
