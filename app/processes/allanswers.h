// SPDX-License-Identifier: GPL-3.0-or-later
// All that several processes answer about a run of which each has some ranks.
#pragma once

#include "analysis/phases/pathphases.h"
#include "app/processes/answerplan.h"
#include "distributed/advice/hostedadvice.h"
#include "distributed/answers/hostedelapsed.h"
#include "distributed/answers/hostedloop.h"
#include "distributed/answers/hostedpath.h"
#include "distributed/answers/hostedprofile.h"
#include "distributed/answers/hostedslack.h"
#include "distributed/answers/hostedwaits.h"
#include "distributed/answers/hostedwork.h"
#include "distributed/answers/hostedzeroing.h"
#include "distributed/nearpaths/hostednear.h"
#include "distributed/recording/hostedtrace.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace longpole {

// What process 0 has to say afterwards. Processes that are threads share it, and the others leave it alone.
struct AllAnswers {
    WaitStates waits;  // with their causes
    Efficiency efficiency;
    HostedPath path;
    ProfiledEvents profiled;
    std::optional<CriticalPath> merged;  // of a Charm++ run: the work path at level Merges
    std::optional<PathPhases> phases;    // of the work path, or that; not if it is too long to be searched
    std::optional<HostedLoop> loop;      // whose iterations cut these
    HostedPath elapsed;
    HostedSlack slack;
    HostedNear near;  // behind the work path, as longpole near-critical lists them
    std::vector<WhatIfAnswer> gains;
    HostedAdvice advice;            // of a Charm++ run without inputs
    std::optional<Error> notFound;  // of a Charm++ run: why phases or advice lack
    AnswerPartSet leftOut;          // of all this, on purpose
    AnswerPartSet late;             // of these, because of the deadline
    Rational factor{0, 1};          // that what-if asked for

    bool lacks(AnswerPart part) const { return leftOut[static_cast<std::size_t>(part)]; }
};

constexpr std::size_t worstWaitsShown = 5;  // as many as longpole waits lists

// What runs over all tasks once more after the work path was found: slack, near-critical paths, what-if. All processes
// call it. `done` hears of each part that is finished, by its name. False after a failure, which all know of.
bool answerPasses(AnswerPlan& plan, WorkPass& pass, const TraceStore& store, const HostedPath& path,
                  const Progress& progress, AllAnswers& answers, const std::function<void(const char* part)>& done);

// All of a recording, likewise. `worst`: how many waits of each state are named.
bool answerAll(
    AnswerPlan& plan, Transport& transport, const HostedTrace& trace, const Progress& progress, AllAnswers& answers,
    const std::function<void(const char* part)>& done = [](const char*) {}, std::size_t worst = worstWaitsShown);

}  // namespace longpole
