// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/definitions.h"

#include "core/base/timerange.h"

#include "core/base/checked.h"
#include "core/base/translate.h"
#include "core/file/codec.h"
#include "core/file/schema.h"
#include "core/file/verification.h"
#include "core/trace/columns.h"
#include "core/trace/kindnames.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace longpole {
namespace {

struct TextField {
    const char* key;
    QString TraceInfo::*field;
};
struct IntegerField {
    const char* key;
    std::int64_t TraceInfo::*field;
};
constexpr TextField textFields[] = {{"format", &TraceInfo::format},       {"version", &TraceInfo::version},
                                    {"program", &TraceInfo::program},     {"commandline", &TraceInfo::commandline},
                                    {"machine", &TraceInfo::machine},     {"hostname", &TraceInfo::hostname},
                                    {"timestamp", &TraceInfo::timestamp}, {"charm_version", &TraceInfo::charmVersion},
                                    {"source", &TraceInfo::source},       {"fingerprint", &TraceInfo::fingerprint}};
constexpr IntegerField integerFields[] = {{"processors", &TraceInfo::processors},
                                          {"tasks", &TraceInfo::tasks},
                                          {"messages", &TraceInfo::messages},
                                          {"messages_matched", &TraceInfo::messagesMatched},
                                          {"executions_unmatched", &TraceInfo::executionsUnmatched},
                                          {"records", &TraceInfo::records},
                                          {"begin_ns", &TraceInfo::begin},
                                          {"end_ns", &TraceInfo::end},
                                          {"busy_ns", &TraceInfo::busy},
                                          {"idle_ns", &TraceInfo::idle},
                                          {"startup_ns", &TraceInfo::startup},
                                          {"shutdown_ns", &TraceInfo::shutdown},
                                          {"before_begin_ns", &TraceInfo::before},
                                          {"cores", &TraceInfo::cores},
                                          {"cpu_ns", &TraceInfo::cpu},
                                          {"without_core_ns", &TraceInfo::withoutCore},
                                          {"source_bytes", &TraceInfo::sourceBytes},
                                          {"interval_ns", &TraceInfo::interval},
                                          {"part", &TraceInfo::part}};

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

// Kinds of call paths.
constexpr std::string_view functionKind = "function";
constexpr std::string_view placeKind = "place";

std::int64_t number(auto id) { return index(id); }
using OptionalNumber = std::optional<std::int64_t>;

Result<> writeInfo(Database& database, const Definitions& definitions)
{
    Inserter rows(database, "INSERT INTO meta(key, value) VALUES(?, ?)");
    for (const TextField& field : textFields) rows.insert(std::string_view(field.key), definitions.info.*field.field);
    rows.insert(std::string_view("vocabulary"), nameOf(definitions.info.vocabulary.kind()));
    for (const IntegerField& field : integerFields)
        rows.insert(std::string_view(field.key), definitions.info.*field.field);
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

HasEvents eventsOf(const Definitions& definitions)
{
    return definitions.info.isPart() ? HasEvents::OfParts : HasEvents::All;
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

// The kind of that name; sets `known` to false if there is none.
template <typename Kind>
Kind kindOf(std::string_view name, bool& known)
{
    const std::optional<Kind> kind = kindNamed<Kind>(name);
    if (!kind) known = false;
    return kind.value_or(Kind{});
}

// The number in a column as an id or a narrower number; sets `known` to false if it is none.
template <typename To>
To narrowOf(const Statement& row, int column, bool& known)
{
    const std::optional<To> value = row.type(column) == SqlType::Integer ? checked<To>(row.integer(column))
                                                                         : std::nullopt;
    if (!value) known = false;
    return value.value_or(To{});
}

template <typename To>
std::optional<To> optionalOf(const Statement& row, int column, bool& known)
{
    if (row.type(column) == SqlType::Null) return {};
    return narrowOf<To>(row, column, known);
}

void readInfo(const Statement& row, Definitions& definitions, bool& known)
{
    const std::string_view key = row.text(0);
    if (key == "stamp") definitions.stamp = row.string(1);
    if (key == "vocabulary") definitions.info.vocabulary = kindOf<ProgramKind>(row.text(1), known);
    for (const TextField& field : textFields)
        if (key == field.key) definitions.info.*field.field = row.string(1);
    for (const IntegerField& field : integerFields)
        if (key == field.key) definitions.info.*field.field = row.integer(1);
}

Processor processorOf(const Statement& row, bool& known)
{
    return {.pe = narrowOf<ProcessorId>(row, 0, known),
            .track = narrowOf<TrackId>(row, 5, known),
            .node = narrowOf<std::uint32_t>(row, 1, known),
            .process = narrowOf<std::uint32_t>(row, 2, known),
            .kind = kindOf<TrackKind>(row.text(3), known),
            .name = row.string(4),
            .hasLog = row.integer(6) != 0,
            .firstRecord = row.integer(7),
            .lastRecord = row.integer(8),
            .started = row.type(17) == SqlType::Null ? minTime : row.integer(17),
            .stopping = row.type(18) == SqlType::Null ? maxTime : row.integer(18),
            .records = row.integer(9),
            .tasks = row.integer(10),
            .messages = row.integer(11),
            .busy = row.integer(12),
            .idle = row.integer(13),
            .pack = row.integer(14),
            .flush = row.integer(15),
            .untraced = row.integer(16)};
}

ChunkRef chunkRefOf(const Statement& row, bool& known)
{
    const std::string_view name = row.text(1);
    const auto spec = std::ranges::find_if(chunkSpecs(), [name](const ChunkSpec& s) { return name == s.name; });
    const std::int64_t rows = row.integer(5);
    const std::int64_t level = row.integer(3);
    const TrackId track = row.integer(2) == index(noTrack) ? noTrack : narrowOf<TrackId>(row, 2, known);
    if (spec == chunkSpecs().end() || rows < 1 || rows > maxStoredRows || level < 0 || level > 62) {
        known = false;
        return {};
    }
    return {.id = row.integer(0),
            .kind = spec->kind,
            .track = track,
            .level = static_cast<std::int32_t>(level),
            .firstRow = row.integer(4),
            .rows = static_cast<std::uint32_t>(rows),
            .firstBegin = row.integer(6),
            .lastBegin = row.integer(7),
            .maxEnd = row.integer(8),
            .hash = static_cast<std::uint64_t>(row.integer(9))};
}

CallPath callPathOf(const Statement& row, bool& known)
{
    const std::int64_t id = row.integer(0);
    const std::int64_t parent = row.type(1) == SqlType::Null ? noCallPath : row.integer(1);
    const std::int64_t line = row.integer(5);
    const bool isPlace = row.text(2) == placeKind;
    const bool isSound = parent >= 0 && parent < id && id <= 0xffffffff && line >= 0 && line <= 0x7fffffff
                         && (isPlace || row.text(2) == functionKind);
    if (!isSound) known = false;
    return {.id = static_cast<std::uint32_t>(id),
            .parent = isSound ? static_cast<std::uint32_t>(parent) : noCallPath,
            .isPlace = isPlace,
            .function = row.string(3),
            .file = row.string(4),
            .line = isSound ? static_cast<int>(line) : 0,
            .module = row.string(6)};
}

Chare chareOf(const Statement& row, bool& known)
{
    constexpr int most = TaskColumn::Index5 - TaskColumn::Index0 + 1;
    const auto dimensions = narrowOf<int>(row, 2, known);
    if (dimensions < -1 || dimensions > most) known = false;
    return {.id = narrowOf<ChareId>(row, 0, known), .name = row.string(1), .dimensions = dimensions};
}

std::optional<AnswerTable> answerTableNamed(std::string_view name)
{
    for (std::size_t i = 0; i < answerTables; ++i)
        if (answerSpec(static_cast<AnswerTable>(i)).name == name) return static_cast<AnswerTable>(i);
    return {};
}

// Adds one row of a plain table to the definitions; false if it holds a kind that this version does not know.
bool readRow(std::string_view table, const Statement& row, Definitions& d)
{
    bool known = true;
    if (table == "meta") readInfo(row, d, known);
    if (table == "track")
        d.tracks.push_back({.id = narrowOf<TrackId>(row, 0, known),
                            .parent = optionalOf<TrackId>(row, 1, known).value_or(noTrack),
                            .kind = kindOf<TrackKind>(row.text(2), known),
                            .name = row.string(3),
                            .pe = optionalOf<ProcessorId>(row, 4, known)});
    if (table == "processor") d.processors.push_back(processorOf(row, known));
    if (table == "chare") d.chares.push_back(chareOf(row, known));
    if (table == "entry")
        d.entries.push_back({.id = narrowOf<EntryId>(row, 0, known),
                             .name = row.string(1),
                             .chare = row.string(2),
                             .kind = kindOf<EntryKind>(row.text(3), known),
                             .chareId = optionalOf<ChareId>(row, 4, known).value_or(ChareId{0xffffffffu})});
    if (table == "region")
        d.regions.push_back({.id = narrowOf<RegionId>(row, 0, known),
                             .kind = kindOf<RegionKind>(row.text(1), known),
                             .number = row.integer(2),
                             .name = row.string(3)});
    if (table == "call_path") d.callPaths.push_back(callPathOf(row, known));
    if (table == "text") d.texts.emplace_back(row.integer(0), row.string(1));
    if (table == "profile")
        d.profile.push_back({.pe = narrowOf<ProcessorId>(row, 0, known),
                             .entry = narrowOf<EntryId>(row, 1, known),
                             .count = row.integer(2),
                             .time = row.integer(3),
                             .exclusive = row.integer(4),
                             .messages = row.integer(5),
                             .bytes = row.integer(6)});
    if (table == "issue") d.issues.push_back({row.string(0), row.integer(1), row.string(2)});
    if (table == "record_count") d.counts.push_back({row.string(0), row.integer(1)});
    if (table == "kept")
        d.kept.push_back({.pe = narrowOf<ProcessorId>(row, 0, known), .begin = row.integer(1), .end = row.integer(2)});
    if (const std::optional<AnswerTable> answers = answerTableNamed(table)) {
        std::vector<std::int64_t> values;
        for (int column = 0; column < row.columns(); ++column) {
            if (row.type(column) != SqlType::Integer) known = false;
            values.push_back(row.integer(column));
        }
        d.answers.add(*answers, values);
    }
    if (table == "chunk") d.directory.push_back(chunkRefOf(row, known));
    return known;
}

auto directoryKey(const ChunkRef& ref) { return std::tuple(ref.kind, ref.track, ref.level, ref.firstRow); }

template <typename T, typename Key>
void keepFirst(std::vector<T>& rows, Key key)
{
    if (!std::ranges::is_sorted(rows, {}, key)) std::ranges::stable_sort(rows, {}, key);
    const auto sameKey = [key](const T& a, const T& b) { return std::invoke(key, a) == std::invoke(key, b); };
    rows.erase(std::unique(rows.begin(), rows.end(), sameKey), rows.end());
}

}  // namespace

void normalize(Definitions& d)
{
    keepFirst(d.tracks, &Track::id);
    keepFirst(d.processors, &Processor::pe);
    keepFirst(d.chares, &Chare::id);
    keepFirst(d.entries, &Entry::id);
    keepFirst(d.regions, &Region::id);
    keepFirst(d.callPaths, &CallPath::id);
    keepFirst(d.texts, &std::pair<std::int64_t, QString>::first);

    const auto keyOf = [](const ProfileRow& row) { return std::pair(row.pe, row.entry); };
    if (!std::ranges::is_sorted(d.profile, {}, keyOf)) std::ranges::stable_sort(d.profile, {}, keyOf);
    std::size_t kept = 0;
    for (const ProfileRow& row : d.profile) {
        if (kept == 0 || keyOf(d.profile[kept - 1]) != keyOf(row)) {
            d.profile[kept++] = row;
            continue;
        }
        ProfileRow& sum = d.profile[kept - 1];
        addSaturating(sum.count, row.count);
        addSaturating(sum.time, row.time);
        addSaturating(sum.exclusive, row.exclusive);
        addSaturating(sum.messages, row.messages);
        addSaturating(sum.bytes, row.bytes);
    }
    d.profile.resize(kept);

    std::map<std::pair<QString, QString>, std::int64_t> issues;
    for (const Issue& issue : d.issues) addSaturating(issues[{issue.kind, issue.place}], issue.count);
    d.issues.clear();
    for (const auto& [key, count] : issues) d.issues.push_back({key.first, count, key.second});

    std::vector<RecordCount> counts;
    for (const RecordCount& added : d.counts) {
        const auto known = std::ranges::find(counts, added.kind, &RecordCount::kind);
        if (known == counts.end()) counts.push_back(added);
        else addSaturating(known->count, added.count);
    }
    d.counts = std::move(counts);
}

void sortDirectory(Definitions& definitions) { std::ranges::sort(definitions.directory, {}, directoryKey); }

Result<QString> writeDefinitions(Database& database, const Definitions& definitions)
{
    for (const auto write :
         {writeInfo, writeTracks, writeProcessors, writeEntries, writeNames, writeTotals, writeAnswers, writeDirectory})
        if (const Result<> done = write(database, definitions); !done) return done.error();
    Result<ValueHasher> hasher = beginStamp(database);
    if (!hasher) return hasher.error();
    for (const TableSpec& spec : tables(eventsOf(definitions))) {
        if (!spec.stamped) continue;
        if (const Result<> done = scanTable(database, spec, *hasher, maxTime); !done) return done.error();
    }
    const QString stamp = hasher->hex();
    Inserter meta(database, "INSERT INTO meta(key, value) VALUES('stamp', ?)");
    meta.insert(stamp);
    if (const Result<> done = meta.result(); !done) return done.error();
    return stamp;
}

Result<Definitions> readDefinitions(Database& database, std::span<const TableSpec> from)
{
    Definitions definitions;
    Result<ValueHasher> hasher = beginStamp(database);
    if (!hasher) return hasher.error();
    bool known = true;
    const std::int64_t limit = database.file()->bytes();  // a row takes at least a byte
    for (const TableSpec& spec : from) {
        if (!spec.stamped) continue;
        const auto read = [&](const Statement& row) { known = readRow(spec.name, row, definitions) && known; };
        if (const Result<> done = scanTable(database, spec, *hasher, limit, read); !done) return done.error();
    }
    if (definitions.stamp.isEmpty())
        return Error{.what = tr("The file is unfinished: its import did not end."),
                     .where = database.path(),
                     .hint = tr("Import the trace again.")};
    if (definitions.stamp != hasher->hex())
        return damagedFile(database.path(), tr("its stamp does not fit its tables"));
    if (!known) return damagedFile(database.path(), tr("a table holds values that no version knows"));
    if (from.size() != tables(eventsOf(definitions)).size())
        return damagedFile(database.path(), tr("it does not say of which parts its events are"));
    sortDirectory(definitions);
    if (const QString wrong = contradictionIn(definitions, limit); !wrong.isEmpty())
        return damagedFile(database.path(), wrong);
    return definitions;
}

}  // namespace longpole
