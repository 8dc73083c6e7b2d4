// SPDX-License-Identifier: GPL-3.0-or-later
// The library knows one error callback for the whole process; it finds the listener of its own thread.
#include "importers/otf2/errors.h"

#include "core/base/translate.h"

#include <otf2/otf2.h>

#include <cstdarg>
#include <cstdio>
#include <utility>

namespace longpole {
namespace {

thread_local Otf2Messages* listener = nullptr;

OTF2_ErrorCode hear(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char* format,
                    std::va_list arguments)
{
    if (listener == nullptr) return code;
    char text[512] = "";
    if (format != nullptr) std::vsnprintf(text, sizeof text, format, arguments);
    const QString message = QString::fromUtf8(text).trimmed();
    const QString reason = QString::fromUtf8(OTF2_Error_GetDescription(code)).trimmed();
    listener->keep(message.isEmpty() ? reason : QString(message + QStringLiteral(": ") + reason));
    return code;
}

}  // namespace

Otf2Messages::Otf2Messages() : m_outer(listener)
{
    static const OTF2_ErrorCallback before = OTF2_Error_RegisterCallback(&hear, nullptr);
    static_cast<void>(before);
    listener = this;
}

Otf2Messages::~Otf2Messages() { listener = m_outer; }

void Otf2Messages::keep(const QString& message)
{
    if (m_first.isEmpty()) m_first = message;
}

QString Otf2Messages::take() { return std::exchange(m_first, {}); }

Error Otf2Messages::error(const QString& what, const QString& where, const QString& hint)
{
    const QString reason = take();
    const QString said = reason.isEmpty() ? what : tr("%1 The OTF2 library says: %2.").arg(what, reason);
    return Error{.what = said, .where = where, .hint = hint};
}

}  // namespace longpole
