// SPDX-License-Identifier: GPL-3.0-or-later
// One program for each node of the decision tree that has exactly that defect, and one that has none: they run on the
// planted machine at any size, from a seed.
#pragma once

#include <QString>

#include <cstdint>
#include <span>

namespace longpole {

struct PlantedSize {
    std::uint32_t pes = 8;  // at least 4, even
    std::uint64_t seed = 1;
    bool hasReceiveTimes = true;
};

struct PlantedRun {
    const char* name;         // "fine grains"
    const char* node;         // id of the node that must fire first; empty: no node may fire
    std::uint32_t fewestPes;  // on fewer PEs the defect does not show
    QString (*write)(const QString& folder, const PlantedSize& size);  // returns the path of the .sts
};

std::span<const PlantedRun> plantedRuns();

// Pairs of PEs with a chain of requests and replies beside background work, of which any pair may be the last: one of
// the two entry methods first gains next to nothing, both first gain much. `duration`, if given: of the run.
QString requestsAndReplies(const QString& folder, const PlantedSize& size, bool requestsFirst = false,
                           bool repliesFirst = false, std::int64_t* duration = nullptr);

}  // namespace longpole
