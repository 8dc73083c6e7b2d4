// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes everything that is computed from a .longpole file that opens, the expert included, and what traces of parts
// answer from their tables: the bytes say how a sound store is changed.
#include "analysis/base/callpaths.h"
#include "analysis/mpi/mpiquestions.h"
#include "analysis/paths/pathquestions.h"
#include "analysis/report/analyses.h"
#include "analysis/report/mpitables.h"
#include "analysis/results/results.h"
#include "analysis/results/storedresults.h"
#include "analysis/statistics/commmatrix.h"
#include "analysis/statistics/efficiencyquestions.h"
#include "analysis/whatif/whatifquestions.h"
#include "fuzz/storemutation.h"

using namespace longpole;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto opened = TraceStore::open(mutatedStore(data, size));
    if (!opened) return 0;
    Results results(*opened);
    static_cast<void>(results.ask(AnalysesQuestion{}, Progress()));
    if (!(*opened)->info().isPart()) return 0;
    TaskPaths places(**opened);
    for (const PathMode mode : {PathMode::Work, PathMode::Elapsed}) {
        const auto path = results.ask(PathQuestion{.mode = mode}, Progress());
        if (!path) continue;
        for (const PathStep& step : (*path)->steps) static_cast<void>(places.of(step.task));
    }
    static_cast<void>(results.ask(ZeroingQuestion{}, Progress()));
    static_cast<void>(results.ask(EfficiencyQuestion{}, Progress()));
    static_cast<void>(storedSlack(**opened));
    const auto waits = results.ask(WaitsQuestion::of(**opened, {.withCauses = true}), Progress());
    if (!waits) return 0;
    const auto table = waitStateTable(**opened, (*waits)->totalTime);
    for (const WaitState& state : (*waits)->states)
        for (const auto& column : table.columns) static_cast<void>(column.cell(state));
    return 0;
}
