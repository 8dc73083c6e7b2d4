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
    const char* node;         // id of the node that has to fire first; empty: none may
    std::uint32_t fewestPes;  // below, the defect does not show
    QString (*write)(const QString& folder, const PlantedSize& size);  // path of the .sts
};

std::span<const PlantedRun> plantedRuns();

}  // namespace longpole
