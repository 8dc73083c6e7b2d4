// SPDX-License-Identifier: GPL-3.0-or-later
// Small files that are kept for the user: they and their folder are the user's own, and no link leads to them, whoever
// may write in the folders above.
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QString>

#include <optional>

class QFile;

namespace longpole {

// Opens an ordinary file of the user's own to read it, and nothing else that may have got its name: no link, no pipe.
bool openOwnFile(QFile& file, const QString& path);

// None if there is no such file. Errors: it or its folder is somebody else's or a link; it is no ordinary file, cannot
// be read, or has more than 64 MB.
Result<std::optional<QByteArray>> bytesOfKeptFile(const QString& path);

// Writes it beside itself first, in the folder that is open then. Errors: the folder is somebody else's, a link, or
// cannot be written; a link or a folder has the file's name.
Result<> writeKeptFile(const QString& path, const QByteArray& bytes);

}  // namespace longpole
