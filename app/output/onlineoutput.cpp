// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/onlineoutput.h"

#include "analysis/base/naming.h"
#include "app/output/tableoutput.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace longpole {

namespace {

constexpr std::size_t mostLines = 20;
constexpr std::size_t mostProcedures = 20;
constexpr std::size_t mostDrawn = 12;
constexpr double leastDrawn = 0.001;  // of the path, or of all ranks' time

double part(TimeNs some, TimeNs whole)
{
    return whole > 0 ? static_cast<double>(some) / static_cast<double>(whole) : 0;
}

QVariant cellOf(TimeNs time) { return QVariant::fromValue(static_cast<qlonglong>(time)); }

bool hasNets(const OnlineSample& sample)
{
    return std::any_of(sample.procedures.begin(), sample.procedures.end(),
                       [](const OnlineProcedure& row) { return row.net.has_value(); });
}

TimeNs timeOfAll(const OnlineSample& sample)
{
    TimeNs all = sample.restCpu;
    for (const OnlineProcedure& row : sample.procedures) all = saturatingAdd(all, row.cpu);
    return all;
}

bool hasInclusive(const OnlineSample& sample)
{
    return std::any_of(sample.procedures.begin(), sample.procedures.end(),
                       [](const OnlineProcedure& row) { return row.inclusive.has_value(); });
}

// The heading of nets.
QString withoutIt(const OnlineSample& sample)
{
    return sample.factor.numerator > 0 ? tr("Path at %1").arg(toText(sample.factor)) : tr("Path without it");
}

QVariant gainOf(const OnlineSample& sample, const OnlineProcedure& row)
{
    return row.net ? cellOf(saturatingSubtract(sample.length, *row.net)) : QVariant();
}

void writeProcedures(Output& output, const OnlineSample& sample)
{
    const bool withNets = hasNets(sample);
    const TimeNs all = timeOfAll(sample);
    std::vector<Column> columns{{"share_ns", tr("On the path"), CellKind::Time},
                                {"share", tr("Share"), CellKind::Share},
                                {"cpu_ns", tr("All ranks"), CellKind::Time},
                                {"cpu_share", tr("Of all"), CellKind::Share}};
    const bool withCalled = hasInclusive(sample);
    if (withCalled) columns.emplace_back("inclusive_ns", tr("With what it calls"), CellKind::Time);
    if (withNets) {
        columns.emplace_back("net_ns", withoutIt(sample), CellKind::Time);
        columns.emplace_back("gain_ns", tr("Gain"), CellKind::Time);
    }
    columns.emplace_back("name", tr("Procedure"), CellKind::Text);
    TableWriter table(output, OutputFormat::Text, columns, nullptr);
    TimeNs rest = sample.rest;
    for (std::size_t i = mostProcedures; i < sample.procedures.size(); ++i)
        rest = saturatingAdd(rest, sample.procedures[i].share);
    for (const OnlineProcedure& row :
         std::span(sample.procedures).first(std::min(mostProcedures, sample.procedures.size()))) {
        std::vector<QVariant> cells{cellOf(row.share), part(row.share, sample.length), cellOf(row.cpu),
                                    part(row.cpu, all)};
        if (withCalled) cells.push_back(row.inclusive ? cellOf(*row.inclusive) : QVariant());
        if (withNets) {
            cells.push_back(row.net ? cellOf(*row.net) : QVariant());
            cells.push_back(gainOf(sample, row));
        }
        cells.emplace_back(onOneLine(row.name));
        if (!table.row(cells)) return;
    }
    table.finish();
    const auto late = std::max_element(sample.procedures.begin(), sample.procedures.end(),
                                       [](const auto& a, const auto& b) { return a.netSince < b.netSince; });
    if (late != sample.procedures.end() && late->netSince > 0)
        output.write(tr("Some gains are of the run from %1 on only, when their procedures were first followed.\n")
                         .arg(formatTime(late->netSince)));
    if (withNets && sample.factor.numerator > 0)
        output.write(tr("Gains are those of a procedure that takes %1 of its time.\n").arg(toText(sample.factor)));
    if (rest > 0) output.write(tr("%1 of the path are in other procedures.\n").arg(formatTime(rest)));
}

void writeProceduresCsv(Output& output, const OnlineSample& sample)
{
    const TimeNs all = timeOfAll(sample);
    TableWriter table(output, OutputFormat::Csv,
                      {{"name", tr("Procedure"), CellKind::Text},
                       {"share_ns", tr("On the path"), CellKind::Time},
                       {"share", tr("Share"), CellKind::Share},
                       {"cpu_ns", tr("All ranks"), CellKind::Time},
                       {"cpu_share", tr("Of all"), CellKind::Share},
                       {"net_ns", withoutIt(sample), CellKind::Time},
                       {"gain_ns", tr("Gain"), CellKind::Time},
                       {"net_since_ns", tr("Since"), CellKind::Time},
                       {"inclusive_ns", tr("With what it calls"), CellKind::Time}},
                      nullptr);
    for (const OnlineProcedure& row : sample.procedures)
        if (!table.row({row.name, cellOf(row.share), part(row.share, sample.length), cellOf(row.cpu),
                        part(row.cpu, all), row.net ? cellOf(*row.net) : QVariant(), gainOf(sample, row),
                        row.net ? cellOf(row.netSince) : QVariant(),
                        row.inclusive ? cellOf(*row.inclusive) : QVariant()}))
            return;
    table.finish();
}

void writeRanks(Output& output, const OnlineSample& sample)
{
    const std::vector<Column> columns{{"share_ns", tr("On the path"), CellKind::Time},
                                      {"share", tr("Share"), CellKind::Share},
                                      {"rank", tr("Rank"), CellKind::Number}};
    TableWriter table(output, OutputFormat::Text, columns, nullptr);
    for (const OnlineRank& row : sample.ranks)
        if (!table.row({cellOf(row.share), part(row.share, sample.length), qlonglong(row.rank)})) return;
    table.finish();
}

}  // namespace

