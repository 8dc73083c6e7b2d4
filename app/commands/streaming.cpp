// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/streaming.h"

#include "analysis/base/entrychoice.h"
#include "analysis/streaming/streamingquestions.h"
#include "app/commandline/commandtrace.h"
#include "app/commandline/pathrequest.h"
#include "app/output/streamingoutput.h"
#include "core/trace/format.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace longpole {

namespace {

constexpr std::size_t proceduresByDefault = 8;
constexpr std::int64_t mostSamples = 100'000;
constexpr int mostParts = 1000;
constexpr const char* onlyStreaming[] = {"procedures", "sample", "inclusive", "exclusive", "zeroing", "top-share"};
constexpr const char* neverStreaming[] = {"mode", "to", "without"};

// The options that can be read before there is a trace.
struct StreamingOptions {
    PathRequest part{};  // --from, --until
    ShareKind shares = ShareKind::Exclusive;
    TimeNs sampleEvery = 0;
    std::uint32_t topShare = 0;  // 0: not asked for
};

std::optional<StreamingOptions> refused(const CommandLine& line, const QString& why)
{
    usageError(line.command, why);
    return {};
}

// Empty after a usage error, which was printed.
std::optional<StreamingOptions> streamingOptions(const CommandLine& line)
{
    const auto part = pathRequest(line);
    if (!part) return {};
    StreamingOptions options{.part = *part};
    if (line.has("inclusive") && line.has("exclusive"))
        return refused(line, tr("--inclusive and --exclusive exclude each other"));
    if (line.has("inclusive")) options.shares = ShareKind::Inclusive;
    if (line.has("sample")) {
        const auto every = parseTime(line.value("sample"));
        if (!every) {
            valueError(line, "sample", every.error());
            return {};
        }
        if (*every <= 0) return refused(line, tr("--sample takes a time above zero"));
        options.sampleEvery = *every;
    }
    if (line.has("procedures") && line.value("procedures").trimmed().isEmpty())
        return refused(line, tr("--procedures names no entry method"));
    if (!line.has("top-share")) return options;
    bool isNumber = false;
    const int parts = line.value("top-share").toInt(&isNumber);
    if (!isNumber || parts < 1 || parts > mostParts)
        return refused(line, tr("--top-share takes a whole number M from 1 to %1: entry methods with more than 1/M of "
                                "the path")
                                 .arg(mostParts));
    if (line.has("procedures")) return refused(line, tr("--top-share and --procedures exclude each other"));
    if (line.has("inclusive"))
        return refused(line, tr("--top-share goes with exclusive shares only: inclusive ones overlap"));
    options.topShare = static_cast<std::uint32_t>(parts);
    return options;
}

// Sets the entry methods to follow: those of --procedures, those that --top-share finds, or those with most time.
Result<> chooseEntries(const CommandLine& line, Results& results, const StreamingOptions& options,
                       const Progress& progress, StreamingAnswer& answer)
{
    const TraceStore& store = results.store();
    if (line.has("procedures")) {
        Result<std::vector<EntryId>> entries = parseEntries(store, line.value("procedures"));
        if (!entries) return entries.error();
        answer.entries = std::move(*entries);
    } else if (options.topShare > 0) {
        const auto top = results.ask(TopSharesQuestion{options.topShare, answer.request.range}, progress);
        if (!top) return top.error();
        answer.entries = (*top)->entries;
        answer.searchRounds = (*top)->rounds;
    } else {
        answer.entries = busiestEntries(store, proceduresByDefault);
    }
    answer.request.procedures = oneByOne(answer.entries);
    return Unit{};
}

Result<StreamingAnswer> findAnswer(const CommandLine& line, Results& results, const StreamingOptions& options,
                                   TimeRange range, const Progress& progress)
{
    StreamingAnswer answer{.request = {.shares = options.shares,
                                       .zeroing = line.has("zeroing"),
                                       .sampleEvery = options.sampleEvery,
                                       .range = range}};
    if (Result<> there = requireEvents(results.store()); !there) return there.error();
    if (Result<> chosen = chooseEntries(line, results, options, progress, answer); !chosen) return chosen.error();
    const auto result = results.ask(StreamingQuestion{answer.request}, progress);
    if (!result) return result.error();
    answer.result = **result;
    return answer;
}

}  // namespace

bool refusesStreamingOptions(const CommandLine& line)
{
    if (!line.has("streaming")) {
        const auto* const given = std::find_if(std::begin(onlyStreaming), std::end(onlyStreaming),
                                               [&line](const char* option) { return line.has(option); });
        if (given == std::end(onlyStreaming)) return false;
        usageError(line.command, tr("--%1 goes with --streaming only").arg(QLatin1String(*given)));
        return true;
    }
    for (const char* option : neverStreaming)
        if (line.has(option)) {
            usageError(line.command, tr("--%1 does not go with --streaming").arg(QLatin1String(option)));
            return true;
        }
    if (!line.has("edges") || keepsOrder(edgesOf(line))) return false;
    usageError(line.command, tr("--streaming implies --edges order, of an MPI run --edges data"));
    return true;
}

ExitCode runStreamingPath(const CommandLine& line)
{
    const auto format = outputFormat(line);
    if (!format) return ExitCode::Usage;
    const auto options = streamingOptions(line);
    if (!options) return ExitCode::Usage;
    const auto trace = openTrace(line);
    if (!trace) return fail(trace.error());
    if (trace->store->info().hasRanks() && line.has("edges") && edgesOf(line) != EdgeLevel::Data)
        return usageError(line.command, tr("Of an MPI run, --streaming implies --edges data"));
    if (line.has("procedures"))
        if (const auto named = parseEntries(*trace->store, line.value("procedures")); !named)
            return valueError(line, "procedures", named.error());
    const auto range = rangeOf(line, options->part, trace->store->info().range());
    if (!range) return ExitCode::Usage;
    if (options->sampleEvery > 0 && range->length() / options->sampleEvery >= mostSamples)
        return usageError(line.command,
                          tr("--sample %1 would give more than %2 samples; the time to sample is %3 long")
                              .arg(line.value("sample"), formatCount(mostSamples), formatTime(range->length())));
    const auto answer = withProgress(tr("Following the path"), [&](const Progress& progress) {
        return findAnswer(line, *trace->results, *options, *range, progress);
    });
    if (!answer) return fail(answer.error());
    return deliver(line, [&](Output& output) { writeStreaming(output, *format, *trace->store, *answer); });
}

}  // namespace longpole
