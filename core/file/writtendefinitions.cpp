// SPDX-License-Identifier: GPL-3.0-or-later
// The definitions into the plain tables.
#include "core/file/definitions.h"

#include "core/base/timerange.h"
#include "core/file/schema.h"
#include "core/file/storedfields.h"
#include "core/trace/columns.h"
#include "core/trace/kindnames.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace longpole {
namespace {

// Binds values one after the other, then runs the statement; the first failure is kept.
class Inserter {
public:
    Inserter(Database& database, const char* sql) : m_statement(database.prepare(sql)) {}

    template <typename... Values>
    void insert(const Values&... values)
    {
        if (!m_statement || m_error) return;
        int parameter = 0;
        (bind(++parameter, values), ...);
        if (const Result<> done = m_statement->run(); !done) m_error = done.error();
    }
    void insertAll(std::span<const std::int64_t> values)
    {
        if (!m_statement || m_error) return;
        int parameter = 0;
        for (const std::int64_t value : values) bind(++parameter, value);
        if (const Result<> done = m_statement->run(); !done) m_error = done.error();
    }
    Result<> result() const
    {
        if (!m_statement) return m_statement.error();
        if (m_error) return *m_error;
        return Unit{};
    }

private:
    void bind(int parameter, std::int64_t value) { m_statement->bind(parameter, value); }
    void bind(int parameter, std::string_view value) { m_statement->bind(parameter, value); }
    void bind(int parameter, const QString& value) { m_statement->bind(parameter, value); }
    void bind(int parameter, const std::optional<std::int64_t>& value)
    {
        if (value) m_statement->bind(parameter, *value);
        else m_statement->bindNull(parameter);
    }

