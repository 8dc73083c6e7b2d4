// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes files that the user names. What is read may be a pipe or a device: never more than anybody has a use
// for. What is written goes through no link and replaces no device.
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QString>

#include <functional>

class QIODevice;

namespace longpole {

// All of its bytes. Error, with `what` as the end of a sentence ("Permission denied"): it cannot be read, is no file,
// or has more than `most` bytes, which is noticed before more than these are read.
Result<QByteArray> bytesOfNamedFile(const QString& path, qint64 most);

// Whether a file may be written or replaced: a stranger's folder may have a link of that name, to a file that is not
// his. Error: it is a link, a folder, or no ordinary file.
Result<> checkReplaceable(const QString& path);

// Writes a file beside it first: it has the name with all of its bytes or not at all. Errors: as checkReplaceable; it
// cannot be written.
Result<> writeNamedFile(const QString& path, const QByteArray& bytes);
// The same of bytes that `write` puts there. Errors also: its own.
Result<> writeNamedFile(const QString& path, const std::function<Result<>(QIODevice& out)>& write);

}  // namespace longpole
