#include "analysis/primitiveroot.h"

#include <vector>

namespace longpole {

namespace {

// By end: the longest proper prefix that ends there too.
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

}  // namespace

std::size_t rootLength(std::span<const std::uint32_t> pattern)
{
    if (pattern.empty()) return 0;
    const std::size_t period = pattern.size() - borders(pattern).back();
    return 2 * period <= pattern.size() ? period : pattern.size();
}

std::int64_t disjointOccurrences(std::span<const std::uint32_t> symbols, std::span<const std::uint32_t> pattern)
{
    if (pattern.empty()) return 0;
    const std::vector<std::uint32_t> border = borders(pattern);
    std::int64_t count = 0;
    std::size_t length = 0;
    for (const std::uint32_t symbol : symbols) {
        while (length > 0 && pattern[length] != symbol) length = border[length - 1];
        if (pattern[length] == symbol) ++length;
        if (length < pattern.size()) continue;
        ++count;
        length = 0;
    }
    return count;
}

}  // namespace longpole
