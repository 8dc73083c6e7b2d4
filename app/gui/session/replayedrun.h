// SPDX-License-Identifier: GPL-3.0-or-later
// The open run as it would have been under another network, balance or queue: replayed, written as a trace, opened.
#pragma once

#include "analysis/base/thresholds.h"
#include "analysis/replay/replay.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QString>

#include <memory>

namespace longpole {

struct Advice;
class Results;

enum class ReplayChange : std::uint8_t { IdealNetwork, ZeroLatency, PerfectBalance, Advised };

// How the run is to be replayed, and what that is called: "chain_hop first".
struct ReplayWish {
    ReplayQuestion question{};
    QString words{};
};
// With Advised all priorities that the expert advises together; an error where none are predicted to gain.
Result<ReplayWish> replayWish(Results& results, ReplayChange change, const Thresholds& thresholds,
                              const Progress& progress);
// What gave the advice its prediction.
ReplayWish replayWish(const TraceStore& store, const Advice& advice);

struct ReplayedTrace {
    std::shared_ptr<const TraceStore> store{};
    QString name{};  // "replay: messages taking no time"
};

// Runs on a worker. `file` is replaced. Errors: damaged chunks, what the disk said, cancelled.
Result<ReplayedTrace> replayedTrace(Results& results, const ReplayWish& wish, const QString& file,
                                    const Progress& progress);

}  // namespace longpole
