// SPDX-License-Identifier: GPL-3.0-or-later
// A factor for hash tables that is drawn anew in each process: no file can know which keys would lie side by side.
#pragma once

#include <cstdint>
#include <random>

namespace longpole {

inline std::uint64_t drawnFactor()
{
    static const std::uint64_t factor = (std::uint64_t{std::random_device{}()} << 32 | std::random_device{}()) | 1;
    return factor;
}

}  // namespace longpole
