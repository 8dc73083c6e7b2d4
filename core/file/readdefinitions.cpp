// SPDX-License-Identifier: GPL-3.0-or-later
// The definitions out of the plain tables, with what each value may be.
#include "core/file/definitions.h"

#include "core/base/checked.h"
#include "core/base/limits.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/file/codec.h"
#include "core/file/olderschemas.h"
#include "core/file/schema.h"
#include "core/file/storedfields.h"
#include "core/file/verification.h"
#include "core/trace/columns.h"
#include "core/trace/kindnames.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace longpole {
namespace {

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
To narrowOf(const ScannedRow& row, int column, bool& known)
{
    const std::optional<To> value = row.type(column) == SqlType::Integer ? checked<To>(row.integer(column))
                                                                         : std::nullopt;
    if (!value) known = false;
    return value.value_or(To{});
}

template <typename To>
std::optional<To> optionalOf(const ScannedRow& row, int column, bool& known)
{
    if (row.type(column) == SqlType::Null) return {};
    return narrowOf<To>(row, column, known);
}

std::optional<AnswerTable> answerTableNamed(std::string_view name)
{
    for (std::size_t i = 0; i < answerTables; ++i)
        if (answerSpec(static_cast<AnswerTable>(i)).name == name) return static_cast<AnswerTable>(i);
    return {};
}

void readLacking(std::string_view names, StoredAnswers& answers, bool& known)
{
    while (!names.empty()) {
        const std::size_t end = std::min(names.find(' '), names.size());
        if (const auto table = answerTableNamed(names.substr(0, end)))
            answers.lacking.set(static_cast<std::size_t>(*table));
        else known = false;
        names.remove_prefix(std::min(end + 1, names.size()));
    }
}

bool readInfo(const ScannedRow& row, Definitions& definitions)
{
    bool known = true;
    const std::string_view key = row.text(0);
    if (key == lackingKey) readLacking(row.text(1), definitions.answers, known);
    if (key == "stamp") definitions.stamp = row.string(1);
    if (key == "vocabulary") definitions.info.vocabulary = kindOf<ProgramKind>(row.text(1), known);
    for (const TextField& field : textFields)
        if (key == field.key) definitions.info.*field.field = row.string(1).left(mostOfText);
    for (const IntegerField& field : integerFields)
        if (key == field.key) definitions.info.*field.field = row.integer(1);
    return known;
}

Processor processorOf(const ScannedRow& row, bool& known)
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

ChunkRef chunkRefOf(const ScannedRow& row, bool& known)
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

CallPath callPathOf(const ScannedRow& row, bool& known)
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

KeptRange keptOf(const ScannedRow& row, bool& known)
{
    return {.pe = narrowOf<ProcessorId>(row, 0, known), .begin = row.integer(1), .end = row.integer(2)};
}

Chare chareOf(const ScannedRow& row, bool& known)
{
    constexpr int most = TaskColumn::Index5 - TaskColumn::Index0 + 1;
    const auto dimensions = narrowOf<int>(row, 2, known);
    if (dimensions < -1 || dimensions > most) known = false;
    return {.id = narrowOf<ChareId>(row, 0, known), .name = row.string(1), .dimensions = dimensions};
}

// Adds one row of a table to the definitions; false if it holds a kind that this version does not know.
using ReadRow = std::function<bool(const ScannedRow& row, Definitions& d)>;

bool readTrack(const ScannedRow& row, Definitions& d)
{
    bool known = true;
    d.tracks.push_back({.id = narrowOf<TrackId>(row, 0, known),
                        .parent = optionalOf<TrackId>(row, 1, known).value_or(noTrack),
                        .kind = kindOf<TrackKind>(row.text(2), known),
                        .name = row.string(3),
                        .pe = optionalOf<ProcessorId>(row, 4, known)});
    return known;
}

bool readEntry(const ScannedRow& row, Definitions& d)
{
    bool known = true;
    d.entries.push_back({.id = narrowOf<EntryId>(row, 0, known),
                         .name = row.string(1),
                         .chare = row.string(2),
                         .kind = kindOf<EntryKind>(row.text(3), known),
                         .chareId = optionalOf<ChareId>(row, 4, known).value_or(ChareId{0xffffffffu})});
    return known;
}

bool readRegion(const ScannedRow& row, Definitions& d)
{
    bool known = true;
    d.regions.push_back({.id = narrowOf<RegionId>(row, 0, known),
                         .kind = kindOf<RegionKind>(row.text(1), known),
                         .number = row.integer(2),
                         .name = row.string(3)});
    return known;
}

bool readProfile(const ScannedRow& row, Definitions& d)
{
    bool known = true;
    d.profile.push_back({.pe = narrowOf<ProcessorId>(row, 0, known),
                         .entry = narrowOf<EntryId>(row, 1, known),
                         .count = row.integer(2),
                         .time = row.integer(3),
                         .exclusive = row.integer(4),
                         .messages = row.integer(5),
                         .bytes = row.integer(6)});
    return known;
}

// A row of answers, which a file of an older version may have otherwise.
bool readAnswer(AnswerTable table, const ScannedRow& row, const OlderSchema* older, Definitions& d)
{
    bool known = true;
    std::vector<std::int64_t> values;
    for (int column = 0; column < row.columns(); ++column) {
        if (row.type(column) != SqlType::Integer) known = false;
        values.push_back(row.integer(column));
    }
    if (older) older->bringToday(table, values);
    d.answers.add(table, values);
    return known;
}

// Those that take the value of a function of the row, which says what it knows.
template <auto Value>
bool addTo(const ScannedRow& row, auto& rows)
{
    bool known = true;
    rows.push_back(Value(row, known));
    return known;
}

ReadRow readerOf(std::string_view table, const OlderSchema* older)
{
    if (const std::optional<AnswerTable> answers = answerTableNamed(table))
        return [answers, older](const ScannedRow& row, Definitions& d) { return readAnswer(*answers, row, older, d); };
    if (table == "meta") return readInfo;
    if (table == "track") return readTrack;
    if (table == "processor")
        return [](const ScannedRow& row, Definitions& d) { return addTo<processorOf>(row, d.processors); };
    if (table == "chare") return [](const ScannedRow& row, Definitions& d) { return addTo<chareOf>(row, d.chares); };
    if (table == "entry") return readEntry;
    if (table == "region") return readRegion;
    if (table == "call_path")
        return [](const ScannedRow& row, Definitions& d) { return addTo<callPathOf>(row, d.callPaths); };
    if (table == "text")
        return [](const ScannedRow& row, Definitions& d) {
            d.texts.emplace_back(row.integer(0), row.string(1));
            return true;
        };
    if (table == "profile") return readProfile;
    if (table == "issue")
        return [](const ScannedRow& row, Definitions& d) {
            constexpr qsizetype most = limits::nameLength.free;
            d.issues.push_back({row.string(0).left(most), row.integer(1), row.string(2).left(most)});
            return true;
        };
    if (table == "record_count")
        return [](const ScannedRow& row, Definitions& d) {
            d.counts.push_back({row.string(0), row.integer(1)});
            return true;
        };
    if (table == "kept") return [](const ScannedRow& row, Definitions& d) { return addTo<keptOf>(row, d.kept); };
    return [](const ScannedRow& row, Definitions& d) { return addTo<chunkRefOf>(row, d.directory); };
}

void addLacking(const OlderSchema& older, StoredAnswers& answers)
{
    for (std::size_t i = 0; i < answerTables; ++i)
        if (!older.has(answerSpec(static_cast<AnswerTable>(i)).name)) answers.lacking.set(i);
    // They are those of the advice that the older version gave, in its order.
    constexpr auto places = static_cast<std::size_t>(AnswerTable::AdvicePlace);
    answers.values[places].clear();
    answers.lacking.set(places);
}

}  // namespace

