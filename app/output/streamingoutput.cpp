// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/streamingoutput.h"

#include "analysis/base/naming.h"
#include "analysis/report/pathtables.h"
#include "analysis/report/whatiftables.h"
#include "app/output/pathoutput.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>
#include <span>

namespace longpole {

namespace {

constexpr std::size_t samplesShown = 50;
constexpr double leastCovered = 0.5;  // Hollingsworth, section 2.2: with less, other procedures should be chosen

bool hasNets(const StreamingAnswer& answer) { return !answer.result.nets.empty(); }

// The share of the path, 0..1, that the followed entry methods have.
double covered(const StreamingResult& result)
{
    return result.length > 0 ? std::clamp(1 - ratio(double(result.rest), double(result.length)), 0.0, 1.0) : 1;
}

// The columns of the profile; with --zeroing also what each entry method would gain.
Table<StreamedShare> profileTable(const TraceStore& store, const StreamingAnswer& answer)
{
    const auto table = streamedShareTable(store);
    return hasNets(answer) ? table.only({"entry", "time_ns", "share", "busy_share", "net_ns", "gain_ns"})
                           : table.only({"entry", "time_ns", "share", "busy_share"});
}

// A row per sample, with a column for each row of the profile.
void writeSamples(Output& output, OutputFormat format, const TraceStore& store,
                  const std::vector<StreamedShare>& shares, std::span<const StreamingSample> samples)
{
    auto table = streamingSampleTable(store, shares);
    std::erase_if(table.columns, [](const Column& column) { return column.kind == CellKind::Rows; });
    writeTable(output, format, table, samples, store);
}

void writeText(Output& output, const TraceStore& store, const StreamingAnswer& answer)
{
    const StreamingResult& result = answer.result;
    const auto say = [&output](const QString& text) { output.write(QString(text + QLatin1Char('\n'))); };
    const bool isInclusive = answer.request.shares == ShareKind::Inclusive;
    say(tr("Critical path: work, edges order, computed as a stream"));
    say(result.duration > 0
            ? tr("Length %1, %2 of the duration %3")
                  .arg(formatTime(result.length), formatShare(ratio(double(result.length), double(result.duration))),
                       formatTime(result.duration))
            : tr("Length %1").arg(formatTime(result.length)));
    say(isInclusive ? store.words().say(
            tr("Inclusive shares: with all that the entry methods ran nested, so that they may overlap"),
            tr("Inclusive shares: with all that the regions ran nested, so that they may overlap"))
                    : store.words().say(tr("Exclusive shares: without what the entry methods ran nested"),
                                        tr("Exclusive shares: without what the regions ran nested")));
    say(tr("Messages in flight with a path, at most: %1").arg(formatCount(result.mostInFlight)));
    if (answer.searchRounds)
        say(store.words()
                .say(tr("Entry methods with more than the asked part of the path: %1 (rounds of the search: %2)"),
                     tr("Regions with more than the asked part of the path: %1 (rounds of the search: %2)"))
                .arg(answer.entries.size())
                .arg(*answer.searchRounds));
    else if (covered(result) < leastCovered)
        say(store.words()
                .say(
                    tr("Together these entry methods hold only %1 of the path: choose others with --procedures, or let "
                       "--top-share find them"),
                    tr("Together these regions hold only %1 of the path: choose others with --procedures, or let "
                       "--top-share find them"))
                .arg(formatShare(covered(result))));
    if (result.lost > 0)
        say(counted("%1 messages could not be followed: the path may be longer",
                    "%1 message could not be followed: the path may be longer", result.lost));
    say(QString());
    const std::vector<StreamedShare> shares = streamedShares(store, answer.request, result);
    TableData profile = profileTable(store, answer).data(shares);
    profile.columns.front().kind = CellKind::Text;  // the last row is the rest, which is no entry method but has a name
    for (std::size_t i = 0; i < shares.size(); ++i) profile.rows[i].front() = shares[i].name;
    writeTable(output, OutputFormat::Text, profile, &store);
    if (result.samples.empty()) return;
    say(QString());
    const std::span<const StreamingSample> samples(result.samples);
    writeSamples(output, OutputFormat::Text, store, shares, samples.first(std::min(samplesShown, samples.size())));
    if (result.samples.size() > samplesShown)
        say(tr("%1 more samples: --csv and --json list all")
                .arg(formatCount(static_cast<std::int64_t>(result.samples.size() - samplesShown))));
}

// What each entry method would gain, largest gain first; without the rest, which comes last.
JsonValue zeroingJson(const TraceStore& store, std::vector<StreamedShare> shares)
{
    shares.pop_back();
    std::stable_sort(shares.begin(), shares.end(),
                     [](const StreamedShare& a, const StreamedShare& b) { return a.net < b.net; });
    return rowsJson(streamedShareTable(store).only({"entry", "share_ns", "net_ns", "gain_ns"}), shares, &store);
}

void writeAsJson(Output& output, const TraceStore& store, const StreamingAnswer& answer)
{
    const StreamingResult& result = answer.result;
    const std::vector<StreamedShare> shares = streamedShares(store, answer.request, result);
    const auto profile = streamedShareTable(store).only({"entry", "count", "time_ns", "share", "busy_share"});
    const bool isInclusive = answer.request.shares == ShareKind::Inclusive;
    JsonValue json{{"mode", name(PathMode::Work)},
                   {"edges", name(store.info().hasRanks() ? EdgeLevel::Data : EdgeLevel::Order)},
                   {"length_ns", result.length},
                   {"duration_ns", result.duration},
                   {"steps", JsonValue::array()},
                   {"profile", rowsJson(profile, shares, &store)},
                   {"parts", partsJson({.compute = result.length})},
                   {"streaming",
                    {{"shares", isInclusive ? "inclusive" : "exclusive"},
                     {"covered", covered(result)},
                     {"most_in_flight", result.mostInFlight},
                     {"messages_lost", result.lost},
                     {"search_rounds", answer.searchRounds}}}};
    if (hasNets(answer)) json["zeroing"] = zeroingJson(store, shares);
    writeJson(output, {json, "samples"}, streamingSampleTable(store, shares).only({"time_ns", "length_ns", "shares"}),
              result.samples, store);
}

}  // namespace

void writeStreaming(Output& output, OutputFormat format, const TraceStore& store, const StreamingAnswer& answer)
{
    switch (format) {
    case OutputFormat::Text: return writeText(output, store, answer);
    case OutputFormat::Json: return writeAsJson(output, store, answer);
    case OutputFormat::Csv: break;
    }
    const std::vector<StreamedShare> shares = streamedShares(store, answer.request, answer.result);
    if (answer.result.samples.empty()) writeTable(output, format, profileTable(store, answer), shares, store);
    else writeSamples(output, format, store, shares, answer.result.samples);
}

}  // namespace longpole
