// SPDX-License-Identifier: GPL-3.0-or-later
// What several processes answer about a folder of Charm++'s Projections logs of which each has some PEs.
#pragma once

#include "app/processes/allanswers.h"
#include "core/base/progress.h"
#include "distributed/recording/hostedtrace.h"
#include "distributed/transport/transport.h"

#include <QString>

#include <cstdint>

namespace longpole {

// Phases and advice of a run of more tasks are not looked for: they look at all PEs at once, and process 0 holds the
// graph of the run for them.
constexpr std::int64_t mostTasksAtOnce = 20'000'000;

// All processes call it: no waits, which are an MPI program's. `scratch`: where process 0 may keep the events of all
// PEs for what looks at all at once. False after a failure, which all know of.
bool answerFolder(AnswerPlan& plan, Transport& transport, const HostedTrace& trace, const QString& scratch,
                  const Progress& progress, AllAnswers& answers);

}  // namespace longpole
