// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program once and says how long its run was, as a trace of it would: without what comes before and after.
#pragma once

#include "analysis/compare/trial.h"
#include "app/record/mpilaunch.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/timerange.h"

#include <QString>
#include <QStringList>

namespace longpole {

struct TimedCommand {
    QStringList words{};
    Variables variables{};
    QString copied{};  // a folder: each run has a copy of its own, in which it runs; empty: it runs where we do
};

struct TimedRun {
    TimeNs duration = 0;
    MeasuredBy by = MeasuredBy::WallTime;
};

// What the program prints is not shown. Errors: it cannot be started or copied, it failed (with the end of what it
// printed), it ended before it could be measured, cancelled.
Result<TimedRun> runTimed(const TimedCommand& command, const Progress& progress);

}  // namespace longpole
