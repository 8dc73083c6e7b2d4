// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the borders of the parts, cuts each process' intervals at them, sends the pieces and merges what comes.
#include "distributed/algorithms/shuffle.h"

#include "core/base/translate.h"
#include "distributed/algorithms/passes.h"
#include "distributed/transport/records.h"

#include <algorithm>
#include <utility>

namespace longpole {

namespace {

constexpr std::size_t samplesPerProcess = 64;

// A begin, and how many intervals it stands for (in 1/64).
struct Sample {
    TimeNs begin;
    std::uint64_t weight;
};

// The first begins of parts 1 .. processes - 1.
std::vector<TimeNs> bordersByTime(Transport& transport, const std::vector<CodeInterval>& intervals)
{
    TimeRange times{maxTime, minTime};
    for (const CodeInterval& one : intervals)
        times = {std::min(times.begin, one.begin), std::max(times.end, one.end())};
    times = reduceOne(transport, times, [](TimeRange& one, const TimeRange& other) {
        one = {std::min(one.begin, other.begin), std::max(one.end, other.end)};
    });
    std::vector<TimeNs> borders;
    if (times.begin > times.end) return std::vector<TimeNs>(static_cast<std::size_t>(transport.processes() - 1), 0);
    for (int i = 1; i < transport.processes(); ++i)
        borders.push_back(times.begin + times.length() / transport.processes() * i);
    return borders;
}

std::vector<TimeNs> bordersByCount(Transport& transport, const std::vector<CodeInterval>& intervals)
{
    std::vector<Sample> own;
    const std::size_t count = std::min(samplesPerProcess, intervals.size());
    for (std::size_t i = 0; i < count; ++i)
        own.push_back({intervals[i * intervals.size() / count].begin, intervals.size() * samplesPerProcess / count});
    std::vector<Sample> all;
    for (const Payload& bytes : transport.gather(toBytes(own)))
        for (const Sample& sample : recordsOf<Sample>(transport, bytes)) all.push_back(sample);
    std::sort(all.begin(), all.end(), [](const Sample& a, const Sample& b) { return a.begin < b.begin; });
    std::uint64_t weight = 0;
    for (const Sample& sample : all) weight += sample.weight;
    const auto processes = static_cast<std::uint64_t>(transport.processes());
    std::vector<TimeNs> borders;
    std::uint64_t before = 0;
    for (const Sample& sample : all) {
        while (borders.size() + 1 < processes && before * processes >= weight * (borders.size() + 1))
            borders.push_back(sample.begin);
        before += sample.weight;
    }
    borders.resize(processes - 1, all.empty() ? 0 : maxTime);
    return recordsOf<TimeNs>(transport, transport.broadcast(toBytes(borders)));
}

}  // namespace

std::vector<CodeInterval> shuffleIntervals(Transport& transport, const LossGraph& graph, const ShuffleOptions& options,
                                           ShuffleCounts& counts)
{
    const std::vector<CodeInterval> own = intervalsOf(graph, options.threshold);
    const auto begin = std::chrono::steady_clock::now();
    const Traffic before = transport.traffic();
    const std::vector<TimeNs> borders = options.borders == Borders::Time ? bordersByTime(transport, own)
                                                                         : bordersByCount(transport, own);
    if (transport.failed()) return {};
    const int processes = transport.processes();
    for (int i = 0; i < processes; ++i) {
        const int to = options.order == SendingOrder::Same ? i : (transport.process() + 1 + i) % processes;
        const auto at = [&](TimeNs border) {
            return std::lower_bound(own.begin(), own.end(), border,
                                    [](const CodeInterval& one, TimeNs time) { return one.begin < time; });
        };
        const auto first = to == 0 ? own.begin() : at(borders[static_cast<std::size_t>(to) - 1]);
        const auto last = to == processes - 1 ? own.end() : at(borders[static_cast<std::size_t>(to)]);
        if (first < last)
            transport.send(to, pass::intervals, encodeIntervals(std::vector(first, last), options.compression));
        else if (options.sendsEmpty) transport.send(to, pass::intervals, {});
    }
    std::vector<std::vector<CodeInterval>> lists;
    transport.quiet(pass::intervals, [&](int from, const Payload& bytes) {
        if (bytes.empty()) return;
        std::optional<std::vector<CodeInterval>> list = decodeIntervals(bytes, options.compression);
        if (list) lists.push_back(std::move(*list));
        else
            transport.fail({.what = tr("The intervals of process %1 are damaged.").arg(from), .where = {}, .hint = {}});
    });
    const Traffic& after = transport.traffic();
    counts.bytes = after.bytes - before.bytes;
    counts.messages = after.messages - before.messages;
    counts.time = std::chrono::steady_clock::now() - begin;
    return mergeIntervals(lists);
}

}  // namespace longpole
