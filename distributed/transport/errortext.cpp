// SPDX-License-Identifier: GPL-3.0-or-later
// An error as bytes: its kind, then its three texts as a stream of QString, which is the same on every machine.
#include "distributed/transport/errortext.h"

#include "core/base/translate.h"

#include <QByteArray>
#include <QDataStream>
#include <QIODevice>

#include <cstring>

namespace longpole {

Payload toBytes(const Error& error)
{
    QByteArray text;
    QDataStream stream(&text, QIODevice::WriteOnly);
    stream << static_cast<quint8>(error.kind) << error.what << error.where << error.hint;
    Payload bytes(static_cast<std::size_t>(text.size()));
    std::memcpy(bytes.data(), text.constData(), bytes.size());
    return bytes;
}

Error errorFromBytes(const Payload& bytes)
{
    const QByteArray text(reinterpret_cast<const char*>(bytes.data()), static_cast<qsizetype>(bytes.size()));
    QDataStream stream(text);
    quint8 kind = 0;
    Error error;
    stream >> kind >> error.what >> error.where >> error.hint;
    if (stream.status() != QDataStream::Ok || kind > static_cast<quint8>(ErrorKind::Cancelled))
        return {.what = tr("Another process failed, and its message was damaged."), .where = {}, .hint = {}};
    error.kind = static_cast<ErrorKind>(kind);
    return error;
}

}  // namespace longpole
