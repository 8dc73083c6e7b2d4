// SPDX-License-Identifier: GPL-3.0-or-later
// What could be gained, in words: entry methods at no cost and the paths that would take over.
#include "analysis/report/findings.h"

#include "analysis/paths/slackquestions.h"
#include "analysis/whatif/whatifquestions.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t mostRows = 10;

QString shareOf(TimeNs part, TimeNs whole) { return formatShare(ratio(double(part), double(whole))); }

TableData gainTable(Vocabulary words, const std::vector<WhatIfAnswer>& answers, TimeNs length)
{
    TableData table;
    table.title = words.say(tr("Gain if an entry method cost nothing"), tr("Gain if a region cost nothing"));
    table.columns = {{"entry", words.say(tr("Entry method"), tr("Region")), CellKind::Entry},
                     {"share_ns", tr("Time on the path"), CellKind::Time},
                     {"gain_ns", tr("Gain at most"), CellKind::Time},
                     {"gain", tr("Of the path"), CellKind::Share},
                     {"net_ns", tr("Path then"), CellKind::Time},
                     {"next_critical", tr("Then critical"), CellKind::Entry}};
    for (std::size_t i = 0; i < std::min(mostRows, answers.size()); ++i) {
        const WhatIfAnswer& answer = answers[i];
        table.rows.push_back({index(answer.question.entries.front()), static_cast<qlonglong>(answer.share),
                              static_cast<qlonglong>(answer.gain), ratio(double(answer.gain), double(length)),
                              static_cast<qlonglong>(answer.net),
                              answer.nextCritical == noEntry ? QVariant() : QVariant(index(answer.nextCritical))});
    }
    table.rowsOmitted = static_cast<std::int64_t>(answers.size() - table.rows.size());
    return table;
}

QString gainSentence(const TraceStore& store, const std::vector<WhatIfAnswer>& answers, const CriticalPath& path)
{
    const WhatIfAnswer& best = answers.front();
    if (best.gain == 0)
        return store.words()
            .say(tr("No single entry method shortens the path of %1: whichever cost nothing, another path is as long."),
                 tr("No single region shortens the path of %1: whichever cost nothing, another path is as long."))
            .arg(formatTime(path.length));
    QString text = tr("If %1 cost nothing, the path of %2 would be at most %3 (%4) shorter")
                       .arg(nameOfEntry(store, best.question.entries.front()), formatTime(path.length),
                            formatTime(best.gain), shareOf(best.gain, path.length));
    if (best.nextCritical != noEntry) text += tr("; then %1 has most of it").arg(nameOfEntry(store, best.nextCritical));
    text += tr(". It has %1 on the path: %2")
                .arg(formatTime(best.share),
                     best.gain < best.share - best.share / 20
                         ? tr("part of what is saved there is lost to other paths that are nearly as long.")
                         : tr("what is saved there shortens the path by as much."));
    return text;
}

TableData nearTable(const std::vector<NearCriticalPath>& paths)
{
    TableData table;
    table.title = tr("Paths that are nearly as long");
    table.columns = {{"length_ns", tr("Length"), CellKind::Time},
                     {"slack_ns", tr("Shorter by"), CellKind::Time},
                     {"distinct_ns", tr("Of its own"), CellKind::Time},
                     {"steps", tr("Steps"), CellKind::Count},
                     {"to", tr("Ends at"), CellKind::Text},
                     {"entry", tr("Most time in"), CellKind::Entry}};
    for (const NearCriticalPath& near : paths)
        table.rows.push_back({static_cast<qlonglong>(near.path.length), static_cast<qlonglong>(near.slack),
                              static_cast<qlonglong>(near.distinct), static_cast<qlonglong>(near.path.steps.size()),
                              toText(near.path.to),
                              near.path.profile.empty() ? QVariant()
                                                        : QVariant(index(near.path.profile.front().entry))});
    return table;
}

QString nearSentence(const std::vector<NearCriticalPath>& paths)
{
    if (paths.size() < 2)
        return tr(
            "No other path with a fifth of its own comes within 5 % of it: all that is saved on the critical path "
            "counts until then.");
    if (paths[1].slack == 0)
        return tr("Another path of the same length runs beside it: shortening only one of them gains nothing.");
    return tr("Shorten the first path by more than %1 and another one takes over.").arg(formatTime(paths[1].slack));
}

JsonValue gainJson(const TraceStore& store, const std::vector<WhatIfAnswer>& answers)
{
    JsonValue rows = JsonValue::array();
    for (const WhatIfAnswer& answer : answers)
        rows.push_back({{"entry", entryJson(store, answer.question.entries.front())},
                        {"share_ns", answer.share},
                        {"net_ns", answer.net},
                        {"gain_ns", answer.gain},
                        {"next_critical",
                         answer.nextCritical == noEntry ? JsonValue() : entryJson(store, answer.nextCritical)}});
    return rows;
}

JsonValue nearJson(const std::vector<NearCriticalPath>& paths)
{
    JsonValue rows = JsonValue::array();
    for (const NearCriticalPath& near : paths)
        rows.push_back({{"length_ns", near.path.length},
                        {"slack_ns", near.slack},
                        {"distinct_ns", near.distinct},
                        {"steps", near.path.steps.size()},
                        {"to", toText(near.path.to)}});
    return rows;
}

}  // namespace

Finding findWhatIf(const AnalysisContext& context)
{
    Finding finding;
    const CriticalPath& path = context.workAtOrder;
    if (path.steps.empty() || path.length <= 0) {
        finding.notEvaluated = withoutEvents(context.store,
                                             tr("There is no path: the trace holds no executions that take time."));
        return finding;
    }
    const auto answers = context.results.ask(ZeroingQuestion{}, context.progress);
    if (!answers.ok() || (*answers)->answers.empty()) {
        if (!answers.ok()) finding.notEvaluated = answers.error().what;
        return finding;
    }
    const auto near = context.results.ask(NearCriticalQuestion{.options = {.count = 5}}, context.progress);
    if (!near.ok()) {
        finding.notEvaluated = near.error().what;
        return finding;
    }
    finding.paragraphs << tr(
        "These are bounds for the work path at edge level order: the schedule stays, the network is "
        "free, and what is saved is taken out wherever it was (logical zeroing, Hollingsworth 1996). "
        "They say where effort cannot pay, not what a change will bring.");
    finding.paragraphs << gainSentence(context.store, (*answers)->answers, path);
    finding.paragraphs << nearSentence(**near);
    finding.tables.push_back(gainTable(context.store.words(), (*answers)->answers, path.length));
    finding.tables.push_back(nearTable(**near));
    finding.json = {{"edges", QStringLiteral("order")},
                    {"length_ns", path.length},
                    {"zeroing", gainJson(context.store, (*answers)->answers)},
                    {"near_critical", nearJson(**near)}};
    return finding;
}

}  // namespace longpole
