// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/memory.h"

#include "core/base/translate.h"

#include <QFile>

#include <algorithm>
#include <atomic>

#include <sys/resource.h>
#include <unistd.h>

namespace longpole {
namespace {

constexpr std::int64_t leastMemory = std::int64_t{64} << 20;
constexpr std::int64_t mostMemory = std::int64_t{1} << 50;

constexpr std::int64_t reserve = std::int64_t{64} << 20;
std::int64_t givenLimit = 0;
pid_t keeper = 0;  // the thread that goes on
std::atomic<bool> isReserveUsed{false};

constexpr bool isSanitized =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
    true;
#else
    false;
#endif
#else
    false;
#endif

void setLimit(std::int64_t bytes)
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_DATA, &limit) != 0) return;
    const auto wanted = static_cast<rlim_t>(bytes);
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? wanted : std::min(wanted, limit.rlim_max);
    ::setrlimit(RLIMIT_DATA, &limit);  // what fails leaves the limit that there was
}

// A new-handler: to return is to try again.
void takeReserve()
{
    const bool isFirst = !isReserveUsed.exchange(true);
    if (isFirst) setLimit(givenLimit + reserve);
    if (!isFirst || ::gettid() != keeper) throw std::bad_alloc();
}

}  // namespace

std::optional<std::int64_t> memorySize(const QString& text)
{
    QString digits = text;
    int shift = 0;
    const QChar unit = text.isEmpty() ? QChar() : text.back().toUpper();
    if (unit == u'K') shift = 10;
    if (unit == u'M') shift = 20;
    if (unit == u'G') shift = 30;
    if (unit == u'T') shift = 40;
    if (shift > 0) digits.chop(1);
    bool isNumber = false;
    const qlonglong number = digits.toLongLong(&isNumber);
    if (!isNumber || !digits.back().isDigit() || number < 0 || number > (mostMemory >> shift)) return {};
    const std::int64_t bytes = std::int64_t{number} << shift;
    return bytes < leastMemory ? std::nullopt : std::optional(bytes);
}

std::int64_t halfOfMemory()
{
    QFile file(QStringLiteral("/proc/meminfo"));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    for (QByteArray line = file.readLine(); !line.isEmpty(); line = file.readLine()) {
        if (!line.startsWith("MemAvailable:")) continue;
        const qlonglong kilobytes = line.mid(13).trimmed().split(' ').value(0).toLongLong();
        return std::max<std::int64_t>(leastMemory, kilobytes * 512);
    }
    return 0;
}

bool hasSanitizer() { return isSanitized; }

void limitMemory(std::int64_t bytes)
{
    if (isSanitized || bytes <= 0) return;
    givenLimit = bytes;
    setLimit(bytes);
}

WithoutMemoryLimit::WithoutMemoryLimit()
{
    if (givenLimit > 0) setLimit(static_cast<std::int64_t>(RLIM_INFINITY));
}

WithoutMemoryLimit::~WithoutMemoryLimit()
{
    if (givenLimit > 0) setLimit(givenLimit);
}

void keepMemoryReserve()
{
    if (givenLimit <= 0) return;
    keeper = ::gettid();
    std::set_new_handler(takeReserve);
}

void restoreMemoryReserve()
{
    if (!isReserveUsed) return;
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly)) return;
    const qlonglong pages = file.readAll().split(' ').value(5).toLongLong();
    if (pages * ::sysconf(_SC_PAGESIZE) >= givenLimit) return;
    setLimit(givenLimit);
    isReserveUsed = false;
}

Error outOfMemory()
{
    return Error{.what = tr("This takes more memory than the program may have."),
                 .where = {},
                 .hint = tr("Ask about a part of the run, or allow more with --memory.")};
}

}  // namespace longpole
