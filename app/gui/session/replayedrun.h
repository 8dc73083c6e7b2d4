// SPDX-License-Identifier: GPL-3.0-or-later
// Replays the open run under another network, balance or order of queues, writes that as a trace and opens it.
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

// How the run is to be replayed.
struct ReplayWish {
    ReplayQuestion question{};
    QString words{};  // what that is called: "chain_hop at priority -5"
};

// Advised: with all priorities together that the expert advises; an error if none are predicted to gain.
Result<ReplayWish> replayWish(Results& results, ReplayChange change, const Thresholds& thresholds,
                              const Progress& progress);
// The replay by which the advice's gain was predicted.
ReplayWish replayWish(const TraceStore& store, const Advice& advice);

struct ReplayedTrace {
    std::shared_ptr<const TraceStore> store{};
    QString name{};  // "replay: messages taking no time"
};

// To be run on a worker. Replaces `file`. Errors: damaged chunks, what the disk said, cancelled.
Result<ReplayedTrace> replayedTrace(Results& results, const ReplayWish& wish, const QString& file,
                                    const Progress& progress);

}  // namespace longpole