QString doubtText(const OnlineSample& sample)
{
    QString text;
    if (sample.paused > 0)
        text += tr("%1 of the run are not in the path: it was stopped then.\n").arg(formatTime(sample.paused));
    if (sample.lost > 0)
        text += tr("%1 of the run are not in the path: there was no memory for all notes.\n")
                    .arg(formatTime(sample.lost));
    const auto say = [&text](std::int64_t count, const QString& what) {
        if (count > 0) text += tr("The path may be too short: %1.\n").arg(what.arg(formatCount(count)));
    };
    say(sample.late, tr("messages whose sender had no note of them: %1"));
    say(sample.ambiguous, tr("receives whose message was not known in time: %1"));
    say(sample.ahead, tr("messages from beyond a meeting: %1"));
    if (sample.mistraced > 0)
        text += tr("The parts of the path did not add up to it %1 times: those of procedures and ranks are wrong.\n")
                    .arg(formatCount(sample.mistraced));
    if (sample.notCompared.value_or(0) > 0)
        text += tr("Both ways to find it were compared %1 times, and %2 times not, since one of them was in doubt.\n")
                    .arg(formatCount(sample.compared.value_or(0)), formatCount(*sample.notCompared));
    if (sample.differences > 0)
        text += tr("Both ways to find it gave different paths: %1 times.\n").arg(formatCount(sample.differences));
    return text;
}

QString sampleText(const OnlineSample& sample)
{
    QString text = tr("At %1 the path is %2 long, %3 of the time")
                       .arg(formatTime(sample.time), formatTime(sample.length),
                            formatShare(part(sample.length, sample.covered)));
    if (!sample.procedures.empty())
        text += tr("; %1 of it in %2")
                    .arg(formatShare(part(sample.procedures.front().share, sample.length)),
                         onOneLine(sample.procedures.front().name));
    if (!sample.ranks.empty())
        text += tr("; %1 on rank %2")
                    .arg(formatShare(part(sample.ranks.front().share, sample.length)))
                    .arg(sample.ranks.front().rank);
    if (sample.isStopped) text += tr("; it is stopped");
    return text + QLatin1Char('\n');
}

void writeProfile(Output& output, const OnlineSample& sample)
{
    output.write(tr("\nThe critical path, %1 long, of %2 that were followed\n\n")
                     .arg(formatTime(sample.length), formatTime(sample.covered)));
    writeProcedures(output, sample);
    if (sample.isOfCpu) output.write(tr("All of it is CPU time.\n"));
    output.write(QByteArray("\n"));
    writeRanks(output, sample);
    output.write(
        tr("\nFollowing it took %1, all ranks together, with waiting for each other.\n").arg(formatTime(sample.own)));
    output.write(doubtText(sample));
    if (!sample.isFinal)
        output.write(tr("This is not the end: the program runs on, or did not come to MPI_Finalize.\n"));
}

void writeSamples(Output& output, OutputFormat format, std::vector<OnlineSample> samples)
{
    if (format == OutputFormat::Json) {
        JsonValue list = JsonValue::array();
        for (OnlineSample& sample : samples) list.push_back(std::exchange(sample, {}).json);
        output.write(dump({{"samples", std::move(list)}}));
        return;
    }
    if (format == OutputFormat::Csv)
        return writeProceduresCsv(output, samples.empty() ? OnlineSample() : samples.back());
    if (samples.empty()) {
        output.write(tr("There is no sample yet: the first comes when all ranks have met often enough.\n"));
        return;
    }
    if (const std::size_t left = samples.size() - std::min(samples.size(), mostLines); left > 0)
        output.write(counted("%1 earlier samples: --json lists them\n", "%1 earlier sample: --json lists it\n",
                             std::int64_t(left)));
    for (const OnlineSample& sample : std::span(samples).last(std::min(samples.size(), mostLines)))
        output.write(sampleText(sample));
    writeProfile(output, samples.back());
}

GroupedBars profileBars(const OnlineSample& sample, const Theme& theme)
{
    GroupedBars bars{
        .title = tr("What the critical path consists of"), .summary = {}, .measures = {}, .groups = {}, .values = {}};
    bars.summary = tr("%1 long, of %2 that were followed").arg(formatTime(sample.length), formatTime(sample.covered));
    const bool withNets = hasNets(sample);
    bars.measures.push_back({tr("part of the path"), theme.accent});
    if (withNets)
        bars.measures.push_back({sample.factor.numerator > 0
                                     ? tr("how much shorter the path were at %1 of its time").arg(toText(sample.factor))
                                     : tr("how much shorter the path were without it"),
                                 theme.secondPath});
    bars.measures.push_back({tr("part of all ranks' time"), theme.utilization});
    const TimeNs all = timeOfAll(sample);
    for (const OnlineProcedure& row :
         std::span(sample.procedures).first(std::min(mostDrawn, sample.procedures.size()))) {
        if (part(row.share, sample.length) < leastDrawn && part(row.cpu, all) < leastDrawn) continue;
        bars.groups.push_back(onOneLine(row.name));
        std::vector<double> values{part(row.share, sample.length)};
        if (withNets)
            values.push_back(row.net ? part(saturatingSubtract(sample.length, *row.net), sample.length)
                                     : std::numeric_limits<double>::quiet_NaN());
        values.push_back(part(row.cpu, all));
        bars.values.push_back(std::move(values));
    }
    return bars;
}

}  // namespace longpole
