// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/upgrade.h"

#include "core/base/hash.h"
#include "core/base/partfile.h"
#include "core/base/translate.h"
#include "core/file/chunksink.h"
#include "core/file/definitions.h"
#include "core/file/olderschemas.h"
#include "core/file/schema.h"
#include "core/store/blocktiles.h"
#include "core/store/tracestore.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace longpole {
namespace {

// Nobody can cancel reading what is opened: what was stopped took too many steps.
Error endless(const Error& error, const QString& path)
{
    return wasCancelled(error) ? damagedFile(path, tr("reading it has no end")) : error;
}

Result<Definitions> readOlder(Database& database)
{
    const Result<const OlderSchema*> older = checkOlderSchema(database);
    if (!older) return older.error();
    return readDefinitions(database, (*older)->tables, *older);
}

Result<Definitions> readCurrent(Database& database)
{
    const Result<std::span<const TableSpec>> tables = checkSchema(database);
    if (!tables) return tables.error();
    return readDefinitions(database, *tables);
}

Result<Upgrade> upgradeOf(Database& database)
{
    const Result<std::int64_t> version = versionOf(database);
    if (!version) return version.error();
    if (*version != schemaVersion && !canBeUpgraded(*version)) return checkSchema(database).error();
    return Upgrade{.from = *version, .to = schemaVersion};
}

// All chunks of the directory, each as its hash says. Together they are no more than the file: pages that several rows
// share would be written again for each.
Result<> copyChunks(Database& from, Database& to, const std::vector<ChunkRef>& directory, const Progress& progress)
{
    Result<Statement> select = from.prepare("SELECT data FROM chunk_data WHERE id = ?");
    if (!select) return select.error();
    from.setInterrupt([] { return false; });  // looks a row up by its id, in as many steps each time
    ChunkTable table(to);
    std::int64_t left = from.file()->bytes();
    const auto all = static_cast<double>(std::max<std::int64_t>(left, 1));
    for (const ChunkRef& ref : directory) {
        if (progress.isCancelled()) return cancelledError(from.path());
        select->bind(1, ref.id);
        const Result<bool> row = select->step();
        if (!row) return row.error();
        const std::span<const char> bytes = *row ? select->blob(0) : std::span<const char>();
        left -= static_cast<std::int64_t>(bytes.size());
        if (!*row || hashBytes(bytes) != ref.hash || left < 0)
            return damagedFile(from.path(), tr("chunk %1 does not fit its hash").arg(ref.id));
        if (const Result<> written = table.write(ref.id, bytes); !written) return written;
        select->reset();
        progress.report(1.0 - static_cast<double>(left) / all);
    }
    return Unit{};
}

// Behind the others tiles of blocks of processors, which no schema before the 16th had.
Result<> addBlocks(Database& database, Definitions& definitions, const Progress& progress)
{
    std::int64_t last = 0;
    for (const ChunkRef& ref : definitions.directory) last = std::max(last, ref.id);
    ChunkTable table(database);
    std::vector<ChunkRef> added;
    Result<> written = Unit{};
    const Result<> made = encodeBlockTiles(
        definitions.processors, definitions.directory, [&table](std::int64_t id) { return table.read(id); },
        [&](EncodedChunk chunk) {
            chunk.ref.id = ++last;
            if (written) written = table.write(chunk.ref.id, chunk.bytes);
            added.push_back(chunk.ref);
        },
        progress);
    definitions.directory.insert(definitions.directory.end(), added.begin(), added.end());
    return made ? written : made;
}

// The new file with all its content, which gets its mark last.
Result<> fill(Database& database, Database& from, Definitions& definitions, const Upgrade& upgrade, PartFile& part,
              const Progress& progress)
{
    if (const Result<> done = database.execute("BEGIN"); !done) return done;
    if (const Result<> done = createSchema(database); !done) return done;
    if (const Result<> done = copyChunks(from, database, definitions.directory, progress); !done) return done;
    if (upgrade.isNeeded())
        if (const Result<> done = addBlocks(database, definitions, progress); !done) return done;
    if (const Result<QString> stamp = writeDefinitions(database, definitions); !stamp) return stamp.error();
    if (progress.isCancelled()) return cancelledError(from.path());
    if (const Result<> done = database.execute("COMMIT"); !done) return done;
    if (const Result<> done = part.sync(); !done) return done;
    if (const Result<> done = markFinished(database); !done) return done;
    return database.close();
}

}  // namespace

Result<Upgrade> findUpgrade(const QString& path)
{
    Result<Database> database = Database::openImmutable(path);
    if (!database) return database.error();
    const Result<Upgrade> found = upgradeOf(*database);
    if (!found) return endless(found.error(), path);
    return found;
}

Result<Upgrade> upgradeTrace(const QString& path, const QString& target, const Progress& progress,
                             const std::function<Result<>(const Upgrade&)>& ready)
{
    Result<Database> from = Database::openImmutable(path);
    if (!from) return from.error();
    Result<Upgrade> upgrade = upgradeOf(*from);
    if (!upgrade) return endless(upgrade.error(), path);
    Result<Definitions> definitions = upgrade->isNeeded() ? readOlder(*from) : readCurrent(*from);
    if (!definitions) return endless(definitions.error(), path);
    upgrade->lacking = definitions->answers.lacking;
    upgrade->stampBefore = definitions->stamp;
    std::ranges::sort(definitions->directory, {}, &ChunkRef::id);  // the order in which chunks are written

    Result<PartFile> part = PartFile::create(target);
    if (!part) return part.error();
    Result<Database> database = Database::createForBulk(part->descriptor(), part->path());
    if (!database) return database.error();
    if (const Result<> filled = fill(*database, *from, *definitions, *upgrade, *part, progress); !filled)
        return filled.error();
    // Whatever is verified when a file is opened holds of this one, too.
    const auto opened = TraceStore::open(part->path());
    if (!opened) {
        Error error = opened.error();
        error.where = path;
        return error;
    }
    upgrade->stampAfter = (*opened)->stamp();
    if (ready)
        if (const Result<> done = ready(*upgrade); !done) return done.error();
    if (const Result<> done = part->publish(); !done) return done.error();
    progress.report(1.0);
    return upgrade;
}

}  // namespace longpole
