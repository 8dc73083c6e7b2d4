// SPDX-License-Identifier: GPL-3.0-or-later
// Files of sources that a trace names: where they lie on this machine, and the lines around one of them. A trace is a
// stranger's: nothing is touched at its paths unless the user has said so, and what is no ordinary file is not opened.
#pragma once

#include "core/base/result.h"

#include <QString>
#include <QStringList>

#include <cstdint>

namespace longpole {

constexpr std::int64_t mostSourceBytes = std::int64_t{8} << 20;

// The lines of a file around one, as plain text.
struct SourceText {
    QString path;
    QString text;  // lines [first, first + count)
    int first = 1;
    int lines = 0;              // of the whole file
    std::int64_t modified = 0;  // seconds since 1970
};

// The path that the trace names, cleaned; empty if it is none on this machine: relative, of another host, in /proc,
// /sys or /dev. Nothing is touched.
QString namedFile(const QString& recorded);

// Looks in the user's folders for the file by as much of the end of its recorded path as is there: of /a/b/c.f90 first
// for FOLDER/a/b/c.f90, last for FOLDER/c.f90. Empty: it is not there. Blocks.
QString fileInFolders(const QStringList& folders, const QString& recorded);

// At most some thousand lines around `line`. Blocks, but not on pipes and devices, which it does not open. Errors: no
// ordinary file, not readable, more than mostSourceBytes, no text.
Result<SourceText> readSource(const QString& path, int line);

struct SourceWish {
    QString recorded;
    int line = 0;
    QStringList folders;  // of the user
    QStringList allowed;  // folders of paths that the user has had read
};
enum class SourceState : std::uint8_t {
    There,
    Unasked,  // the user has to allow `path` first
    Missing,  // `path`: where it would be; empty: the trace does not say
    Refused,  // see error
};
struct SourceFound {
    SourceState state = SourceState::Missing;
    QString path;
    SourceText text;
    Error error;
};
SourceFound findSource(const SourceWish& wish);

}  // namespace longpole
