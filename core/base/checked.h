// SPDX-License-Identifier: GPL-3.0-or-later
// The only way from a wide number of a file to a narrow one of the program: it arrives whole or not at all.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace longpole {

// The value as a To; nothing if To cannot hold it.
template <typename To>
requires std::is_integral_v<To>
constexpr std::optional<To> checked(std::int64_t value)
{
    if (!std::in_range<To>(value)) return {};
    return static_cast<To>(value);
}

// The id of that number. The largest one stands for "none" everywhere and is nobody's id.
template <typename Id>
requires std::is_enum_v<Id>
constexpr std::optional<Id> checked(std::int64_t value)
{
    if (value < 0 || value >= 0xffffffff) return {};
    return static_cast<Id>(static_cast<std::uint32_t>(value));
}

}  // namespace longpole
