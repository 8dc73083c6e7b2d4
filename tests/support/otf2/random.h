// SPDX-License-Identifier: GPL-3.0-or-later
// Writes random MPI programs as OTF2 archives, and says which events the importer must give for them.
#pragma once

#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace longpole {

struct RandomOtf2 {
    std::vector<QStringList> lines;  // by rank, as MpiEventLog writes them
};

// Ranks, regions, communicators, clocks and chunk size all depend on the seed.
RandomOtf2 writeRandomOtf2(const QString& folder, std::uint32_t seed);

}  // namespace longpole
