// SPDX-License-Identifier: GPL-3.0-or-later
// Imports a run at once and in parts, and says what differs.
#pragma once

#include "importers/mpirows/inparts.h"
#include "importers/mpirows/trace.h"
#include "importers/samefile.h"

#include <QDir>

#include <cstddef>
#include <functional>

namespace longpole::test {

struct BothWays {
    QString differ;         // empty: both files are the same
    std::size_t parts = 0;  // of the import in parts
};

// Opens the run anew and hands it to what is given.
using ImportOfSource = std::function<Result<ImportReport>(MpiSource&)>;
using OpenRun = std::function<Result<ImportReport>(unsigned threads, const ImportOfSource& import)>;

// `calls`: of a rank in a part, at least.
inline BothWays importedBothWays(const OpenRun& open, const QDir& folder, std::size_t calls, unsigned threads)
{
    ImportOptions options;
    options.threads = threads;
    const Progress progress;
    const QString whole = folder.filePath(QStringLiteral("whole.longpole"));
    const QString inParts = folder.filePath(QStringLiteral("parts.longpole"));
    const auto first = open(threads, [&](MpiSource& source) { return importMpiRun(source, whole, options, progress); });
    const auto second = open(threads, [&](MpiSource& source) {
        return importMpiRunInParts(source, inParts, options, progress, calls);
    });
    if (!first || !second) return {(first ? second : first).error().what, 0};
    if (first->parts != 1 || first->records != second->records || first->issues.size() != second->issues.size())
        return {QStringLiteral("another report"), static_cast<std::size_t>(second->parts)};
    const bool isSame = contentOfFile(whole) == contentOfFile(inParts);
    return {isSame ? QString() : difference(whole, inParts), static_cast<std::size_t>(second->parts)};
}

}  // namespace longpole::test