Result<Definitions> readDefinitions(Database& database, std::span<const TableSpec> from, const OlderSchema* older)
{
    Definitions definitions;
    Result<ValueHasher> hasher = beginStamp(database);
    if (!hasher) return hasher.error();
    bool known = true;
    const std::int64_t bytes = database.file()->bytes();
    std::int64_t left = bytes;
    for (const TableSpec& spec : from) {
        if (!spec.stamped) continue;
        const ReadRow reader = readerOf(spec.name, older);
        const auto read = [&](const ScannedRow& row) { known = reader(row, definitions) && known; };
        if (const Result<> done = scanTable(database, spec, *hasher, left, read); !done) return done.error();
    }
    if (definitions.stamp.isEmpty())
        return Error{.what = tr("The file is unfinished: its import did not end."),
                     .where = database.path(),
                     .hint = tr("Import the trace again.")};
    if (definitions.stamp != hasher->hex())
        return damagedFile(database.path(), tr("its stamp does not fit its tables"));
    if (!known) return damagedFile(database.path(), tr("a table holds values that no version knows"));
    if (older && definitions.info.isPart()) addLacking(*older, definitions.answers);
    if (!older && from.size() != tables(eventsOf(definitions)).size())
        return damagedFile(database.path(), tr("it does not say of which parts its events are"));
    sortDirectory(definitions);
    if (const QString wrong = contradictionIn(definitions, bytes); !wrong.isEmpty())
        return damagedFile(database.path(), wrong);
    return definitions;
}

}  // namespace longpole
