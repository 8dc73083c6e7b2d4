// SPDX-License-Identifier: GPL-3.0-or-later
// The open run as it would have been under another network, balance or queue: replayed, written as a trace, opened.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QString>

#include <memory>

namespace longpole {

class Results;

enum class ReplayChange : std::uint8_t { IdealNetwork, ZeroLatency, PerfectBalance, Advised };

struct ReplayedTrace {
    std::shared_ptr<const TraceStore> store{};
    QString name{};  // "replay: messages taking no time"
};

// Runs on a worker. `file` is replaced. Errors: damaged chunks, what the disk said, cancelled; with Advised also that
// no priorities are predicted to gain.
Result<ReplayedTrace> replayedTrace(Results& results, ReplayChange change, const QString& file,
                                    const Progress& progress);

}  // namespace longpole