    Result<Statement> m_statement;
    std::optional<Error> m_error;
};

std::int64_t number(auto id) { return index(id); }
using OptionalNumber = std::optional<std::int64_t>;

Result<> writeInfo(Database& database, const Definitions& definitions)
{
    Inserter rows(database, "INSERT INTO meta(key, value) VALUES(?, ?)");
    for (const TextField& field : textFields) rows.insert(std::string_view(field.key), definitions.info.*field.field);
    rows.insert(std::string_view("vocabulary"), nameOf(definitions.info.vocabulary.kind()));
    for (const IntegerField& field : integerFields)
        rows.insert(std::string_view(field.key), definitions.info.*field.field);
    std::string lacking;
    for (std::size_t i = 0; i < answerTables; ++i)
        if (const auto table = static_cast<AnswerTable>(i); definitions.answers.lacks(table))
            lacking.append(lacking.empty() ? "" : " ").append(answerSpec(table).name);
    if (!lacking.empty()) rows.insert(lackingKey, std::string_view(lacking));
    return rows.result();
}

Result<> writeTracks(Database& database, const Definitions& definitions)
{
    Inserter rows(database, "INSERT INTO track(id, parent, kind, name, pe) VALUES(?, ?, ?, ?, ?)");
    for (const Track& track : definitions.tracks)
        rows.insert(number(track.id), track.parent == noTrack ? OptionalNumber() : number(track.parent),
                    nameOf(track.kind), track.name, track.pe ? OptionalNumber(number(*track.pe)) : OptionalNumber());
    return rows.result();
}

Result<> writeProcessors(Database& database, const Definitions& definitions)
{
    Inserter rows(database,
                  "INSERT INTO processor(pe, node, process, kind, name, track, has_log, first_record_ns,"
                  " last_record_ns, records, tasks, messages, busy_ns, idle_ns, pack_ns, flush_ns,"
                  " untraced_ns, started_ns, stopping_ns)"
                  " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    const auto known = [](TimeNs time, TimeNs none) { return time == none ? OptionalNumber() : OptionalNumber(time); };
    for (const Processor& p : definitions.processors)
        rows.insert(number(p.pe), std::int64_t{p.node}, std::int64_t{p.process}, nameOf(p.kind), p.name,
                    number(p.track), std::int64_t{p.hasLog}, p.firstRecord, p.lastRecord, p.records, p.tasks,
                    p.messages, p.busy, p.idle, p.pack, p.flush, p.untraced, known(p.started, minTime),
                    known(p.stopping, maxTime));
    return rows.result();
}

Result<> writeEntries(Database& database, const Definitions& definitions)
{
    Inserter chares(database, "INSERT INTO chare(id, name, dimensions) VALUES(?, ?, ?)");
    for (const Chare& chare : definitions.chares)
        chares.insert(number(chare.id), chare.name, std::int64_t{chare.dimensions});
    if (auto done = chares.result(); !done) return done;

    const auto isDefined = [&](ChareId id) {
        return std::ranges::binary_search(definitions.chares, id, {}, &Chare::id);
    };
    Inserter entries(database, "INSERT INTO entry(id, name, chare, kind, chare_id) VALUES(?, ?, ?, ?, ?)");
    for (const Entry& entry : definitions.entries)
        entries.insert(number(entry.id), entry.name, entry.chare, nameOf(entry.kind),
                       isDefined(entry.chareId) ? OptionalNumber(number(entry.chareId)) : OptionalNumber());
    return entries.result();
}

Result<> writeNames(Database& database, const Definitions& definitions)
{
    Inserter regions(database, "INSERT INTO region(id, kind, number, name) VALUES(?, ?, ?, ?)");
    for (const Region& region : definitions.regions)
        regions.insert(number(region.id), nameOf(region.kind), region.number, region.name);
    if (auto done = regions.result(); !done) return done;

    Inserter paths(database,
                   "INSERT INTO call_path(id, parent, kind, function, file, line, module) VALUES(?, ?, ?, ?, ?, ?, ?)");
    for (const CallPath& path : definitions.callPaths)
        paths.insert(std::int64_t{path.id}, path.parent == noCallPath ? OptionalNumber() : OptionalNumber(path.parent),
                     path.isPlace ? placeKind : functionKind, path.function, path.file, std::int64_t{path.line},
                     path.module);
    if (auto done = paths.result(); !done) return done;

    Inserter texts(database, "INSERT INTO text(id, text) VALUES(?, ?)");
    for (const auto& [id, text] : definitions.texts) texts.insert(id, text);
    return texts.result();
}

Result<> writeTotals(Database& database, const Definitions& definitions)
{
    Inserter profile(database,
                     "INSERT INTO profile(pe, entry, count, time_ns, exclusive_ns, messages, bytes)"
                     " VALUES(?, ?, ?, ?, ?, ?, ?)");
    for (const ProfileRow& row : definitions.profile)
        profile.insert(number(row.pe), number(row.entry), row.count, row.time, row.exclusive, row.messages, row.bytes);
    if (auto done = profile.result(); !done) return done;

    Inserter issues(database, "INSERT INTO issue(kind, count, place) VALUES(?, ?, ?)");
    for (const Issue& issue : definitions.issues) issues.insert(issue.kind, issue.count, issue.place);
    if (auto done = issues.result(); !done) return done;

    Inserter counts(database, "INSERT INTO record_count(kind, count) VALUES(?, ?)");
    for (const RecordCount& count : definitions.counts) counts.insert(count.kind, count.count);
    return counts.result();
}

Result<> writeAnswers(Database& database, const Definitions& definitions)
{
    if (!definitions.info.isPart()) return Unit{};
    if (auto added = addTablesOfParts(database); !added) return added;
    Inserter kept(database, "INSERT INTO kept(pe, begin_ns, end_ns) VALUES(?, ?, ?)");
    for (const KeptRange& range : definitions.kept) kept.insert(number(range.pe), range.begin, range.end);
    if (auto done = kept.result(); !done) return done;
    for (std::size_t i = 0; i < answerTables; ++i) {
        const auto table = static_cast<AnswerTable>(i);
        const AnswerSpec& spec = answerSpec(table);
        std::string sql = "INSERT INTO ";
        sql.append(spec.name).append(" VALUES(?");
        for (std::size_t column = 1; column < spec.columns; ++column) sql += ", ?";
        sql += ')';
        Inserter rows(database, sql.c_str());
        for (std::size_t row = 0; row < definitions.answers.rows(table); ++row)
            rows.insertAll(definitions.answers.row(table, row));
        if (auto done = rows.result(); !done) return done;
    }
    return Unit{};
}

Result<> writeDirectory(Database& database, const Definitions& definitions)
{
    Inserter rows(database,
                  "INSERT INTO chunk(id, kind, track, level, first_row, rows, first_begin_ns, last_begin_ns,"
                  " max_end_ns, hash) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (const ChunkRef& ref : definitions.directory)
        rows.insert(ref.id, std::string_view(chunkSpec(ref.kind).name), number(ref.track), std::int64_t{ref.level},
                    ref.firstRow, std::int64_t{ref.rows}, ref.firstBegin, ref.lastBegin, ref.maxEnd,
                    static_cast<std::int64_t>(ref.hash));
    return rows.result();
}

}  // namespace

Result<QString> writeDefinitions(Database& database, const Definitions& definitions)
{
    for (const auto write :
         {writeInfo, writeTracks, writeProcessors, writeEntries, writeNames, writeTotals, writeAnswers, writeDirectory})
        if (const Result<> done = write(database, definitions); !done) return done.error();
    Result<ValueHasher> hasher = beginStamp(database);
    if (!hasher) return hasher.error();
    std::int64_t left = maxTime;
    for (const TableSpec& spec : tables(eventsOf(definitions))) {
        if (!spec.stamped) continue;
        if (const Result<> done = scanTable(database, spec, *hasher, left); !done) return done.error();
    }
    const QString stamp = hasher->hex();
    Inserter meta(database, "INSERT INTO meta(key, value) VALUES('stamp', ?)");
    meta.insert(stamp);
    if (const Result<> done = meta.result(); !done) return done.error();
    return stamp;
}

}  // namespace longpole
