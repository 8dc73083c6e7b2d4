// SPDX-License-Identifier: GPL-3.0-or-later
// longpole histogram: how durations, sizes and waiting times are distributed.
#include "analysis/base/entrychoice.h"
#include "analysis/report/sumtables.h"
#include "analysis/statistics/sumquestions.h"
#include "app/commandline/chartoptions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/sharedoptions.h"
#include "app/common/shellword.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace longpole {

namespace {

struct HistogramCall {
    DistributionRequest values;
    BinRequest bins;
    HistogramLook look;
    bool byEntry = false;
};

// The width of a bin, which is given in bytes or as a time; 0 if it is not given. Empty after a usage error, which was
// printed.
std::optional<std::int64_t> binWidth(const CommandLine& line, DistributedQuantity of)
{
    if (!line.has("width")) return 0;
    if (!isTime(of)) return countOption(line, "width", 0);
    const auto width = parseTime(line.value("width"));
    if (width && *width > 0) return *width;
    if (width) usageError(line.command, tr("--width takes a time above zero"));
    else valueError(line, "width", width.error());
    return {};
}

// Reads the options that need no trace. Empty after a usage error, which was printed.
std::optional<HistogramCall> histogramCall(const CommandLine& line)
{
    HistogramCall call;
    call.values.of = quantityOf(line.value("of")).value_or(DistributedQuantity::TaskDuration);
    call.byEntry = line.value("by") == QLatin1String("entry");
    const bool isCut = line.has("bins") || line.has("width");
    if (line.has("log") && (line.has("linear") || isCut)) {
        usageError(line.command, tr("--log excludes --linear, --bins and --width"));
        return {};
    }
    if (line.has("per-decade") && (line.has("linear") || isCut)) {
        usageError(line.command, tr("--per-decade is of logarithmic bins: it excludes --linear, --bins and --width"));
        return {};
    }
    if (line.has("linear") || isCut) call.bins.binning = Binning::Linear;
    const auto bins = countOption(line, "bins", 0);
    const auto perDecade = bins ? countOption(line, "per-decade", 0) : bins;
    const auto width = perDecade ? binWidth(line, call.values.of) : perDecade;
    if (!width) return {};
    if (*perDecade > 100 || *bins > mostBins) {
        usageError(line.command, *bins > mostBins ? tr("--bins takes at most %1").arg(mostBins)
                                                  : tr("--per-decade takes at most 100"));
        return {};
    }
    call.bins.bins = *bins;
    call.bins.perDecade = static_cast<int>(*perDecade);
    call.bins.width = *width;
    if (call.byEntry) call.bins.series = 1'000'000;
    if (line.value("height") == QLatin1String("sum")) call.look.height = BarHeight::Sum;
    call.look.isLogHeight = line.has("log-height");
    return call;
}

// Reads the options that need the trace. Returns the exit code after an error, which was printed, else nothing.
std::optional<ExitCode> completeCall(const CommandLine& line, const TraceStore& store, HistogramCall& call)
{
    const auto range = chosenRange(line, store.info());
    const auto pes = chosenProcessors(line, store.info());
    if (!range || !pes) return ExitCode::Usage;
    call.values.range = *range;
    call.values.pes = *pes;
    for (const QString& text : line.values("entry")) {
        const auto entry = parseEntry(store, text);
        if (!entry) return valueError(line, "entry", entry.error());
        call.values.entries.push_back(*entry);
    }
    return {};
}

JsonValue histogramJson(const TraceStore& store, const Histogram& histogram)
{
    JsonValue percentiles = JsonValue::object();
    for (const auto& [share, value] : histogram.quantiles)
        percentiles[std::to_string(std::lround(share * 100))] = value;
    const ValueSummary& all = histogram.summary;
    const bool isLinear = histogram.binning == Binning::Linear;
    const auto bins = histogramTable(store, histogram.of).only({"from", "to", "count", "sum"});
    return {{"of", name(histogram.of)},
            {"unit", isTime(histogram.of) ? "ns" : "bytes"},
            {"binning", isLinear ? "linear" : "log"},
            {"width", isLinear ? JsonValue(histogram.width) : JsonValue(nullptr)},
            {"per_decade", isLinear ? JsonValue(nullptr) : JsonValue(histogram.perDecade)},
            {"count", all.count},
            {"sum", all.sum},
            {"min", all.least},
            {"max", all.most},
            {"mean", all.mean},
            {"percentiles", percentiles},
            {"estimated", histogram.estimated},
            {"rounded", histogram.isRounded},
            {"bins", rowsJson(bins, histogramRows(histogram, false), &store)},
            {"series", rowsJson(histogramSeriesTable(store, histogram.of), histogram.series, &store)}};
}

void writeCsv(Output& output, const TraceStore& store, const Histogram& histogram, bool byEntry)
{
    const bool time = isTime(histogram.of);
    const auto table = histogramTable(store, histogram.of);
    writeTable(output, OutputFormat::Csv,
               (byEntry ? table.only({"entry", "from", "to", "count", "sum"})
                        : table.only({"from", "to", "count", "sum"}))
                   .renamed("from", time ? "from_ns" : "from_bytes")
                   .renamed("to", time ? "to_ns" : "to_bytes")
                   .renamed("sum", time ? "time_ns" : "bytes"),
               histogramRows(histogram, byEntry), store);
}

QString bar(std::int64_t part, std::int64_t most)
{
    constexpr double width = 40;
    const double eighths = most > 0 ? 8 * width * static_cast<double>(part) / static_cast<double>(most) : 0;
    const int whole = part > 0 ? std::max(1, static_cast<int>(std::lround(eighths))) : 0;
    QString text(whole / 8, QChar(0x2588));
    if (whole % 8 != 0) text += QChar(0x2590 - whole % 8);
    return text;
}

void writeText(Output& output, const TraceStore& store, const Histogram& histogram, bool byEntry)
{
    output.write(QStringLiteral("%1: %2\n\n").arg(quantityTitle(histogram.of), histogramSummary(histogram)));
    std::int64_t most = 0;
    for (const std::int64_t count : histogram.counts) most = std::max(most, count);
    std::vector<HistogramRow> rows = histogramRows(histogram, byEntry);
    for (HistogramRow& row : rows) {
        const auto bin = std::upper_bound(histogram.edges.begin(), histogram.edges.end(), row.from) - 1;
        row.bin = binText(histogram, static_cast<std::size_t>(bin - histogram.edges.begin()));
        row.bar = bar(row.count, most);
    }
    const auto table = histogramTable(store, histogram.of, histogram.summary.count);
    writeTable(output, OutputFormat::Text,
               byEntry ? table.only({"bin", "entry", "count", "share", "sum", "bar"})
                       : table.only({"bin", "count", "share", "sum", "bar"}),
               rows, store);
}

ExitCode runHistogram(const CommandLine& line)
{
    auto chart = chartOutput(line);
    if (!chart) return ExitCode::Usage;
    auto call = histogramCall(line);
    if (!call) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    const TraceStore& store = *trace->store;
    if (const auto failed = completeCall(line, store, *call)) return *failed;
    const auto known = quantitiesOf(store.info());
    if (std::find(known.begin(), known.end(), call->values.of) == known.end())
        return fail(
            Error{.what = call->values.of == DistributedQuantity::MessageSize
                              ? tr("--of message-size needs bytes; a table of calls does not say how much "
                                   "they move.")
                              : tr("--of queue-wait needs a Charm++ trace; this one is MPI, whose ranks have "
                                   "no queues."),
                  .where = line.arguments.front(),
                  .hint = tr("Try: longpole histogram %1 --of latency").arg(quotedForShell(line.arguments.front()))});
    constexpr int finePerDecade = 10;  // a picture has room for finer bins
    if (chart->isPicture && call->bins.perDecade == 0) call->bins.perDecade = finePerDecade;
    const auto found = withProgress(tr("Counting"), [&](const Progress& progress) {
        return trace->results->ask(HistogramQuestion{call->values, call->bins}, progress);
    });
    if (!found) return fail(found.error());
    const Histogram& bins = **found;
    if (chart->isPicture) {
        chart->picture.size = completed(chart->picture.size, ChartPicture{}.size);
        return deliverPicture(line, renderHistogram(store, bins, call->look, chart->picture));
    }
    return deliver(line, [&](Output& output) {
        if (chart->format == OutputFormat::Json) output.write(dump(histogramJson(store, bins)));
        else if (chart->format == OutputFormat::Csv) writeCsv(output, store, bins, call->byEntry);
        else writeText(output, store, bins, call->byEntry);
    });
}

constexpr CommandOption histogramOptions[] = {
    {"of", "WHAT", "what is counted (default: task-duration)",
     "task-duration message-size idle-length latency queue-wait"},
    rangeOption,
    fromOption,
    untilOption,
    pesOption,
    {"entry", "E", "only this entry method (id or name); repeated: these"},
    {"by", "KIND", "a row per bin (default), or per bin and entry method", "bin entry"},
    {"log", nullptr, "bins that begin at 1, 2 and 5 times powers of ten (default)"},
    {"per-decade", "K", "number of logarithmic bins per power of ten (default: 3, or 10 where all lies within two)"},
    {"linear", nullptr, "bins of equal width"},
    {"bins", "N", "number of linear bins, about (default: 60)"},
    {"width", "W", "width of linear bins: a time or bytes, e.g. 50us (default: by --bins)"},
    {"height", "WHAT", "of a picture's bars: count (default) or sum", "count sum"},
    {"log-height", nullptr, "heights of a picture's bars on a logarithmic scale"},
    themeOption,
    sizeOption,
    jsonOption,
    csvOption,
    chartFileOption,
    symbolsOption,
};

constexpr CommandExample histogramExamples[] = {
    {"longpole histogram jacobi2d.sts", "how long tasks ran, and which lengths cost most in sum"},
    {"longpole histogram jacobi2d.sts --of message-size --by entry", "which entry methods send small messages"},
};

}  // namespace

extern const Command histogramCommand;  // commands.cpp lists it
const Command histogramCommand{
    .name = "histogram",
    .arguments = "TRACE",
    .summary = "how task durations, message sizes, idle times and waiting times are distributed",
    .description =
        R"(Counts exact values in bins, with their sums, and by entry method in JSON and pictures: the time that tasks ran
themselves (task-duration), the bytes of each creation (message-size), each time a PE idled (idle-length),
the time from a message's sending to the start of its task (latency), or, on PEs, from its arrival to that start
(queue-wait). Arrivals that the log does not have are estimated from the fastest message between the two PEs, and it
says how many. With --range counts what begins in it; a message counts where it is sent, or, for latency and
queue-wait, where it is executed. Percentiles are values of nearest rank.)",
    .minArguments = 1,
    .maxArguments = 1,
    .drawsPictures = true,
    .options = histogramOptions,
    .examples = histogramExamples,
    .run = runHistogram,
};

}  // namespace longpole
