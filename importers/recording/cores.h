// SPDX-License-Identifier: GPL-3.0-or-later
// How many ranks of a host can run at once, on the cores that each of them is bound to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace longpole {

constexpr std::size_t coreWords = 4;
using CoreSet = std::array<std::uint64_t, coreWords>;  // bit c % 64 of word c / 64: core c

// The most ranks that can have a core each, of their own set. Time: O(ranks + cores squared).
std::int64_t ranksAtOnce(std::span<const CoreSet> ranks);

}  // namespace longpole
