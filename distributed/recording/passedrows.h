// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of all processes on their way to process 0, which puts them together, as they lie compressed in the parts.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracewriter.h"
#include "distributed/recording/hostedtrace.h"
#include "distributed/recording/keptrows.h"
#include "distributed/transport/transport.h"

#include <functional>

namespace longpole {

// All processes call it. Process 0 hands its `writer` the rows of all, some megabytes at a time, and then calls
// `finish`. `kept`: of a trace that has parts of the events; else null. Errors: also that of `finish`, at all of them.
Result<> passRows(Transport& transport, const HostedTrace& trace, KeptRows* kept, TraceWriter* writer,
                  const std::function<Result<>()>& finish, const Progress& progress);

// Fails: what another process sent cannot be.
void tellBrokenRows(Transport& transport);

}  // namespace longpole
