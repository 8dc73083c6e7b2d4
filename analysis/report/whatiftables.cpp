// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/whatiftables.h"

#include "analysis/base/naming.h"
#include "analysis/report/profiletables.h"
#include "core/base/translate.h"

#include <algorithm>
#include <tuple>

namespace longpole {

namespace {

EntryId entryOf(const WhatIfAnswer& answer)
{
    return answer.question.entries.size() == 1 ? answer.question.entries.front() : noEntry;
}

Cell entriesOf(const WhatIfAnswer& answer)
{
    QVariantList entries;
    for (const EntryId entry : answer.question.entries) entries << Cell(entry);
    return Cell(entries);
}

Column shareColumn() { return {"share_ns", tr("On path"), CellKind::Time, tr("Their time on the path as it is")}; }

Column netColumn() { return {"net_ns", tr("Path then"), CellKind::Time, tr("Length of the longest path then")}; }

Column gainColumn()
{
    return {
        "gain_ns", tr("Path shorter by"), CellKind::Time,
        tr("By how much the longest path is shorter then; a run may save less, or more where it waits for other work")};
}

}  // namespace

Table<WhatIfAnswer> whatIfTable(const TableScope& scope, TimeNs length)
{
    const Vocabulary words = scope.words;
    return {QStringLiteral("zeroing"),
            words.say(tr("Gain if an entry method cost nothing"), tr("Gain if a region cost nothing")),
            {
                {{"entry", words.say(tr("Entry method"), tr("Region")), CellKind::Entry,
                  words.say(tr("The entry method that costs less; none in the row of several at once"),
                            tr("The region that costs less; none in the row of several at once"))},
                 entryOf},
                {Column("entries", words.say(tr("Entry methods"), tr("Regions")), CellKind::Rows,
                        tr("Those that cost less at once, only in their row"))
                     .of(CellKind::Entry),
                 entriesOf},
                {shareColumn(), &WhatIfAnswer::share},
                {netColumn(), &WhatIfAnswer::net},
                {gainColumn().belowZero(), &WhatIfAnswer::gain},
                {Column("gain", tr("Of the path"), CellKind::Share, tr("The gain over the path's length as it is"))
                     .belowZero(),
                 [length](const WhatIfAnswer& row) { return ratio(double(row.gain), double(length)); }},
                {{"next_critical", tr("Then critical"), CellKind::Entry,
                  words.say(tr("The other entry method with most time on the path then; none if there is none"),
                            tr("The other region with most time on the path then; none if there is none"))},
                 &WhatIfAnswer::nextCritical},
            }};
}

std::vector<StreamedShare> streamedShares(const TraceStore& store, const StreamingRequest& request,
                                          const StreamingResult& result)
{
    const std::size_t count = std::min(request.procedures.size(), result.shares.size());
    std::vector<StreamedShare> rows(count + 1);
    for (std::size_t i = 0; i <= count; ++i) {
        StreamedShare& row = rows[i];
        row.procedure = i;
        row.key.entry = i < count ? request.procedures[i].front() : noEntry;
        row.count = -1;
        row.time = i < count ? result.shares[i] : result.rest;
        row.share = std::clamp(ratio(double(row.time), double(result.length)), 0.0, 1.0);
        row.name = i < count ? profileName(store, ProfileBy::Entry, row.key) : tr("(none of these)");
        if (i >= count || i >= result.nets.size()) continue;
        row.net = result.nets[i];
        row.gain = result.length - result.nets[i];
    }
    std::vector<TimeNs> busy(rows.size());
    TimeNs allBusy = 0;
    for (const ProfileRow& line : store.profile()) {
        const auto found = std::find_if(rows.begin(), rows.end() - 1,
                                        [&line](const StreamedShare& row) { return row.key.entry == line.entry; });
        TimeNs& sum = busy[found->procedure];
        sum = saturatingAdd(sum, line.exclusive);
        allBusy = saturatingAdd(allBusy, line.exclusive);
    }
    for (StreamedShare& row : rows)
        row.busyShare = std::clamp(ratio(double(busy[row.procedure]), double(allBusy)), 0.0, 1.0);
    std::sort(rows.begin(), rows.end() - 1, [](const StreamedShare& a, const StreamedShare& b) {
        return std::tie(b.time, a.key.entry) < std::tie(a.time, b.key.entry);
    });
    return rows;
}

Table<StreamedShare> streamedShareTable(const TableScope& scope)
{
    Table<StreamedShare> table{QStringLiteral("critical-path.streaming"), tr("What the streamed path consists of"), {}};
    const Table<PathShare> profile = pathProfileTable(scope);
    for (const TableColumn<PathShare>& column : profile.columns)
        table.columns.emplace_back(static_cast<const Column&>(column), column.cell);
    table.columns.emplace_back(shareColumn(), &StreamedShare::time);
    table.columns.emplace_back(netColumn().orNone(), &StreamedShare::net);
    table.columns.emplace_back(gainColumn().orNone(), &StreamedShare::gain);
    return table;
}

Table<StreamingSample> streamingSampleTable(const TableScope&, const std::vector<StreamedShare>& shares)
{
    const auto shareIn = [](const StreamingSample& sample, const StreamedShare& share) {
        const TimeNs time = share.key.entry == noEntry ? sample.rest : sample.shares[share.procedure];
        return std::clamp(ratio(double(time), double(sample.length)), 0.0, 1.0);
    };
    Table<StreamingSample> table{
        QStringLiteral("critical-path.samples"),
        tr("The path as it grew"),
        {
            {{"time_ns", tr("Until"), CellKind::Instant, tr("When the path was as it is here")},
             &StreamingSample::time},
            {{"length_ns", tr("Length"), CellKind::Time, tr("Of the path as far as it had come; never falls")},
             &StreamingSample::length},
            {Column("shares", tr("Shares"), CellKind::Rows, tr("Of that length, in the order of the profile"))
                 .of(CellKind::Share)
                 .atMostOne(),
             [shares, shareIn](const StreamingSample& row) {
                 QVariantList list;
                 for (const StreamedShare& share : shares) list << shareIn(row, share);
                 return Cell(list);
             }},
        }};
    for (const StreamedShare& share : shares) {
        const QString key = share.key.entry == noEntry ? QStringLiteral("others")
                                                       : QString::number(index(share.key.entry));
        table.columns.push_back({{QString(QStringLiteral("share_of_") + key), onOneLine(share.name), CellKind::Share,
                                  tr("What it has of that length")},
                                 [share, shareIn](const StreamingSample& row) { return shareIn(row, share); }});
    }
    return table;
}

std::vector<TableInfo> whatIfTables(Vocabulary words)
{
    return {infoOf(whatIfTable(words)), infoOf(streamedShareTable(words)), infoOf(streamingSampleTable(words))};
}

}  // namespace longpole
