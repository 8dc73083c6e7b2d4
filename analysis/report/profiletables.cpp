// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/profiletables.h"

#include "analysis/base/unknownbytes.h"
#include "core/base/drawnhash.h"
#include "core/base/translate.h"

#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

namespace longpole {

namespace {

Column figuresEntryColumn(Vocabulary words)
{
    return {"entry", words.say(tr("Entry method"), tr("Region")), CellKind::Entry,
            words.say(tr("The entry method whose figures they are"), tr("The region whose figures they are"))};
}

template <typename Row>
std::vector<TableColumn<Row>> keyColumns(Vocabulary words)
{
    const auto rowName = [](const Row& row) { return row.name; };
    return {
        {figuresEntryColumn(words).orNone(), [](const Row& row) { return row.key.entry; }},
        {{"chare", words.say(tr("Chare"), tr("Group")), CellKind::Text,
          words.say(tr("The chare whose figures they are"), tr("The group of regions whose figures they are"))},
         rowName},
        {Column("chare_id", words.say(tr("Chare's number"), tr("Group's number")), CellKind::Number,
                words.say(tr("The chare's number in the trace: names can collide"),
                          tr("The group's number in the trace: names can collide")))
             .orNone(),
         [](const Row& row) -> Cell {
             return row.key.chare == ProfileKey{}.chare ? Cell() : Cell(index(row.key.chare));
         }},
        {{"pe", words.say(tr("PE"), tr("Rank")), CellKind::Number,
          words.say(tr("The PE whose figures they are"), tr("The rank whose figures they are"))},
         [](const Row& row) { return row.key.pe; }},
        {{"object", tr("Object"), CellKind::Text, tr("The object whose figures they are: its chare and place in it")},
         rowName},
        {{"calls", tr("Code between calls"), CellKind::Text, tr("The MPI calls before and after the code")}, rowName},
    };
}

// The columns of counts and times in the run, which both kinds of profiles have.
template <typename Row>
std::vector<TableColumn<Row>> sumColumns(Vocabulary words)
{
    return {
        {{"count", tr("Count"), CellKind::Count,
          words.say(tr("Tasks"), tr("Calls; of code between calls, how often it ran"))},
         &Row::count},
        {{"time_ns", tr("Inclusive"), CellKind::Time,
          words.say(tr("Time with nested tasks"), tr("Time with what was called from there"))},
         &Row::time},
        {{"exclusive_ns", tr("Exclusive"), CellKind::Time,
          words.say(tr("Time without nested tasks"), tr("Time without what was called from there"))},
         &Row::exclusive},
        {Column("share", tr("Share"), CellKind::Share,
                words.say(tr("Of the run's busy time, without nested tasks"),
                          tr("Of the run's busy time, without what was called from there; MPI calls have none")))
             .atMostOne()
             .orNone(),
         [](const Row& row) {
             if constexpr (requires { row.inMpi; })
                 if (row.inMpi > 0 && row.inMpi == row.exclusive) return Cell();
             return Cell(row.share);
         }},
        {{"messages", tr("Messages"), CellKind::Count, tr("Messages that were created")}, &Row::messages},
        {{"bytes", tr("Bytes"), CellKind::Bytes, tr("Bytes of these messages")}, &Row::bytes},
    };
}

template <typename Row>
void append(Table<Row>& table, std::vector<TableColumn<Row>> columns)
{
    for (TableColumn<Row>& column : columns) table.columns.push_back(std::move(column));
}

}  // namespace

const char* keyOf(ProfileBy by)
{
    switch (by) {
    case ProfileBy::Chare: return "chare";
    case ProfileBy::Pe: return "pe";
    case ProfileBy::Object: return "object";
    case ProfileBy::Calls: return "calls";
    case ProfileBy::Entry: break;
    }
    return "entry";
}

Table<ProfileLine> profileTable(const TableScope& scope)
{
    Table<ProfileLine> table{QStringLiteral("profile"), tr("Where the time went"),
                             keyColumns<ProfileLine>(scope.words)};
    append(table, sumColumns<ProfileLine>(scope.words));
    table.columns.push_back({{"mean_ns", tr("Mean"), CellKind::Time, tr("Mean time of a task, without nested ones")},
                             [](const ProfileLine& row) {
                                 return row.count > 0 ? row.exclusive / row.count : TimeNs(0);
                             }});
    return knowingBytes(std::move(table), scope);
}

Table<ProfileLine> withNames(Table<ProfileLine> table)
{
    for (TableColumn<ProfileLine>& column : table.columns)
        if (column.key == QLatin1String(keyOf(ProfileBy::Entry)))
            column = {Column(column.key, column.title, CellKind::Text, column.meaning),
                      [](const ProfileLine& row) { return row.name; }};
    return table;
}

Table<PathShare> pathShareTable(const TableScope& scope)
{
    Table<PathShare> table{QStringLiteral("critical-path.profile"), tr("Whose time the path is"),
                           keyColumns<PathShare>(scope.words)};
    append<PathShare>(table,
                      {{Column("count", tr("Tasks"), CellKind::Count,
                               tr("Tasks on the path; none with --streaming, which does not count"))
                            .orNone(),
                        [](const PathShare& row) { return row.count >= 0 ? Cell(row.count) : Cell(); }},
                       {{"time_ns", tr("On path"), CellKind::Time, tr("Time on the path")}, &PathShare::time},
                       {Column("share", tr("Of path"), CellKind::Share, tr("Of the path's computation")).atMostOne(),
                        &PathShare::share},
                       {Column("busy_share", tr("Of all busy"), CellKind::Share, tr("Of all busy time")).atMostOne(),
                        &PathShare::busyShare}});
    return table;
}

Table<PathShare> pathProfileTable(const TableScope& scope)
{
    return pathShareTable(scope).only({"entry", "count", "time_ns", "share", "busy_share"});
}

std::vector<PathShare> entryShares(const TraceStore& store, const CriticalPath& path)
{
    std::map<EntryId, PathStep> longest;
    for (const PathStep& step : path.steps) {
        if (step.part != PathPart::Compute) continue;
        PathStep& known = longest[step.entry];
        if (!known.task.isValid() || step.end - step.begin > known.end - known.begin) known = step;
    }
    std::vector<PathShare> shares;
    for (const PathProfileRow& row : path.profile) {
        const ProfileKey key{.entry = row.entry};
        const auto known = longest.find(row.entry);
        shares.push_back({.key = key,
                          .name = profileName(store, ProfileBy::Entry, key),
                          .count = row.count,
                          .time = row.time,
                          .share = row.share,
                          .busyShare = row.busyShare,
                          .longest = known != longest.end() ? known->second.task : TaskId{}});
    }
    return shares;
}

Table<EntryFigures> entryFigureTable(const TableScope& scope, const CriticalPath* path)
{
    std::unordered_map<std::uint32_t, double, DrawnHash> shares;
    if (path != nullptr)
        for (const PathProfileRow& row : path->profile) shares[index(row.entry)] = row.share;
    // Figures of single executions and messages, which a summary does not have.
    const auto ofEvents = [store = scope.store](auto EntryFigures::*figure) {
        return
            [store, figure](const EntryFigures& row) { return store->info().isSummary() ? Cell() : Cell(row.*figure); };
    };
    const auto ofTasks = [ofEvents](auto EntryFigures::*figure) {
        return [cell = ofEvents(figure)](const EntryFigures& row) { return row.hasGrain ? cell(row) : Cell(); };
    };
    Table<EntryFigures> table{QStringLiteral("entries"), scope.words.say(tr("Entry methods"), tr("Regions")), {}};
    const Column entry = figuresEntryColumn(scope.words);
    table.columns.emplace_back(Column(entry.key, entry.title, CellKind::Text, entry.meaning), &EntryFigures::name);
    for (TableColumn<EntryFigures>& column : sumColumns<EntryFigures>(scope.words)) {
        if (column.key == QLatin1String("messages"))
            column = {std::move(column).orNone(), ofEvents(&EntryFigures::messages)};
        if (column.key == QLatin1String("bytes")) column = {std::move(column).orNone(), ofEvents(&EntryFigures::bytes)};
        table.columns.push_back(std::move(column));
    }
    append<EntryFigures>(
        table,
        {{Column("path_share", tr("Of the path"), CellKind::Share, tr("Of the critical path that is shown")).orNone(),
          [shares](const EntryFigures& row) -> Cell {
              const auto known = shares.find(index(row.entry));
              return known == shares.end() ? Cell() : Cell(known->second);
          }},
         {Column("mean_grain_ns", tr("Grain mean"), CellKind::Time, tr("Mean time of a task, without nested ones"))
              .orNone(),
          [](const EntryFigures& row) { return row.hasGrain ? Cell(std::llround(row.meanGrain)) : Cell(); }},
         {Column("median_grain_ns", tr("Median"), CellKind::Time, tr("Median time of a task, without nested ones"))
              .orNone(),
          ofTasks(&EntryFigures::medianGrain)},
         {Column("grain_95_ns", tr("95 % up to"), CellKind::Time,
                 tr("What 95 % of its tasks do not take longer than, without nested ones"))
              .orNone(),
          ofTasks(&EntryFigures::grain95)},
         {Column("most_grain_ns", tr("Most"), CellKind::Time, tr("Longest task, without nested ones")).orNone(),
          ofTasks(&EntryFigures::mostGrain)}});
    return knowingBytes(std::move(table), scope);
}

std::vector<TableInfo> profileTables(Vocabulary words)
{
    return {infoOf(profileTable(words)), infoOf(pathShareTable(words)), infoOf(entryFigureTable(words))};
}

}  // namespace longpole
