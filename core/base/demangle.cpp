// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/demangle.h"

#include "core/base/limits.h"

#include <csetjmp>
#include <string>

// The C++ library's demangler with a sink instead of a buffer that grows without bound. It lies in the static part of
// the library only, and is plain C, which a jump may leave.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the library's own name for it
extern "C" int __gcclibcxx_demangle_callback(const char* name, void (*take)(const char*, std::size_t, void*), void* to);

namespace longpole {
namespace {

constexpr qsizetype longestName = 8192;  // its stack grows with the name

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

}  // namespace

QByteArray demangled(const QByteArray& name)
{
    if (!name.startsWith("_Z") || name.size() > longestName) return name;
    Sink sink{.text = {}, .most = static_cast<std::size_t>(limits::symbolName.of(name.size())), .full = {}};
    if (!demangleInto(name, sink)) return name;
    return QByteArray(sink.text.data(), static_cast<qsizetype>(sink.text.size()));
}

}  // namespace longpole
