// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/demangle.h"

#include "core/base/limits.h"

#include <setjmp.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>

// The C++ library's demangler with a sink instead of a buffer that grows without bound. It lies in the static part of
// the library only, is plain C and allocates nothing but on its stack, so that a jump may leave it anywhere.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the library's own name for it
extern "C" int __gcclibcxx_demangle_callback(const char* name, void (*take)(const char*, std::size_t, void*), void* to);

namespace longpole {
namespace {

constexpr qsizetype longestName = 8192;  // its stack grows with the name

// Some names of a hundred letters take it hours: it reads the arguments of conversion operators twice at each level,
// and looks for packs in parts of a type as often as the type refers to them. Honest names take microseconds.
constexpr auto longestTime = std::chrono::milliseconds(20);  // of the thread's CPU time, for one name
constexpr auto longestInAll = std::chrono::seconds(1);       // of slow names of one source
constexpr auto usualTime = std::chrono::microseconds(100);   // names that take less are not slow, however many
constexpr qsizetype quickName = 64;                          // letters of names that can't take long

thread_local sigjmp_buf* stopAt = nullptr;  // where the thread goes on when a name's time is over

void stop(int)
{
    sigjmp_buf* const at = stopAt;
    stopAt = nullptr;
    if (at != nullptr) siglongjmp(*at, 1);
}

int stopSignal()
{
    static const int number = [] {
        constexpr int ofOwn = 7;  // the first ones are what programs take without looking
        struct sigaction action {};
        action.sa_handler = stop;
        action.sa_flags = SA_RESTART;
        return sigaction(SIGRTMIN + ofOwn, &action, nullptr) == 0 ? SIGRTMIN + ofOwn : 0;
    }();
    return number;
}

// A clock of the thread's own CPU time that calls stop() on it.
class Alarm {
public:
    Alarm()
    {
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = stopSignal();
        event._sigev_un._tid = gettid();
        m_isThere = event.sigev_signo != 0 && timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &m_timer) == 0;
    }
    ~Alarm()
    {
        if (m_isThere) timer_delete(m_timer);
    }
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;

    // Once after that time.
    bool set(std::chrono::nanoseconds after) const
    {
        itimerspec time{};
        time.it_value.tv_nsec = static_cast<long>(after.count());
        return m_isThere && timer_settime(m_timer, 0, &time, nullptr) == 0;
    }
    // Not any more; what was left of the time.
    std::chrono::nanoseconds clear() const
    {
        const itimerspec none{};
        itimerspec before{};
        if (m_isThere) timer_settime(m_timer, 0, &none, &before);
        return std::chrono::seconds(before.it_value.tv_sec) + std::chrono::nanoseconds(before.it_value.tv_nsec);
    }

private:
    timer_t m_timer{};
    bool m_isThere = false;
};

struct Sink {
    char* text = nullptr;  // of `most` bytes
    std::size_t length = 0, most = 0;
    sigjmp_buf left{};
};

void take(const char* text, std::size_t length, void* to)
{
    auto& sink = *static_cast<Sink*>(to);
    if (sink.length + length > sink.most) siglongjmp(sink.left, 1);
    std::memcpy(sink.text + sink.length, text, length);
    sink.length += length;
}

enum class Outcome { Whole, NoName, TooLong, Stopped };

std::atomic<std::chrono::nanoseconds::rep> slow = 0;  // what such names of the source took

Outcome demangleInto(const char* name, const Alarm& alarm, Sink& sink)
{
    sigjmp_buf late;
    if (sigsetjmp(late, 1) != 0) return Outcome::Stopped;
    if (sigsetjmp(sink.left, 0) != 0) {
        stopAt = nullptr;
        return Outcome::TooLong;
    }
    stopAt = &late;
    if (!alarm.set(longestTime)) {
        stopAt = nullptr;
        return Outcome::Stopped;
    }
    const bool isName = __gcclibcxx_demangle_callback(name, take, &sink) == 0;
    stopAt = nullptr;
    return isName ? Outcome::Whole : Outcome::NoName;
}

}  // namespace

QByteArray demangled(const QByteArray& name)
{
    thread_local const Alarm alarm;
    if (!name.startsWith("_Z") || name.size() > longestName) return name;
    if (name.size() > quickName && std::chrono::nanoseconds(slow.load()) >= longestInAll) return name;
    QByteArray text(limits::symbolName.of(name.size()), Qt::Uninitialized);
    Sink sink{.text = text.data(), .most = static_cast<std::size_t>(text.size())};
    const Outcome outcome = demangleInto(name.constData(), alarm, sink);
    if (const std::chrono::nanoseconds took = longestTime - alarm.clear(); took > usualTime) slow += took.count();
    return outcome == Outcome::Whole ? text.first(static_cast<qsizetype>(sink.length)) : name;
}

void beginDemangling() { slow = 0; }

}  // namespace longpole
