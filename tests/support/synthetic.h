// SPDX-License-Identifier: GPL-3.0-or-later
// A made-up Projections run of any size, from a seed: tasks that send one message each to a task of the next round on
// another PE, idle time, packing, broadcasts. For benchmarks and for tests that need more than a real trace has.
#pragma once

#include <QString>

#include <cstdint>

namespace longpole {

struct SyntheticRun {
    std::uint32_t processors = 4;
    std::int64_t records = 10'000;  // of all logs together, about
    std::uint64_t seed = 1;
    bool isCompressed = false;
};

// Writes synthetic.sts and synthetic.<pe>.log[.gz] into the folder and returns the path of the .sts; empty if writing
// fails. About 10 million records a second on each core, as plain text.
QString writeSynthetic(const QString& folder, const SyntheticRun& run);

}  // namespace longpole
