// SPDX-License-Identifier: GPL-3.0-or-later
// Advice of branch E: what a scheme of priorities is predicted to gain, or what must be split since no priority helps.
#pragma once

#include "analysis/scheduling/gainbound.h"
#include "analysis/scheduling/priorityschemes.h"
#include "analysis/scheduling/schedulingadvice.h"
#include "analysis/waiting/waitevidence.h"

#include <optional>

namespace longpole {

struct SchemeContext {
    const TraceStore& store;
    const ActivityGraph& graph;
    const CriticalPath& path;
    const std::vector<CriticalWait>& waits;
    const WaitEvidence& evidence;
    const SchedulingAnalysis& found;  // conditions, entries and bounds are there already
    const GainBound& bound;
    const Thresholds& thresholds;
};

QString schemeWords(const PriorityScheme& scheme, const TraceStore& store);  // "chain_hop", "RB2[5,*] and REDN[5]"

Advice priorityAdvice(const PriorityScheme& scheme, const Prediction& prediction, const SchemeContext& context);

// Where critical tasks wait for the rest of running ones more than behind others. Which entry method that is: the one
// that made them wait longest.
std::optional<Advice> splitAdvice(const SchemeContext& context);

}  // namespace longpole
