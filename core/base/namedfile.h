// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a file that the user names, which may be a pipe or a device: never more than anybody has a use for.
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QString>

namespace longpole {

// All of its bytes. Error, with `what` as the end of a sentence ("Permission denied"): it cannot be read, is no file,
// or has more than `most` bytes, which is noticed before more than these are read.
Result<QByteArray> bytesOfNamedFile(const QString& path, qint64 most);

}  // namespace longpole
