// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of this room's passes (Transport): those that may be under way at the same time differ.
#pragma once

#include <cstdint>

namespace longpole::pass {

constexpr std::uint16_t edgeSources = 100;
constexpr std::uint16_t edgeAnswers = 101;
constexpr std::uint16_t nodes = 102;
constexpr std::uint16_t relaxations = 103;
constexpr std::uint16_t walk = 104;
constexpr std::uint16_t intervals = 105;
constexpr std::uint16_t groups = 106;

}  // namespace longpole::pass
