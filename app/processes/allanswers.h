// SPDX-License-Identifier: GPL-3.0-or-later
// All that several processes answer about a run of which each has some ranks.
#pragma once

#include "analysis/phases/pathphases.h"
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

// What process 0 has to say afterwards; the others have nothing.
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
};

constexpr std::size_t worstWaitsShown = 5;  // as many as longpole waits lists

// All processes call it. `worst`: how many waits of each state are named. `done` hears of each part that is finished,
// by its name. False after a failure, which all know of.
bool answerAll(
    Transport& transport, const HostedTrace& trace, const Progress& progress, AllAnswers& answers,
    const std::function<void(const char* part)>& done = [](const char*) {}, std::size_t worst = worstWaitsShown);

}  // namespace longpole
