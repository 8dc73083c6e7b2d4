// SPDX-License-Identifier: GPL-3.0-or-later
// A word of a text file as a number.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace longpole {

// Nothing if the word is not a decimal number from end to end, or does not fit.
template <typename Number>
std::optional<Number> toNumber(std::string_view word)
{
    Number number{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return number;
}

}  // namespace longpole
