// SPDX-License-Identifier: GPL-3.0-or-later
// The cache of imported traces: a raw trace is imported once and opened from the cache afterwards.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"
#include "importers/common/importer.h"

#include <QDateTime>
#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace longpole {

struct OpenedTrace {
    std::shared_ptr<const TraceStore> store;
    bool fromCache = false;  // nothing was imported: the path was a .longpole file, or the cache had one
    ImportReport report;     // without an import: file, records and issues as stored, seconds 0
};

// Opens a .longpole file, or imports anything else into the cache and opens that. A damaged or outdated cache file is
// imported again. Safe when several processes do it at once. Errors: nothing there, unreadable, no importer knows it,
// cache folder not writable, what the importer or the store say, cancelled.
Result<OpenedTrace> openTrace(const QString& path, const ImportOptions& options, const Progress& progress);

// Whether a path is, or by its name claims to be, a finished .longpole file, which needs no import.
bool isLongpoleFile(const QString& path);

// In the user's folder for it (userfolders.h), in which alone anything is read, written or removed.
constexpr std::int64_t cacheLimitBytes = 20'000'000'000;

// The cache's file for an import of `path` with these options, which need not exist. Errors: no importer knows it,
// unreadable.
Result<QString> cacheFile(const QString& path, const ImportOptions& options);

// Never null. Errors: no importer knows it, said with what lies there.
Result<const Importer*> findImporter(const QString& path);

struct CacheEntry {
    QString file;  // absolute
    std::int64_t bytes = 0;
    QDateTime used;  // last opened
    QString source;  // path of what was imported; empty if the file cannot be opened
};

// Most recently used first. A missing folder is an empty cache.
std::vector<CacheEntry> cacheEntries();

// Removes all cached traces and the part files of imports that have died; files of running imports stay. Returns how
// much was freed.
struct Cleared {
    std::int64_t files = 0;
    std::int64_t bytes = 0;
};
Result<Cleared> clearCache();

// Removes the least recently used files until the cache holds at most `limit` bytes; never `inUse`.
void trimCache(std::int64_t limit, const QString& inUse);

}  // namespace longpole
