// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/limitoptions.h"

#include "core/base/memory.h"
#include "core/base/parallel.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {
namespace {

// Takes "--name VALUE" and "--name=VALUE" out of what stands before "--": the last value, nothing if there is none.
std::optional<QString> takeValue(QStringList& arguments, const QString& name)
{
    std::optional<QString> value;
    for (qsizetype i = 0; i < arguments.size() && arguments[i] != QLatin1String("--");) {
        const bool isApart = arguments[i] == name;
        if (!isApart && !arguments[i].startsWith(name + u'=')) {
            ++i;
            continue;
        }
        value = isApart ? arguments.value(i + 1) : arguments[i].section(u'=', 1);
        arguments.remove(i, std::min<qsizetype>(isApart ? 2 : 1, arguments.size() - i));
    }
    return value;
}

// Whole `Unit`s from a second to a year; nothing for other texts.
template <typename Unit>
std::optional<Unit> timeOf(const QString& text)
{
    constexpr std::chrono::nanoseconds least = std::chrono::seconds(1), most = std::chrono::hours(24 * 365);
    const Result<TimeNs> parsed = parseTime(text);
    if (!parsed || *parsed < least.count() || *parsed > most.count()) return {};
    return std::chrono::duration_cast<Unit>(std::chrono::nanoseconds(*parsed));
}

}  // namespace

std::optional<std::int64_t> takeMemory(QStringList& arguments, std::int64_t without)
{
    const std::optional<QString> size = takeValue(arguments, QStringLiteral("--memory"));
    return size ? memorySize(*size) : without;
}

std::optional<std::chrono::seconds> takeCpuTime(QStringList& arguments)
{
    const std::optional<QString> time = takeValue(arguments, QStringLiteral("--cpu-time"));
    return time ? timeOf<std::chrono::seconds>(*time) : std::chrono::seconds(0);
}

std::optional<unsigned> takeThreads(QStringList& arguments)
{
    const std::optional<QString> number = takeValue(arguments, QStringLiteral("--threads"));
    if (!number) return 0;
    bool isNumber = false;
    const unsigned threads = number->toUInt(&isNumber);
    return isNumber && threads > 0 && threads <= mostThreads ? std::optional(threads) : std::nullopt;
}

std::optional<std::chrono::milliseconds> takeWait(QStringList& arguments, std::chrono::milliseconds without)
{
    const std::optional<QString> time = takeValue(arguments, QStringLiteral("--wait"));
    return time ? timeOf<std::chrono::milliseconds>(*time) : without;
}

QString memoryUsage() { return tr("--memory takes a size from 64M on, such as 512M or 4G"); }
QString cpuTimeUsage() { return tr("--cpu-time takes a time from 1s on, such as 90s or 10m"); }
QString waitUsage() { return tr("--wait takes a time from 1s on, such as 90s or 10m"); }
QString threadsUsage() { return tr("--threads takes a number from 1 to %1").arg(mostThreads); }

}  // namespace longpole
