// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/demangle.h"

#include "core/base/limits.h"

#include <atomic>
#include <chrono>
#include <csetjmp>
#include <string>

// The C++ library's demangler with a sink instead of a buffer that grows without bound. It lies in the static part of
// the library only, and is plain C, which a jump may leave.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the library's own name for it
extern "C" int __gcclibcxx_demangle_callback(const char* name, void (*take)(const char*, std::size_t, void*), void* to);

namespace longpole {
namespace {

constexpr qsizetype longestName = 8192;  // its stack grows with the name

// Before it prints a pack expansion, the library looks for the pack in all of the type's parts, in those which the name
// only refers to each time anew: two to the power of such references are its steps, and nothing stops it.
constexpr int mostReferences = 24;                         // 0.1 s
constexpr auto longestSearches = std::chrono::seconds(1);  // of all names of the program's life

bool hasPackExpansion(const QByteArray& name)
{
    return name.contains("Dp") || name.contains("sp") || name.contains("sZ") || name.contains("sP");
}

// "S0_", "T_": what stands for a part of the name, or of its template's arguments.
int references(const QByteArray& name)
{
    const auto isDigit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); };
    int count = 0;
    for (qsizetype at = 0; at < name.size(); ++at) {
        if (name[at] != 'S' && name[at] != 'T') continue;
        qsizetype end = at + 1;
        while (end < name.size() && isDigit(name[end])) ++end;
        if (end < name.size() && name[end] == '_') ++count;
    }
    return count;
}

struct Sink {
    std::string text;
    std::size_t most = 0;
    std::jmp_buf full;
};

void take(const char* text, std::size_t length, void* to)
{
    auto& sink = *static_cast<Sink*>(to);
    if (sink.text.size() + length > sink.most) std::longjmp(sink.full, 1);
    sink.text.append(text, length);
}

bool demangleInto(const QByteArray& name, Sink& sink)
{
    if (setjmp(sink.full) != 0) return false;
    return __gcclibcxx_demangle_callback(name.constData(), take, &sink) == 0;
}

QByteArray printed(const QByteArray& name)
{
    Sink sink{.text = {}, .most = static_cast<std::size_t>(limits::symbolName.of(name.size())), .full = {}};
    if (!demangleInto(name, sink)) return name;
    return QByteArray(sink.text.data(), static_cast<qsizetype>(sink.text.size()));
}

// Of names that take long there are no more than take a second; the others are left as they are.
QByteArray searched(const QByteArray& name)
{
    using Clock = std::chrono::steady_clock;
    constexpr int quick = 12;  // references that take no time
    static std::atomic<Clock::duration::rep> spent = 0;
    const int count = references(name);
    if (count <= quick) return printed(name);
    if (count > mostReferences || spent.load() > Clock::duration(longestSearches).count()) return name;
    const auto begin = Clock::now();
    QByteArray text = printed(name);
    const auto took = Clock::now() - begin;
    if (took > std::chrono::milliseconds(1)) spent += took.count();
    return text;
}

}  // namespace

QByteArray demangled(const QByteArray& name)
{
    if (!name.startsWith("_Z") || name.size() > longestName) return name;
    return hasPackExpansion(name) ? searched(name) : printed(name);
}

}  // namespace longpole
