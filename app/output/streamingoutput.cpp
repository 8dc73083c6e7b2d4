// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output/streamingoutput.h"

#include "analysis/base/json.h"
#include "app/output/tableoutput.h"
#include "core/trace/format.h"

#include <algorithm>
#include <tuple>

namespace longpole {

namespace {

constexpr std::size_t samplesShown = 50;
constexpr double leastCovered = 0.5;  // section 2.2: with less, other procedures should be chosen

// A line of the profile; `procedure` is its place among the entries. The last line has what lies in none of them.
struct Line {
    std::size_t procedure = 0;
    EntryId entry = noEntry;
    TimeNs time = 0;
    double share = 0;
    double busyShare = 0;
};

double fraction(TimeNs part, TimeNs whole)
{
    return whole > 0 ? std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0) : 0.0;
}

// Most time first, then by entry id.
std::vector<Line> linesOf(const TraceStore& store, const StreamingAnswer& answer)
{
    std::vector<TimeNs> busy(answer.entries.size());
    TimeNs allBusy = 0, otherBusy = 0;
    for (const ProfileRow& row : store.profile()) {
        const auto found = std::find(answer.entries.begin(), answer.entries.end(), row.entry);
        TimeNs& sum = found == answer.entries.end() ? otherBusy
                                                    : busy[static_cast<std::size_t>(found - answer.entries.begin())];
        sum = saturatingAdd(sum, row.exclusive);
        allBusy = saturatingAdd(allBusy, row.exclusive);
    }
    const StreamingResult& result = answer.result;
    std::vector<Line> lines;
    for (std::size_t i = 0; i < answer.entries.size(); ++i)
        lines.push_back({i, answer.entries[i], result.shares[i], fraction(result.shares[i], result.length),
                         fraction(busy[i], allBusy)});
    std::sort(lines.begin(), lines.end(),
              [](const Line& a, const Line& b) { return std::tie(b.time, a.entry) < std::tie(a.time, b.entry); });
    lines.push_back({answer.entries.size(), noEntry, result.rest, fraction(result.rest, result.length),
                     fraction(otherBusy, allBusy)});
    return lines;
}

TimeNs timeIn(const StreamingSample& sample, const Line& line)
{
    return line.entry == noEntry ? sample.rest : sample.shares[line.procedure];
}

bool hasNets(const StreamingAnswer& answer) { return !answer.result.nets.empty(); }

// By the entry methods that were followed.
double covered(const StreamingResult& result)
{
    return result.length > 0 ? 1 - fraction(result.rest, result.length) : 1;
}

QString nameOf(const TraceStore& store, const Line& line)
{
    if (line.entry == noEntry) return tr("(none of these)");
    const Entry* entry = store.entry(line.entry);
    return entry != nullptr ? onOneLine(entryName(*entry)) : QString::number(index(line.entry));
}

TableData profileTable(const TraceStore& store, const StreamingAnswer& answer, OutputFormat format)
{
    const bool forPeople = format == OutputFormat::Text;
    TableData table{{},
                    {{QStringLiteral("entry"), store.words().say(tr("Entry method"), tr("Region")),
                      forPeople ? CellKind::Text : CellKind::Entry},
                     {QStringLiteral("time_ns"), tr("On path"), CellKind::Time},
                     {QStringLiteral("share"), tr("Of path"), CellKind::Share},
                     {QStringLiteral("busy_share"), tr("Of all busy"), CellKind::Share}},
                    {},
                    0};
    if (hasNets(answer)) {
        table.columns.push_back({QStringLiteral("net_ns"), tr("If it cost nothing"), CellKind::Time});
        table.columns.push_back({QStringLiteral("gain_ns"), tr("Gain"), CellKind::Time});
    }
    for (const Line& line : linesOf(store, answer)) {
        const bool isRest = line.entry == noEntry;
        const QVariant id = isRest ? QVariant() : QVariant(index(line.entry));
        table.rows.push_back({forPeople ? QVariant(nameOf(store, line)) : id, qlonglong(line.time), line.share,
                              line.busyShare});
        if (!hasNets(answer)) continue;
        const TimeNs net = isRest ? 0 : answer.result.nets[line.procedure];
        table.rows.back().push_back(isRest ? QVariant() : QVariant(qlonglong(net)));
        table.rows.back().push_back(isRest ? QVariant() : QVariant(qlonglong(answer.result.length - net)));
    }
    return table;
}

// A column per line of the profile.
void writeSamples(Output& output, OutputFormat format, const TraceStore& store, const StreamingAnswer& answer,
                  std::size_t most)
{
    const bool forPeople = format == OutputFormat::Text;
    const std::vector<Line> lines = linesOf(store, answer);
    std::vector<Column> columns{{QStringLiteral("time_ns"), tr("Until"), CellKind::Time},
                                {QStringLiteral("length_ns"), tr("Length"), CellKind::Time}};
    for (const Line& line : lines)
        columns.push_back({line.entry == noEntry ? QStringLiteral("share_of_others")
                                                 : QStringLiteral("share_of_") + QString::number(index(line.entry)),
                           nameOf(store, line), CellKind::Share});
    TableWriter table(output, format, columns, &store);
    const TimeNs zero = forPeople ? store.info().begin : 0;
    for (std::size_t i = 0; i < std::min(most, answer.result.samples.size()); ++i) {
        const StreamingSample& sample = answer.result.samples[i];
        std::vector<QVariant> cells{qlonglong(sample.time - zero), qlonglong(sample.length)};
        for (const Line& line : lines) cells.push_back(fraction(timeIn(sample, line), sample.length));
        if (!table.row(cells)) return;
    }
    table.finish();
}

void writeText(Output& output, const TraceStore& store, const StreamingAnswer& answer)
{
    const StreamingResult& result = answer.result;
    const auto say = [&output](const QString& text) { output.write(QString(text + QLatin1Char('\n'))); };
    const bool isInclusive = answer.request.shares == ShareKind::Inclusive;
    say(tr("Critical path: work, edges order, computed as a stream"));
    say(result.duration > 0 ? tr("Length %1, %2 of the duration %3")
                                  .arg(formatTime(result.length), formatShare(fraction(result.length, result.duration)),
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
        say(tr("%1 messages could not be followed: the path may be longer").arg(formatCount(result.lost)));
    say(QString());
    writeTable(output, OutputFormat::Text, profileTable(store, answer, OutputFormat::Text), &store);
    if (result.samples.empty()) return;
    say(QString());
    writeSamples(output, OutputFormat::Text, store, answer, samplesShown);
    if (result.samples.size() > samplesShown)
        say(tr("%1 more samples: --csv and --json list all")
                .arg(formatCount(static_cast<std::int64_t>(result.samples.size() - samplesShown))));
}

JsonValue profileJson(const TraceStore& store, const std::vector<Line>& lines)
{
    JsonValue list = JsonValue::array();
    for (const Line& line : lines)
        list.push_back({{"entry", entryJson(store, line.entry)},
                        {"count", nullptr},
                        {"time_ns", line.time},
                        {"share", line.share},
                        {"busy_share", line.busyShare}});
    return list;
}

// Largest gain first, then share, then id.
JsonValue zeroingJson(const TraceStore& store, const StreamingAnswer& answer, std::vector<Line> lines)
{
    lines.pop_back();
    const std::vector<TimeNs>& nets = answer.result.nets;
    std::stable_sort(lines.begin(), lines.end(),
                     [&nets](const Line& a, const Line& b) { return nets[a.procedure] < nets[b.procedure]; });
    JsonValue list = JsonValue::array();
    for (const Line& line : lines)
        list.push_back({{"entry", entryJson(store, line.entry)},
                        {"share_ns", line.time},
                        {"net_ns", nets[line.procedure]},
                        {"gain_ns", answer.result.length - nets[line.procedure]}});
    return list;
}

JsonValue sampleJson(const StreamingSample& sample, const std::vector<Line>& lines)
{
    JsonValue shares = JsonValue::array();
    for (const Line& line : lines) shares.push_back(fraction(timeIn(sample, line), sample.length));
    return {{"time_ns", sample.time}, {"length_ns", sample.length}, {"shares", shares}};
}

// Samples are written one by one: there may be many.
void writeJson(Output& output, const TraceStore& store, const StreamingAnswer& answer)
{
    const StreamingResult& result = answer.result;
    const std::vector<Line> lines = linesOf(store, answer);
    const bool isInclusive = answer.request.shares == ShareKind::Inclusive;
    JsonValue json{{"mode", "work"},
                   {"edges", "order"},
                   {"length_ns", result.length},
                   {"duration_ns", result.duration},
                   {"steps", JsonValue::array()},
                   {"profile", profileJson(store, lines)},
                   {"parts",
                    {{"compute", result.length}, {"network", 0}, {"queue", 0}, {"overhead", 0}, {"unexplained", 0}}},
                   {"streaming",
                    {{"shares", isInclusive ? "inclusive" : "exclusive"},
                     {"covered", covered(result)},
                     {"most_in_flight", result.mostInFlight},
                     {"messages_lost", result.lost},
                     {"search_rounds", nullptr}}}};
    if (answer.searchRounds) json["streaming"]["search_rounds"] = *answer.searchRounds;
    if (hasNets(answer)) json["zeroing"] = zeroingJson(store, answer, lines);
    QByteArray text = dump(json).trimmed();
    text.chop(2);  // the closing brace and its line
    output.write(text + ",\n  \"samples\": [");
    for (std::size_t i = 0; i < result.samples.size(); ++i)
        if (!output.write((i == 0 ? "\n    " : ",\n    ") + dump(sampleJson(result.samples[i], lines), -1).trimmed()))
            return;
    output.write(QByteArray(result.samples.empty() ? "]\n}\n" : "\n  ]\n}\n"));
}

}  // namespace

void writeStreaming(Output& output, OutputFormat format, const TraceStore& store, const StreamingAnswer& answer)
{
    switch (format) {
    case OutputFormat::Text: return writeText(output, store, answer);
    case OutputFormat::Json: return writeJson(output, store, answer);
    case OutputFormat::Csv: break;
    }
    if (answer.result.samples.empty())
        writeTable(output, OutputFormat::Csv, profileTable(store, answer, OutputFormat::Csv), &store);
    else writeSamples(output, OutputFormat::Csv, store, answer, answer.result.samples.size());
}

}  // namespace longpole
