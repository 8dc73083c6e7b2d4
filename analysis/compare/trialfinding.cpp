// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/trialfinding.h"

#include "analysis/base/naming.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

TableData pairTable(const Trial& trial)
{
    TableData table;
    table.title = tr("Pairs of runs, without and with %1").arg(trial.change);
    table.columns = {{"pair", tr("Pair"), CellKind::Number},
                     {"without_ns", tr("Without"), CellKind::Time},
                     {"with_ns", tr("With"), CellKind::Time},
                     Column("gain", tr("Gain"), CellKind::Share).belowZero()};
    std::vector<TimeNs> without, with;
    for (const TrialRun& run : trial.runs) (run.isChanged ? with : without).push_back(run.duration);
    for (std::size_t i = 0; i < std::min(without.size(), with.size()); ++i) {
        const double gain = 1 - double(with[i]) / double(without[i]);
        table.rows.push_back({Cell(i + 1), Cell(without[i]), Cell(with[i]), readAs(gain, formatSignedShare(gain))});
    }
    return table;
}

FindingItem trialItem(const Trial& trial)
{
    const TrialGain gain = trialGain(trial.runs);
    FindingItem item;
    item.title = tr("With %1").arg(trial.change);
    if (trial.prediction && trial.prediction->isUsable())
        item.facts.push_back({tr("Predicted gain"), predictedGainText(trial)});
    item.facts.push_back({tr("Measured gain"), measuredText(gain)});
    item.facts.push_back({tr("Duration"), mediansText(gain)});
    item.paragraphs << verdictOf(trial);
    if ((gain.median > 0 && gain.with > gain.without) || (gain.median < 0 && gain.with < gain.without))
        item.paragraphs << tr(
            "By the medians of the durations it is the other way round: the runs scatter more than that.");
    if (trial.prediction && !trial.prediction->isUsable()) item.paragraphs << predictedGainText(trial);
    item.paragraphs << tr("Measured was the time %1, in %2 of runs, in turn.")
                           .arg(measuredByText(trial.by), counted("%1 pairs", "%1 pair", gain.pairs));
    if (!trial.missing.empty())
        item.paragraphs << tr("The trace does not have %1 of the entry methods, such as %2.")
                               .arg(formatCount(std::int64_t(trial.missing.size())), trial.missing.front());
    return item;
}

}  // namespace

QString trialFindingTitle() { return tr("What was tried"); }

Finding trialFinding(std::span<const Trial> trials)
{
    Finding finding;
    finding.id = QLatin1String(trialFindingId);
    finding.title = trialFindingTitle();
    JsonValue json = JsonValue::array();
    for (const Trial& trial : trials) {
        finding.items.push_back(trialItem(trial));
        finding.appendix.tables.push_back(pairTable(trial));
        json.push_back(toJson(trial));
    }
    finding.json = std::move(json);
    finding.appendix.paragraphs << tr(
        "A gain is 1 - duration with / duration without, of two runs that followed each "
        "other; their median need not be that of the median durations. The interval holds the median of all such gains "
        "with a probability of nine tenths (sign test); of fewer than five pairs it is the least and the largest.");
    return finding;
}

void addTrials(std::vector<Finding>& findings, std::span<const Trial> trials)
{
    if (trials.empty()) return;
    const bool hasAdvice = !findings.empty() && findings.front().id == QLatin1String("advice");
    findings.insert(findings.begin() + (hasAdvice ? 1 : 0), trialFinding(trials));
}

}  // namespace longpole
