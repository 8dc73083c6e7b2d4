// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/cputime.h"

#include "app/commandline/commandline.h"
#include "app/common/sourcefiles.h"
#include "app/output/output.h"
#include "core/base/endsatonce.h"
#include "core/base/limits.h"
#include "core/base/memory.h"
#include "core/base/translate.h"
#include "core/file/filedata.h"
#include "core/trace/format.h"

#include <QByteArray>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole {
namespace {

constexpr int patience = 5;  // seconds of CPU time for what is cancelled to tidy up; the system signals each

QByteArray& farewell()
{
    static QByteArray text;
    return text;
}

extern "C" void endForWantOfTime(int signal)
{
    static std::atomic<int> signals{0};
    if (++signals < patience && !EndsAtOnce::applies() && cancelWork(signal)) return;
    removeHalfOutput();
    static_cast<void>(!::write(STDERR_FILENO, farewell().constData(), static_cast<std::size_t>(farewell().size())));
    std::_Exit(static_cast<int>(ExitCode::BadInput));
}

// What lies on the disk.
std::int64_t bytesOfInput(const QString& path)
{
    // Options may name anything, and beside a .longpole file nothing is read: no folder is gone through for those.
    if (!QFileInfo::exists(path)) return 0;
    BytesOfFiles bytes;
    if (!path.endsWith(QLatin1String(".longpole")))
        for (const QString& file : sourceFiles(path)) bytes.add(file);
    if (bytes.sum() == 0) bytes.add(path);
    return bytes.sum();
}

}  // namespace

std::chrono::seconds cpuTimeFor(const QStringList& paths)
{
    constexpr std::int64_t megabyte = 1'000'000;
    std::int64_t bytes = 0;
    for (const QString& path : paths) bytes += bytesOfInput(path);
    return std::chrono::seconds(limits::cpuTime.of((bytes + megabyte - 1) / megabyte));
}

void limitCpuTime(std::chrono::seconds most)
{
    if (hasSanitizer()) return;
    rlimit limit{};
    const auto wanted = static_cast<rlim_t>(most.count());
    if (::getrlimit(RLIMIT_CPU, &limit) != 0 || limit.rlim_cur <= wanted) return;
    farewell() =
        tr("longpole: This takes more than the %1 of CPU time that it may. Ask about a part of the run, or allow "
           "more with --cpu-time.\n")
            .arg(formatTime(std::chrono::nanoseconds(most).count()))
            .toUtf8();
    struct sigaction end {};
    end.sa_handler = endForWantOfTime;
    end.sa_flags = static_cast<int>(SA_RESTART);
    ::sigaction(SIGXCPU, &end, nullptr);
    limit.rlim_cur = wanted;
    ::setrlimit(RLIMIT_CPU, &limit);  // what fails leaves the limit that there was
}

}  // namespace longpole
