// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/phases/primitiveroot.h"

#include <vector>

namespace longpole {

namespace {

// By place: the length of the longest proper prefix of the pattern that ends there as well.
std::vector<std::uint32_t> borders(std::span<const std::uint32_t> pattern)
{
    std::vector<std::uint32_t> border(pattern.size(), 0);
    for (std::size_t i = 1; i < pattern.size(); ++i) {
        std::uint32_t length = border[i - 1];
        while (length > 0 && pattern[length] != pattern[i]) length = border[length - 1];
        border[i] = pattern[length] == pattern[i] ? length + 1 : 0;
    }
    return border;
}

// Calls end(the place behind its last symbol) for each occurrence that does not overlap the one before.
template <typename End>
void forEachOccurrence(std::span<const std::uint32_t> symbols, std::span<const std::uint32_t> pattern, End end)
{
    if (pattern.empty()) return;
    const std::vector<std::uint32_t> border = borders(pattern);
    std::size_t length = 0;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        while (length > 0 && pattern[length] != symbols[i]) length = border[length - 1];
        if (pattern[length] == symbols[i]) ++length;
        if (length < pattern.size()) continue;
        end(i + 1);
        length = 0;
    }
}

}  // namespace

std::size_t rootLength(std::span<const std::uint32_t> pattern)
{
    if (pattern.empty()) return 0;
    const std::size_t period = pattern.size() - borders(pattern).back();
    return 2 * period <= pattern.size() ? period : pattern.size();
}

std::vector<std::size_t> occurrences(std::span<const std::uint32_t> symbols, std::span<const std::uint32_t> pattern)
{
    std::vector<std::size_t> begins;
    forEachOccurrence(symbols, pattern, [&](std::size_t end) { begins.push_back(end - pattern.size()); });
    return begins;
}

std::int64_t disjointOccurrences(std::span<const std::uint32_t> symbols, std::span<const std::uint32_t> pattern)
{
    std::int64_t count = 0;
    forEachOccurrence(symbols, pattern, [&](std::size_t) { ++count; });
    return count;
}

}  // namespace longpole
