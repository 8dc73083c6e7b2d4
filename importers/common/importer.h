// SPDX-License-Identifier: GPL-3.0-or-later
// What every importer offers: recognise a source, say what it is made of, turn it into a .longpole file.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/trace/trace.h"
#include "importers/common/fingerprint.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace longpole {

// What an importer keeps of a source that still grows, so that its next import takes less. Whoever opens the same
// source again hands it in again; one import at a time uses it.
class KeptImport {
public:
    KeptImport() = default;
    KeptImport(const KeptImport&) = delete;
    KeptImport& operator=(const KeptImport&) = delete;
    virtual ~KeptImport() = default;
};
struct ImportMemory {
    std::mutex mutex;  // of those who use it
    std::unique_ptr<KeptImport> kept;
};

struct ImportOptions {
    QString symbols;                         // another run's .sts that names entries (killed runs); empty: none
    unsigned threads = 0;                    // 0: core/parallel's default
    std::shared_ptr<ImportMemory> memory{};  // null: nothing is kept
};

struct ImportReport {
    QString file;
    std::int64_t records = 0;
    double seconds = 0;
    std::vector<Issue> issues;
    std::int64_t parts = 1;  // in which a long run was read and written, one after the other
};

struct Importer {
    const char* id;        // "projections"
    const char* title;     // for file dialogs
    const char* patterns;  // for file dialogs, e.g. "*.sts *.log *.log.gz"
    const char* reads;     // what such traces hold, in a few words, untranslated
    const char* document;  // describes the format and what is made of it; a path from the root of the sources
    int version;           // raised when the same source gives another file than before

    // Whether `path` (a file or a folder) is for this importer; cheap, as it reads at most the start of a file.
    bool (*probe)(const QString& path);
    // Identity of the source: hash over each file's name, size, mtime and sampled content (docs/algorithms.md 8).
    Result<QString> (*fingerprint)(const QString& path, FingerprintOf of);
    // Writes `target`. Errors: nothing importable, unreadable, disk full, cancelled.
    Result<ImportReport> (*import)(const QString& path, const QString& target, const ImportOptions& options,
                                   const Progress& progress);
};

// All importers; the first whose probe accepts wins.
std::span<const Importer* const> importers();
// Null if no importer accepts.
const Importer* importerFor(const QString& path);

}  // namespace longpole
