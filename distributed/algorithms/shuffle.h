// SPDX-License-Identifier: GPL-3.0-or-later
// Gives every process the intervals of a part of the run's time, with each choice that Korkhov et al. (2023, section 5)
// measured.
#pragma once

#include "distributed/algorithms/intervals.h"

#include <chrono>

namespace longpole {

enum class Borders : std::uint8_t { Time, Count };         // parts of equal length, or of about as many intervals each
enum class SendingOrder : std::uint8_t { Same, Shifted };  // process 0 first everywhere, or the next one first

struct ShuffleOptions {
    Borders borders = Borders::Count;
    SendingOrder order = SendingOrder::Shifted;
    bool sendsEmpty = false;  // messages without intervals, too, for which the others wait
    Compression compression = Compression::Off;
    TimeNs threshold = 0;
};

struct ShuffleCounts {
    std::uint64_t bytes = 0;  // sent by this process
    std::uint64_t messages = 0;
    std::chrono::nanoseconds time{0};
};

// Sorted. All processes call it.
std::vector<CodeInterval> shuffleIntervals(Transport& transport, const LossGraph& graph, const ShuffleOptions& options,
                                           ShuffleCounts& counts);

}  // namespace longpole
