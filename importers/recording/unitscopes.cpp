// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/recording/unitscopes.h"

#include <algorithm>
#include <set>
#include <utility>

#include <dwarf.h>

namespace longpole {
namespace {

bool isFunction(int tag) { return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine; }

// Of tags below which there are functions.
bool mayHoldFunctions(int tag)
{
    switch (tag) {
    case DW_TAG_module:
    case DW_TAG_namespace:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_interface_type:
    case DW_TAG_union_type:
    case DW_TAG_subprogram:
    case DW_TAG_entry_point:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_with_stmt:
    case DW_TAG_try_block:
    case DW_TAG_catch_block: return true;
    default: return false;
    }
}

}  // namespace

UnitScopes::UnitScopes(Dwarf_Die unit, std::uint64_t bytes, const std::function<bool()>& isOver)
{
    // Each byte is looked at several times where nothing tells how long a subtree is.
    constexpr std::uint64_t most = std::uint64_t{1} << 32;
    m_mostRanges = static_cast<std::size_t>(256 + std::min(bytes, most) / 4);
    find(unit, static_cast<std::int64_t>(4096 + 16 * std::min(bytes, most)), isOver);
    divide();
}

void UnitScopes::find(Dwarf_Die unit, std::int64_t budget, const std::function<bool()>& isOver)
{
    constexpr std::size_t deepest = 400;  // templates of C++ come to a hundred
    struct Open {
        Dwarf_Die die;
        std::int32_t around;  // it
        std::int64_t budgetBefore;
    };
    std::vector<Open> open;
    std::int32_t around = -1;
    Dwarf_Die die;
    if (dwarf_child(&unit, &die) != 0) return;
    constexpr std::uint32_t asksEach = 64;  // entries
    for (std::uint32_t entries = 0; --budget > 0 && (++entries % asksEach != 0 || !isOver());) {
        const int tag = dwarf_tag(&die);
        Dwarf_Die next;
        std::int32_t inside = around;
        if (isFunction(tag)) {
            const auto number = static_cast<std::int32_t>(m_functions.size());
            const std::size_t before = m_ranges.size();
            addRanges(die, budget);
            if (m_ranges.size() > before) {  // else a declaration, what is inlined everywhere, or too much
                const std::int32_t depth = around < 0 ? 0 : m_functions[static_cast<std::size_t>(around)].depth + 1;
                m_functions.push_back({die, around, depth});
                inside = number;
            }
        }
        if (mayHoldFunctions(tag) && open.size() < deepest && dwarf_child(&die, &next) == 0) {
            open.push_back({die, std::exchange(around, inside), budget});
            die = next;
            continue;
        }
        while (dwarf_siblingof(&die, &next) != 0) {
            if (open.empty()) return;
            die = open.back().die;
            around = open.back().around;
            // Without that attribute elfutils goes through all of it once more.
            if (dwarf_hasattr(&die, DW_AT_sibling) == 0) budget -= open.back().budgetBefore - budget;
            if (budget <= 0) return;
            open.pop_back();
        }
        die = next;
    }
}

void UnitScopes::addRanges(Dwarf_Die& die, std::int64_t& budget)
{
    const auto number = static_cast<std::int32_t>(m_functions.size());
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (std::ptrdiff_t at = 0; budget > 0 && m_ranges.size() < m_mostRanges; --budget) {
        at = dwarf_ranges(&die, at, &base, &begin, &end);
        if (at <= 0) return;
        if (begin < end) m_ranges.push_back({begin, end, number});
    }
}

// Of functions that have code at one address the one counts that lies in the others.
void UnitScopes::divide()
{
    struct Border {
        Dwarf_Addr at;
        bool isBegin;
        std::size_t range;
    };
    std::vector<Border> borders;
    borders.reserve(2 * m_ranges.size());
    for (std::size_t i = 0; i < m_ranges.size(); ++i) {
        borders.push_back({m_ranges[i].begin, true, i});
        borders.push_back({m_ranges[i].end, false, i});
    }
    std::sort(borders.begin(), borders.end(),
              [](const Border& a, const Border& b) { return std::pair(a.at, a.isBegin) < std::pair(b.at, b.isBegin); });
    std::multiset<std::pair<std::int32_t, std::int32_t>> open;  // depth, function
    for (std::size_t i = 0; i < borders.size(); ++i) {
        const std::int32_t function = m_ranges[borders[i].range].function;
        const std::pair key(m_functions[static_cast<std::size_t>(function)].depth, function);
        if (borders[i].isBegin) open.insert(key);
        else open.erase(open.find(key));
        if (i + 1 < borders.size() && borders[i + 1].at == borders[i].at) continue;
        const std::int32_t innermost = open.empty() ? -1 : open.rbegin()->second;
        if (m_parts.empty() || m_parts.back().function != innermost) m_parts.push_back({borders[i].at, innermost});
    }
    m_ranges = {};
}

const UnitScopes::Function* UnitScopes::at(Dwarf_Addr address) const
{
    const auto after = std::upper_bound(m_parts.begin(), m_parts.end(), address,
                                        [](Dwarf_Addr wanted, const Part& part) { return wanted < part.begin; });
    if (after == m_parts.begin() || std::prev(after)->function < 0) return nullptr;
    return &m_functions[static_cast<std::size_t>(std::prev(after)->function)];
}

}  // namespace longpole
