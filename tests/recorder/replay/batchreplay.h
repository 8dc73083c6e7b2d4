// SPDX-License-Identifier: GPL-3.0-or-later
// Logs of ranks replayed together, as a batch between two meetings: what one rank has for another comes in any order.
#pragma once

#include "recorder/replay/pathlog.h"
#include "recorder/replay/pathreplay.h"
#include "recorder/replay/pathvalue.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace longpole::pathreplay {

using Value = std::vector<std::int64_t>;
using Random = std::mt19937_64;
using Replays = std::vector<lp_replay*>;

constexpr std::uint32_t procedureCount = 5;  // the first one is followed by no lane

inline lp_lane_set laneOf(lp_lanes lanes, std::uint32_t procedure)
{
    return procedure > 0 && procedure <= lanes.count ? lp_set_of_lane(procedure) : 0;
}

// What all batches found.
struct Found {
    Value total;
    std::vector<std::int64_t> profile, parts, ofRank;
    std::vector<std::int64_t> values;  // of all ranks at the end of each segment
    std::uint64_t ambiguous = 0, ahead = 0;
    bool isConsistent = true;
    friend bool operator==(const Found&, const Found&) = default;
};

// Buffers of one rank for another come in their order, those of several in any.
inline void carry(const Replays& replays, Random& random)
{
    struct Buffer {
        std::size_t from, to;
        std::vector<std::int64_t> words;
    };
    std::vector<Buffer> underWay;
    const auto collect = [&](std::size_t at) {
        int to = 0;
        const void* bytes = nullptr;
        std::size_t size = 0;
        while (lp_replay_output(replays[at], &to, &bytes, &size)) {
            const auto* words = static_cast<const std::int64_t*>(bytes);
            underWay.push_back({at, std::size_t(to), {words, words + size / sizeof *words}});
        }
    };
    const auto goOn = [&] {
        for (std::size_t at = 0; at < replays.size(); ++at) {
            lp_replay_run(replays[at]);
            collect(at);
        }
        return !underWay.empty();
    };
    while (goOn())
        while (!underWay.empty()) {
            const Buffer& chosen = underWay[random() % underWay.size()];
            const auto first = std::find_if(underWay.begin(), underWay.end(), [&](const Buffer& one) {
                return one.from == chosen.from && one.to == chosen.to;
            });
            const Buffer buffer = std::move(*first);
            underWay.erase(first);
            lp_replay_input(replays[buffer.to], int(buffer.from), buffer.words.data(), buffer.words.size() * 8);
            if (random() % 4 == 0) continue;  // more before it goes on
            lp_replay_run(replays[buffer.to]);
            collect(buffer.to);
        }
}

// The same where so many processes replay them, each several ranks that follow each other: what one rank has for
// another of its process is there at once, all else when no process can go on.
inline void carryBetween(const Replays& replays, std::size_t processes)
{
    struct Buffer {
        std::size_t from, to;
        std::vector<std::int64_t> words;
    };
    const auto processOf = [&](std::size_t rank) { return rank * processes / replays.size(); };
    for (std::vector<Buffer> underWay; true;) {
        for (bool goesOn = true; goesOn;) {
            goesOn = false;
            for (std::size_t at = 0; at < replays.size(); ++at) {
                lp_replay_run(replays[at]);
                int to = 0;
                const void* bytes = nullptr;
                std::size_t size = 0;
                while (lp_replay_output(replays[at], &to, &bytes, &size)) {
                    const auto* words = static_cast<const std::int64_t*>(bytes);
                    if (processOf(at) == processOf(std::size_t(to)))
                        lp_replay_input(replays[std::size_t(to)], int(at), bytes, size);
                    else underWay.push_back({at, std::size_t(to), {words, words + size / sizeof *words}});
                    goesOn = true;
                }
            }
        }
        if (underWay.empty()) return;
        for (const Buffer& buffer : std::exchange(underWay, {}))
            lp_replay_input(replays[buffer.to], int(buffer.from), buffer.words.data(), buffer.words.size() * 8);
    }
}

// Replays the logs of all ranks since the last batch, and adds what that finds to what earlier batches found.
template <class Carry>
void replayBatch(const std::vector<lp_path_log*>& logs, lp_lanes lanes, const Carry& carryAll, Found& found)
{
    lp_lane_set lanesOf[procedureCount];
    for (std::uint32_t i = 0; i < procedureCount; ++i) lanesOf[i] = laneOf(lanes, i);
    Replays replays;
    for (std::size_t at = 0; at < logs.size(); ++at)
        replays.push_back(lp_replay_begin(logs[at], int(at), lanes, lanesOf, procedureCount));
    carryAll(replays);
    const std::size_t words = lp_value_words(lanes);
    const std::uint32_t segments = lp_replay_segments(replays.front());
    std::vector<std::int32_t> winners(segments, 0);
    std::int64_t length = 0;
    for (std::uint32_t segment = 0; segment < segments; ++segment) {
        Value best(words, 0);
        for (std::size_t at = 0; at < replays.size(); ++at) {
            found.isConsistent &= lp_replay_run(replays[at]) && segments == lp_replay_segments(replays[at]);
            const std::int64_t* value = lp_replay_values(replays[at]) + segment * words;
            found.values.insert(found.values.end(), value, value + words);
            if (lp_value_merge(lanes, best.data(), value)) winners[segment] = std::int32_t(at);
        }
        for (std::size_t i = 0; i < words; ++i) found.total[i] += best[i];
        length += best[0];
    }
    for (lp_replay* replay : replays) lp_replay_trace(replay, winners.data());
    carryAll(replays);
    for (std::size_t at = 0; at < replays.size(); ++at) {
        std::uint32_t procedures = 0;
        for (std::size_t lane = 0; lane < lanes.count; ++lane) found.parts[lane] += lp_replay_parts(replays[at])[lane];
        const std::int64_t* profile = lp_replay_profile(replays[at], &procedures);
        for (std::uint32_t i = 0; i < std::min(procedures, procedureCount); ++i) {
            found.profile[i] += profile[i];
            found.ofRank[at] += profile[i];
            length -= profile[i];
        }
        found.ahead += lp_replay_ahead(replays[at]);
        found.isConsistent &= !lp_replay_has_failed(replays[at]) && !logs[at]->is_full;
        lp_replay_end(replays[at]);
    }
    found.isConsistent &= length == 0;
    found.ambiguous = 0;
    for (const lp_path_log* log : logs) found.ambiguous += log->ambiguous;
}

}  // namespace longpole::pathreplay
