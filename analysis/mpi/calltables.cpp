// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/mpi/calltables.h"

#include "analysis/base/callpaths.h"
#include "analysis/base/naming.h"
#include "analysis/base/unknownbytes.h"
#include "core/base/translate.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace longpole {

namespace {

// "solve (main.c:40)", "MPI_Send (halo.c:112)".
QString frameOf(const TraceStore& store, const CallTreeRow& row)
{
    const CallPath* const at = store.callPath(row.path);
    if (!row.call) {
        const bool isKnown = store.callPath(functionOf(store, row.path)) != nullptr;
        return isKnown ? frameText(store, row.path) : tr("(stack not known)");
    }
    const QString name = callName(store, *row.call);
    return at != nullptr ? QStringLiteral("%1 (%2)").arg(name, placeText(*at)) : name;
}

Cell framesCell(const QStringList& frames)
{
    QVariantList cells;
    for (const QString& frame : frames) cells << frame;
    return Cell(cells);
}

}  // namespace

Table<CallTreeRow> callTreeTable(const TableScope& scope, const CallTreeRow& total)
{
    const TraceStore* const store = scope.store;
    return knowingBytes<CallTreeRow>(
        {QStringLiteral("profile.callpath"),
         tr("Where the time went, by call path"),
         {
             {{"frame", tr("Function or call"), CellKind::Text,
               tr("The function or MPI call, and the place that calls it; in text below what calls it")},
              [store](const CallTreeRow& row) {
                  return readAs(frameOf(*store, row),
                                QString(qsizetype{2} * row.depth, QLatin1Char(' ')) + frameOf(*store, row));
              }},
             {Column("path", tr("Path"), CellKind::Rows, tr("All functions from the outermost on")).of(CellKind::Text),
              [store, frames = framesOfRows(store)](const CallTreeRow& row) {
                  QStringList path = frames->of(row.path);
                  if (row.call) path << frameOf(*store, row);
                  return framesCell(path);
              }},
             {{"depth", tr("Depth"), CellKind::Number, tr("How many functions are around it")}, &CallTreeRow::depth},
             {{"count", tr("MPI calls"), CellKind::Count, tr("MPI calls made from there")}, &CallTreeRow::count},
             {{"inclusive_ns", tr("Inclusive"), CellKind::Time,
               tr("Time of all ranks there and in what was called from there, in the run, without that of other "
                  "threads' computation")},
              &CallTreeRow::inclusive},
             {Column("share", tr("Share"), CellKind::Share, tr("Of all ranks' time in the tree")).atMostOne(),
              [total](const CallTreeRow& row) { return ratio(row.inclusive, total.inclusive); }},
             {{"exclusive_ns", tr("Exclusive"), CellKind::Time,
               tr("Of that, the function's own code, which lies between MPI calls made from there; of an MPI call "
                  "all its time")},
              &CallTreeRow::exclusive},
             {{"wait_ns", tr("Waits"), CellKind::Time, tr("Waiting in MPI calls made from there")}, &CallTreeRow::wait},
             {{"bytes", tr("Bytes"), CellKind::Bytes, tr("Sent or received by these calls")}, &CallTreeRow::bytes},
             {{"path_ns", tr("Critical path"), CellKind::Time, tr("Its code on the critical path")},
              &CallTreeRow::onPath},
             {{"cause_ns", tr("Caused waits"), CellKind::Time, tr("Waiting of all ranks that goes back to it")},
              &CallTreeRow::cause},
         }},
        scope);
}

std::vector<CallSite> callSites(const std::vector<MpiSiteSums>& sites, CallSitesBy by, std::size_t most)
{
    using Key = std::tuple<std::uint32_t, RegionId, std::uint32_t>;
    std::map<Key, CallSite> found;
    std::map<Key, std::map<std::uint32_t, TimeNs>> times;  // by rank
    for (const MpiSiteSums& site : sites) {
        const bool byRank = by == CallSitesBy::Rank;
        const Key key{by == CallSitesBy::Call ? noCallPath : site.path, site.call, byRank ? site.rank : 0};
        CallSite& row = found[key];
        row.path = std::get<0>(key);
        row.call = site.call;
        if (byRank) row.rank = site.rank;
        row.sums += site.sums;
        TimeNs& there = times[key][site.rank];
        addSaturating(there, site.sums.time);
        if (there > row.there) std::tie(row.there, row.worstRank) = std::tuple(there, site.rank);
    }
    std::vector<CallSite> rows;
    rows.reserve(found.size());
    for (const auto& [key, row] : found) rows.push_back(row);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const CallSite& a, const CallSite& b) { return a.sums.time > b.sums.time; });
    if (rows.size() <= most) return rows;
    CallSite others;
    std::map<std::uint32_t, TimeNs> left;
    for (auto row = rows.begin() + static_cast<std::ptrdiff_t>(most); row != rows.end(); ++row) {
        others.sums += row->sums;
        ++others.others;
        const std::uint32_t rank = row->rank.value_or(0);
        for (const auto& [other, time] : times.at({row->path, *row->call, rank})) {
            TimeNs& there = left[other];
            addSaturating(there, time);
            if (there > others.there) std::tie(others.there, others.worstRank) = std::tuple(there, other);
        }
    }
    rows.resize(most);
    rows.push_back(others);
    return rows;
}

