// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes everything that is computed from a .longpole file that opens, the expert included: the bytes say how a sound
// store is changed.
#include "analysis/report/analyses.h"
#include "analysis/results/results.h"
#include "analysis/statistics/commmatrix.h"
#include "fuzz/storemutation.h"

using namespace longpole;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto opened = TraceStore::open(mutatedStore(data, size));
    if (!opened) return 0;
    Results results(*opened);
    static_cast<void>(results.ask(AnalysesQuestion{}, Progress()));
    return 0;
}
