// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes files that the user names. What is read may be a pipe or a device: never more than anybody has a use
// for. What is written goes through no link and replaces no device.
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QString>
#include <QTemporaryFile>

#include <functional>

class QIODevice;

namespace longpole {

// All of its bytes. Error, with `what` as the end of a sentence ("Permission denied"): it cannot be read, is no file,
// or has more than `most` bytes, which is noticed before more than these are read.
Result<QByteArray> bytesOfNamedFile(const QString& path, qint64 most);

// Whether a file may be written or replaced: a stranger's folder may have a link of that name, to a file that is not
// his. Error: it is a link, a folder, or no ordinary file.
Result<> checkReplaceable(const QString& path);

// A file that replaces an old one of its name only when it is committed; it is written beside it, without a name where
// the file system can. Unlike QSaveFile it follows no link, also if one comes while it is written: that is replaced.
class ReplacingFile : public QTemporaryFile {
public:
    explicit ReplacingFile(const QString& path);

    const QString& target() const { return m_target; }
    virtual bool begin();  // opens it; errorString() says why not: as checkReplaceable; the folder cannot be written
    bool commit();         // gives it its name, with all of its bytes on disk, and closes it

private:
    QString m_target;
};

// Writes a file beside it first: it has the name with all of its bytes or not at all. Errors: as checkReplaceable; it
// cannot be written.
Result<> writeNamedFile(const QString& path, const QByteArray& bytes);
// The same of bytes that `write` puts there. Errors also: its own.
Result<> writeNamedFile(const QString& path, const std::function<Result<>(QIODevice& out)>& write);

}  // namespace longpole