Table<CallSite> callSiteTable(const TableScope& scope, TimeNs time)
{
    const TraceStore* const store = scope.store;
    const auto pathOf = [store](const CallSite& row) { return store->callPath(row.path); };
    return knowingBytes<CallSite>(
        {QStringLiteral("mpi-calls"),
         tr("MPI calls by place"),
         {
             {Column("call", tr("Call"), CellKind::Text, tr("Name of the MPI call; none: all that are not listed"))
                  .orNone(),
              [store](const CallSite& row) {
                  return row.call ? Cell(callName(*store, *row.call))
                                  : readAs(Cell(), counted("(%1 others)", "(%1 other)", row.others));
              }},
             {Column("site", tr("Place"), CellKind::Text, tr("The function that calls it, and where")).orNone(),
              [store](const CallSite& row) { return textOrNone(pathText(*store, row.path, 1)); }},
             {Column("function", tr("Function"), CellKind::Text, tr("The function that calls it")).orNone(),
              [pathOf](const CallSite& row) {
                  const CallPath* const path = pathOf(row);
                  return path != nullptr ? Cell(path->function) : Cell();
              }},
             {Column("file", tr("File"), CellKind::Text,
                     tr("The source file; without debug information program+address"))
                  .orNone(),
              [pathOf](const CallSite& row) {
                  const CallPath* const path = pathOf(row);
                  return path != nullptr ? Cell(path->file) : Cell();
              }},
             {Column("line", tr("Line"), CellKind::Number, tr("The line there")).orNone(),
              [pathOf](const CallSite& row) {
                  const CallPath* const path = pathOf(row);
                  return path != nullptr && path->line > 0 ? Cell(path->line) : Cell();
              }},
             {Column("path", tr("Path"), CellKind::Rows, tr("All functions from the outermost on")).of(CellKind::Text),
              [frames = framesOfRows(store)](const CallSite& row) { return framesCell(frames->of(row.path)); }},
             {Column("called", tr("Called"), CellKind::Text, tr("The functions that call that function")).orNone(),
              [store](const CallSite& row) {
                  const CallPath* const function = store->callPath(functionOf(*store, row.path));
                  return textOrNone(function != nullptr ? pathText(*store, function->parent, 2) : QString());
              }},
             {Column("rank", tr("Rank"), CellKind::Number, tr("The rank whose calls they are")).orNone(),
              [](const CallSite& row) { return row.rank; }},
             {{"count", tr("Calls"), CellKind::Count, tr("MPI calls")},
              [](const CallSite& row) { return row.sums.calls; }},
             {{"time_ns", tr("Time"), CellKind::Time, tr("Time in these calls, of all ranks")},
              [](const CallSite& row) { return row.sums.time; }},
             {Column("share", tr("Of MPI time"), CellKind::Share, tr("Of the time in all MPI calls")).atMostOne(),
              [time](const CallSite& row) { return ratio(row.sums.time, time); }},
             {{"wait_ns", tr("Waits"), CellKind::Time, tr("Wait before and wait after together")},
              [](const CallSite& row) { return row.sums.wait(); }},
             {{"bytes", tr("Bytes"), CellKind::Bytes, tr("Sent or received by these calls")},
              [](const CallSite& row) { return row.sums.bytes; }},
             {{"worst_rank", tr("Most on rank"), CellKind::Number, tr("The rank that spent most time in them")},
              &CallSite::worstRank},
             {{"there_ns", tr("There"), CellKind::Time, tr("The time that it spent")}, &CallSite::there},
         }},
        scope);
}

std::vector<TableInfo> callTables(Vocabulary words)
{
    return {infoOf(callTreeTable(words)), infoOf(callSiteTable(words))};
}

}  // namespace longpole
