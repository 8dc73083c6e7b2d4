// SPDX-License-Identifier: GPL-3.0-or-later
// longpole comm-matrix: who sent how much to whom.
#include "analysis/base/naming.h"
#include "analysis/report/sumtables.h"
#include "analysis/statistics/sumquestions.h"
#include "app/commandline/chartoptions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/output/pathoutput.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"
#include "views/drawing/pictures/rendermatrix.h"

#include <algorithm>

namespace longpole {

namespace {

CommBy commBy(const CommandLine& line)
{
    const QString by = line.value("by");
    if (by == QLatin1String("node")) return CommBy::Node;
    return by == QLatin1String("entry") ? CommBy::Entry : CommBy::Pe;
}

CommTraffic trafficOf(const QString& measure)
{
    if (measure == QLatin1String("collective")) return CommTraffic::Collective;
    return measure == QLatin1String("both") ? CommTraffic::Both : CommTraffic::Messages;
}

const char* nameOf(CommBy by)
{
    if (by == CommBy::Node) return "node";
    return by == CommBy::Entry ? "entry" : "pe";
}

void writeAsJson(Output& output, const TraceStore& store, const CommMatrix& matrix, const std::vector<CommCell>& cells)
{
    const Table<CommCell> table = commMatrixTable(store, matrix);
    const auto deliveries = [sums = table.only({"messages", "bytes", "deliveries", "delivered_bytes"}),
                             &store](const CommCell& cell) { return rowJson(sums, cell, &store); };
    const auto messages = [sums = table.only({"messages", "bytes"}), &store](const CommCell& cell) {
        return rowJson(sums, cell, &store);
    };
    const JsonFrame frame{{{"by", nameOf(matrix.by)},
                           {"total", deliveries(matrix.total)},
                           {"in_node", deliveries(matrix.inNode)},
                           {"outside", deliveries(matrix.outside)},
                           {"unattributed", messages(matrix.unattributed)},
                           {"unexecuted", messages(matrix.unexecuted)},
                           {"unknown_senders", matrix.unknownSenders}},
                          "cells"};
    output.write(beginOf(frame));
    writeTable(output, OutputFormat::Json,
               table.only({"from", "to", "messages", "bytes", "deliveries", "delivered_bytes"}), cells, store);
    if (store.info().hasRanks() && matrix.hasCollective) {
        output.write(QByteArray(",\n  \"collective\": "));
        writeTable(output, OutputFormat::Json, table.only({"from", "to", "bytes"}), matrix.collective, store);
    }
    output.write(endOf(frame));
}

Table<CommCell> deliveryTable(const TraceStore& store, const CommMatrix& matrix)
{
    return commMatrixTable(store, matrix).only({"from", "to", "messages", "bytes", "deliveries", "delivered_bytes"});
}

void writeRows(Output& output, OutputFormat format, const TraceStore& store, const CommMatrix& matrix,
               const std::vector<CommCell>& cells)
{
    writeTable(output, format, deliveryTable(store, matrix), cells, store);
}

void writeText(Output& output, const TraceStore& store, const CommMatrix& matrix, const std::vector<CommCell>& cells)
{
    output.write(matrixSummary(store.info(), matrix) + QStringLiteral("\n\n"));
    writeRows(output, OutputFormat::Text, store, matrix, cells);
    if (const auto left = static_cast<std::int64_t>(matrix.cells.size() - cells.size()); left > 0)
        output.write(counted("%1 more pairs: --limit, --csv and --json list more",
                             "%1 more pair: --limit, --csv and --json list more", left)
                     + QLatin1Char('\n'));
    if (matrix.collective.empty()) return;
    output.write(QLatin1Char('\n') + tr("In collective calls, besides: %1").arg(formatBytes(collectiveBytes(matrix)))
                 + QStringLiteral("\n\n"));
    std::vector<CommCell> most = matrix.collective;
    std::stable_sort(most.begin(), most.end(), [](const CommCell& a, const CommCell& b) { return a.bytes > b.bytes; });
    if (most.size() > cells.size() && most.size() > std::size_t{rowsOfText}) most.resize(rowsOfText);
    writeTable(output, OutputFormat::Text, commMatrixTable(store, matrix).only({"from", "to", "bytes"}), most, store);
}

// What collective calls moved, most bytes first.
void writeCollective(Output& output, OutputFormat format, const TraceStore& store, const CommMatrix& matrix,
                     std::int64_t limit)
{
    std::vector<CommCell> cells = matrix.collective;
    std::stable_sort(cells.begin(), cells.end(),
                     [](const CommCell& a, const CommCell& b) { return a.bytes > b.bytes; });
    if (static_cast<std::int64_t>(cells.size()) > limit) cells.resize(static_cast<std::size_t>(limit));
    const auto table = commMatrixTable(store, matrix).only({"from", "to", "bytes"});
    if (format == OutputFormat::Text && cells.empty())
        output.write((matrix.hasCollective ? tr("No collective call moved anything.")
                                           : tr("Collective calls lead between too many pairs and are left out: ask "
                                                "by node, for fewer ranks or for a shorter range."))
                     + QLatin1Char('\n'));
    else writeTable(output, format, table, cells, store);
}

// The first `limit` cells by delivered bytes, then by deliveries.
std::vector<CommCell> mostFirst(std::vector<CommCell> cells, std::int64_t limit)
{
    std::stable_sort(cells.begin(), cells.end(), [](const CommCell& a, const CommCell& b) {
        return a.deliveredBytes != b.deliveredBytes ? a.deliveredBytes > b.deliveredBytes : a.deliveries > b.deliveries;
    });
    if (static_cast<std::int64_t>(cells.size()) > limit) cells.resize(static_cast<std::size_t>(limit));
    return cells;
}

ExitCode runCommMatrix(const CommandLine& line)
{
    const auto chart = chartOutput(line);
    if (!chart) return ExitCode::Usage;
    const bool isText = !chart->isPicture && chart->format == OutputFormat::Text;
    const auto limit = countOption(line, "limit", isText ? rowsOfText : allRows);
    if (!limit) return ExitCode::Usage;
    if (line.has("collective") && (chart->isPicture || chart->format == OutputFormat::Json))
        return usageError(line.command, tr("--collective is a table, as text or CSV; --json has it beside the rest"));
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const TraceStore& store = *trace->store;
    const auto range = chosenRange(line, store.info());
    const auto pes = chosenProcessors(line, store.info());
    if (!range || !pes) return ExitCode::Usage;
    const CommRequest request{.by = commBy(line), .range = *range, .pes = *pes};
    const auto found = withProgress(tr("Counting messages"), [&](const Progress& progress) {
        return trace->results->ask(CommMatrixQuestion{request}, progress);
    });
    if (!found) return fail(found.error());
    const CommMatrix& matrix = **found;
    if (chart->isPicture) {
        const QString wanted = line.value("measure");
        const bool isCount = wanted == QLatin1String("deliveries") || wanted == QLatin1String("messages");
        const CommMeasure measure = isCount ? CommMeasure::Deliveries : CommMeasure::Bytes;
        const CommMatrix drawn = withTraffic(matrix, trafficOf(wanted));
        const MatrixGrid grid = matrixGrid(store, drawn, measure, *pes);
        return deliverPicture(line, renderMatrix(store, drawn, grid, !line.has("linear"), chart->picture));
    }
    const std::vector<CommCell> cells = mostFirst(matrix.cells, *limit);
    return deliver(line, [&](Output& output) {
        if (line.has("collective")) writeCollective(output, chart->format, store, matrix, *limit);
        else if (chart->format == OutputFormat::Json) writeAsJson(output, store, matrix, cells);
        else if (chart->format == OutputFormat::Csv) writeRows(output, OutputFormat::Csv, store, matrix, cells);
        else writeText(output, store, matrix, cells);
    });
}

constexpr CommandOption commMatrixOptions[] = {
    {"collective", nullptr, "of MPI: what collective calls moved, instead of messages"},
    {"by", "KIND", "from PE to PE or rank to rank (default), node to node, or entry method to entry method",
     "pe node entry"},
    rangeOption,
    fromOption,
    untilOption,
    pesOption,
    {"limit", "N", "number of pairs, those with most bytes first (default: all; as text 50)"},
    {"measure", "WHAT",
     "of a picture: bytes (default), deliveries (also called messages); of MPI bytes in collective calls, or in both",
     "bytes deliveries messages collective both"},
    {"linear", nullptr, "a picture's colours on a linear scale instead of a logarithmic one"},
    themeOption,
    sizeOption,
    jsonOption,
    csvOption,
    chartFileOption,
    symbolsOption,
};

constexpr CommandExample commMatrixExamples[] = {
    {"longpole comm-matrix jacobi2d.sts --limit 10", "the ten pairs of PEs that exchanged most bytes"},
    {"longpole comm-matrix jacobi2d.sts --by entry", "which entry method called which, how often, with how much"},
};

}  // namespace

extern const Command commMatrixCommand;  // commands.cpp lists it
const Command commMatrixCommand{
    .name = "comm-matrix",
    .arguments = "TRACE",
    .summary = "messages and bytes from PE to PE or rank to rank, or between entry methods",
    .description =
        R"(Lists who sent how much to whom, most bytes first. A message is delivered where it is executed, of MPI runs where
it is received; a broadcast has a delivery for each task it starts. Messages are those that were delivered there and
nowhere else. With those that were delivered several times (unattributed) and those that nobody executed they are
all messages of the run. --by entry is the call table: from the entry method that created a message to the one
that executed it. With --range counts what is delivered in it; with --pes both ends are among these, and messages
to or from other PEs are said apart.

Of MPI runs, what collective calls moved stands apart (collective): bytes by what the calls mean, such as from the
root of a broadcast to each other rank, or from each rank of an all-reduce to every other one.)",
    .minArguments = 1,
    .maxArguments = 1,
    .drawsPictures = true,
    .options = commMatrixOptions,
    .examples = commMatrixExamples,
    .run = runCommMatrix,
};

}  // namespace longpole
