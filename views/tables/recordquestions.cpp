// SPDX-License-Identifier: GPL-3.0-or-later
// Each of these questions asks for the list first, so that it is made once for all pages, places and searches.
#include "views/tables/recordquestions.h"

#include "analysis/results/bytesof.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/tables/logtext.h"

#include <algorithm>

namespace longpole {

Result<std::shared_ptr<const RecordList>> RecordListQuestion::compute(Results& results, const Progress& progress) const
{
    return RecordList::make(results.sharedStore(), choice, progress);
}

Result<std::shared_ptr<const RecordPlaces>> RecordPlacesQuestion::compute(Results& results,
                                                                          const Progress& progress) const
{
    const auto list = results.ask(RecordListQuestion{choice}, progress);
    if (!list.ok()) return list.error();
    RecordPlaces places{.list = *list};
    const Result<std::int64_t> upperRow = places.list->position(upper, progress);
    if (!upperRow) return upperRow.error();
    places.upper = *upperRow;
    if (kept) {
        const auto row = results.ask(RecordRowQuestion{choice, kept->kind, kept->track, kept->row}, progress);
        if (!row.ok()) return row.error();
        places.kept = **row;
    }
    return std::make_shared<const RecordPlaces>(std::move(places));
}

Result<std::shared_ptr<const std::int64_t>> RecordRowQuestion::compute(Results& results, const Progress& progress) const
{
    const auto list = results.ask(RecordListQuestion{choice}, progress);
    if (!list.ok()) return list.error();
    const auto found = (*list)->find(kind, track, row);
    if (!found) return found.error();
    if (!*found) return std::make_shared<const std::int64_t>(-1);
    const Result<std::int64_t> position = (*list)->position(**found, progress);
    if (!position) return position.error();
    return std::make_shared<const std::int64_t>(*position);
}

Result<std::shared_ptr<const RecordPage>> RecordPageQuestion::compute(Results& results, const Progress& progress) const
{
    const auto list = results.ask(RecordListQuestion{choice}, progress);
    if (!list.ok()) return list.error();
    const Result<std::vector<RecordRef>> refs = (*list)->records(first, count, progress);
    if (!refs) return refs.error();
    Result<std::vector<Record>> records = reader ? reader->read(*refs)
                                                 : RecordReader(results.sharedStore()).read(*refs);
    if (!records) return records.error();
    return std::make_shared<const RecordPage>(RecordPage{first, std::move(*records)});
}

Result<std::shared_ptr<const LogRowsText>> LogRowsQuestion::compute(Results& results, const Progress& progress) const
{
    constexpr std::int64_t most = 100'000;
    constexpr qsizetype mostBytes = 64 << 20;  // a text may be long, and many rows may name it
    if (count > most)
        return Error{.what = tr("%1 rows are too many to copy or export here.").arg(formatCount(count)),
                     .where = {},
                     .hint = tr("Select fewer, or ask for all of them with “longpole sql”.")};
    const auto list = results.ask(RecordListQuestion{choice}, progress);
    if (!list.ok()) return list.error();
    RecordReader reader(results.sharedStore());
    LogRowsText rows;
    constexpr std::int64_t atOnce = 4096;
    for (std::int64_t at = first, end = first + count; at < end; at += atOnce) {
        const Result<std::vector<RecordRef>> refs = (*list)->records(at, std::min(atOnce, end - at), progress);
        if (!refs) return refs.error();
        const Result<std::vector<Record>> records = reader.read(*refs);
        if (!records) return records.error();
        constexpr std::size_t together = 8;
        for (std::size_t done = 0; done < records->size(); done += together) {
            if (progress.isCancelled()) return cancelledError();
            const auto some = std::span(*records).subspan(done, std::min(together, records->size() - done));
            QByteArray text = isCsv ? logCsv(results.store(), some) : logRows(results.store(), some).toUtf8();
            if (isCsv && rows.rows > 0) text.remove(0, text.indexOf('\n') + 1);  // the headings stand there once
            rows.text += text;
            rows.rows += static_cast<std::int64_t>(some.size());
            if (rows.text.size() > mostBytes)
                return Error{.what = tr("The text of these rows is longer than %1.").arg(formatBytes(mostBytes)),
                             .where = {},
                             .hint = tr("Select fewer, or ask for them with “longpole sql”.")};
        }
    }
    return std::make_shared<const LogRowsText>(std::move(rows));
}

std::int64_t RecordPageQuestion::bytes(const RecordPage& page) { return bytesOf(page.records); }

Result<std::shared_ptr<const FoundRecord>> RecordSearchQuestion::compute(Results& results,
                                                                         const Progress& progress) const
{
    const auto list = results.ask(RecordListQuestion{choice}, progress);
    if (!list.ok()) return list.error();
    const Result<RecordQuestion> question = parseRecordQuestion(text, results.store(), progress);
    if (!question) return question.error();
    Result<std::optional<RecordRef>> ref = findRecord(**list, *question, from, forward, progress);
    if (!ref) return ref.error();
    const bool isRound = !*ref && from;
    if (isRound) ref = findRecord(**list, *question, {}, forward, progress);
    if (!ref) return ref.error();
    if (!*ref) return std::make_shared<const FoundRecord>();
    const Result<std::int64_t> row = (*list)->position(**ref, progress);
    if (!row) return row.error();
    return std::make_shared<const FoundRecord>(FoundRecord{*ref, *row, isRound});
}

}  // namespace longpole
