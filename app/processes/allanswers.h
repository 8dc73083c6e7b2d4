// SPDX-License-Identifier: GPL-3.0-or-later
// All that several processes answer about a run of which each has some ranks.
#pragma once

#include "distributed/answers/hostedpath.h"
#include "distributed/answers/hostedslack.h"
#include "distributed/answers/hostedwaits.h"
#include "distributed/answers/hostedwork.h"
#include "distributed/answers/hostedzeroing.h"
#include "distributed/recording/hostedtrace.h"

#include <functional>
#include <vector>

namespace longpole {

// What process 0 has to say afterwards; the others have nothing.
struct AllAnswers {
    WaitStates waits;
    Efficiency efficiency;
    HostedPath path;
    HostedSlack slack;
    std::vector<WhatIfAnswer> gains;
};

// All processes call it. `done` hears of each part that is finished, by its name. False after a failure, which all know
// of.
bool answerAll(
    Transport& transport, const HostedTrace& trace, const Progress& progress, AllAnswers& answers,
    const std::function<void(const char* part)>& done = [](const char*) {});

}  // namespace longpole
