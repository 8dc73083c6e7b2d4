// SPDX-License-Identifier: GPL-3.0-or-later
// The work path of a run whose ranks several processes host: its steps, its profile, and the functions its tasks ran
// in.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/paths/criticalpath.h"
#include "core/base/progress.h"
#include "distributed/answers/workpass.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

struct HostedPath {
    CriticalPath path;
    std::vector<std::uint32_t> functions;  // by step: ids of call paths, or noCallPath; empty if the run has none
};

// What workPath() finds at level Order in the graph of the whole run, at process 0; elsewhere nothing. `pass`: of the
// whole run, prepared; it is run again. All processes call it. Errors: damaged chunks, cancelled, at all of them.
Result<HostedPath> hostedWorkPath(WorkPass& pass, const TraceStore& store, const Progress& progress);

// A step as it travels to process 0. Numbers fall in time inside a segment.
struct HostedStep {
    std::uint32_t segment = 0;
    std::uint64_t number = 0;
    std::uint32_t rank = 0, task = 0, entry = 0;  // task: its row
    TimeNs begin = 0, length = 0;
    std::uint8_t edge = 0;
    bool isDoubtful = false;
    std::uint32_t function = 0;
};

// Puts steps with a segment and a number that falls in time in order, oldest first. A walk comes with its newest first.
template <typename Step>
void sortOldestFirst(std::vector<Step>& steps)
{
    const auto isOlder = [](const Step& a, const Step& b) {
        return a.segment != b.segment ? a.segment < b.segment : a.number > b.number;
    };
    if (std::is_sorted(steps.begin(), steps.end(), isOlder)) return;
    if (std::is_sorted(steps.rbegin(), steps.rend(), isOlder)) std::reverse(steps.begin(), steps.end());
    else std::sort(steps.begin(), steps.end(), isOlder);
}

// How many rows are in tables of so many columns (Packer::putTable), one of each process; never more than their bytes
// can hold. A path has millions of steps: room that grows with them would be there twice.
std::size_t rowsIn(std::span<const Payload> tables, std::size_t columns);
// The steps of all processes, oldest first, at process 0; elsewhere nothing. All processes call it.
std::vector<HostedStep> gatheredSteps(Transport& transport, std::vector<HostedStep> own);
// What nested executions have of a path's profile, of all processes, at process 0; elsewhere nothing. All call it.
std::vector<EntrySum> gatheredShares(Transport& transport, const NestedShares& own);
// The work path of such steps and shares.
HostedPath joinedPath(const TraceStore& store, const std::vector<HostedStep>& steps,
                      const std::vector<EntrySum>& shares = {});

// A graph without tasks that knows how long each region ran in the whole run, as a path's profile asks for it. The
// tasks of the path's steps are to be added.
ActivityGraph graphOfEntries(const TraceStore& store);

}  // namespace longpole
