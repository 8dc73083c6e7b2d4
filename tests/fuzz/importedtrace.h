// SPDX-License-Identifier: GPL-3.0-or-later
// Whole imports by fuzzers: what is imported opens, and all of its rows can be read.
#pragma once

#include "core/store/rows.h"
#include "core/store/tracestore.h"
#include "fuzz/choices.h"
#include "importers/common/importer.h"

#include <cstdio>

namespace longpole {

inline void requireOk(const Error* error, const char* what)
{
    if (!error) return;
    std::fprintf(stderr, "violated: %s: %s\n", what, qPrintable(error->what + QLatin1Char(' ') + error->where));
    std::abort();
}

// An importer's function, from `source`. An error is an answer; what it leaves behind otherwise is held to its
// promises.
inline void importAndRead(decltype(Importer::import) import, const QString& source)
{
    const QString target = fuzzFile("imported.longpole");
    const Result<ImportReport> report = import(source, target, ImportOptions{.symbols = {}, .threads = 1}, Progress());
    if (!report) {
        if (QFile::exists(target)) std::abort();
        return;
    }
    const auto store = TraceStore::open(target);
    requireOk(store ? nullptr : &store.error(), "what was imported opens");
    for (const ChunkSpec& spec : chunkSpecs()) {
        for (const ChunkRef& ref : (*store)->chunks(spec.kind)) {
            const auto columns = (*store)->read(ref);
            requireOk(columns ? nullptr : &columns.error(), "its chunks can be read");
        }
    }
    QFile::remove(target);
}

}  // namespace longpole
