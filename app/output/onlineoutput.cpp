// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/onlineoutput.h"

#include "analysis/base/naming.h"
#include "app/output/tableoutput.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr std::size_t mostLines = 20;
constexpr std::size_t mostProcedures = 20;

double part(TimeNs some, TimeNs whole)
{
    return whole > 0 ? static_cast<double>(some) / static_cast<double>(whole) : 0;
}

QVariant cellOf(TimeNs time) { return QVariant::fromValue(static_cast<qlonglong>(time)); }

void writeProcedures(Output& output, const OnlineSample& sample)
{
    const bool hasNets = std::any_of(sample.procedures.begin(), sample.procedures.end(),
                                     [](const OnlineProcedure& row) { return row.net.has_value(); });
    std::vector<Column> columns{{"share_ns", tr("On the path"), CellKind::Time},
                                {"share", tr("Share"), CellKind::Share},
                                {"cpu_ns", tr("All ranks"), CellKind::Time}};
    if (hasNets) {
        columns.emplace_back("net_ns", tr("Path without it"), CellKind::Time);
        columns.emplace_back("gain_ns", tr("Gain"), CellKind::Time);
    }
    columns.emplace_back("name", tr("Procedure"), CellKind::Text);
    TableWriter table(output, OutputFormat::Text, columns, nullptr);
    TimeNs rest = sample.rest;
    for (std::size_t i = mostProcedures; i < sample.procedures.size(); ++i)
        rest = saturatingAdd(rest, sample.procedures[i].share);
    for (const OnlineProcedure& row :
         std::span(sample.procedures).first(std::min(mostProcedures, sample.procedures.size()))) {
        std::vector<QVariant> cells{cellOf(row.share), part(row.share, sample.length), cellOf(row.cpu)};
        if (hasNets) {
            cells.push_back(row.net ? cellOf(*row.net) : QVariant());
            cells.push_back(row.net ? cellOf(sample.length - *row.net) : QVariant());
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
    if (rest > 0) output.write(tr("%1 of the path are in other procedures.\n").arg(formatTime(rest)));
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
    output.write(QByteArray("\n"));
    writeRanks(output, sample);
    output.write(tr("\nFollowing it took %1, all ranks together.\n").arg(formatTime(sample.own)));
    output.write(doubtText(sample));
    if (!sample.isFinal)
        output.write(tr("This is not the end: the program runs on, or did not come to MPI_Finalize.\n"));
}

void writeSamples(Output& output, OutputFormat format, std::span<const OnlineSample> samples)
{
    if (format == OutputFormat::Json) {
        JsonValue list = JsonValue::array();
        for (const OnlineSample& sample : samples) list.push_back(sample.json);
        output.write(dump({{"samples", std::move(list)}}));
        return;
    }
    if (samples.empty()) {
        output.write(tr("There is no sample yet: the first comes when all ranks have met often enough.\n"));
        return;
    }
    if (const std::size_t left = samples.size() - std::min(samples.size(), mostLines); left > 0)
        output.write(tr("%1 earlier samples: --json lists them\n").arg(formatCount(std::int64_t(left))));
    for (const OnlineSample& sample : samples.last(std::min(samples.size(), mostLines)))
        output.write(sampleText(sample));
    writeProfile(output, samples.back());
}

}  // namespace longpole
