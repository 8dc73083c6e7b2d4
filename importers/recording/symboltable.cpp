// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/recording/symboltable.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

struct SizedSymbol {
    GElf_Addr begin = 0;
    GElf_Addr end = 0;
    int rank = 0;  // global before weak before local
    int number = 0;
    const char* name = nullptr;
};

int rankOf(const GElf_Sym& symbol)
{
    switch (GELF_ST_BIND(symbol.st_info)) {
    case STB_GLOBAL: return 3;
    case STB_WEAK: return 2;
    case STB_LOCAL: return 1;
    default: return 0;
    }
}

// Of two around one address the one that gives its name comes first.
struct ComesFirst {
    bool operator()(const SizedSymbol* a, const SizedSymbol* b) const { return orderOf(*a) < orderOf(*b); }
    static std::tuple<bool, GElf_Addr, int, GElf_Addr, int> orderOf(const SizedSymbol& symbol)
    {
        constexpr GElf_Addr last = std::numeric_limits<GElf_Addr>::max();
        return {symbol.rank <= 1, last - symbol.begin, -symbol.rank, symbol.end - symbol.begin, symbol.number};
    }
};

struct Label {
    GElf_Addr begin = 0;
    const char* name = nullptr;  // null: a section begins or ends here
};

struct FoundSymbols {
    std::vector<SizedSymbol> sized;
    std::vector<Label> labels;
};

FoundSymbols symbolsOf(Dwfl_Module* module)
{
    FoundSymbols found;
    std::vector<std::pair<GElf_Addr, GElf_Addr>> sections;
    GElf_Addr bias = 0;
    Elf* const elf = dwfl_module_getelf(module, &bias);
    for (Elf_Scn* section = nullptr; elf != nullptr && (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || (header.sh_flags & SHF_ALLOC) == 0) continue;
        sections.emplace_back(header.sh_addr + bias, header.sh_addr + bias + header.sh_size);
        found.labels.push_back({sections.back().first, nullptr});
        found.labels.push_back({sections.back().second, nullptr});
    }
    // Where they overlap they are one: as many symbols as there are may be looked for in each.
    std::sort(sections.begin(), sections.end());
    std::vector<std::pair<GElf_Addr, GElf_Addr>> joined;
    for (const auto& section : sections) {
        if (section.second <= section.first) continue;
        if (joined.empty() || section.first > joined.back().second) joined.push_back(section);
        else joined.back().second = std::max(joined.back().second, section.second);
    }
    const auto isInSection = [&joined](GElf_Addr address) {
        const auto after = std::upper_bound(joined.begin(), joined.end(), address,
                                            [](GElf_Addr at, const auto& section) { return at < section.first; });
        return after != joined.begin() && address < std::prev(after)->second;
    };
    const int count = dwfl_module_getsymtab(module);
    for (int i = 0; i < count; ++i) {
        GElf_Sym symbol;
        GElf_Addr begin = 0;
        const char* const name = dwfl_module_getsym_info(module, i, &symbol, &begin, nullptr, nullptr, nullptr);
        const int type = GELF_ST_TYPE(symbol.st_info);
        if (name == nullptr || *name == '\0' || symbol.st_shndx == SHN_UNDEF) continue;
        if (type == STT_SECTION || type == STT_FILE || type == STT_TLS) continue;
        if (symbol.st_size == 0) {
            // No version's name, and not what marks the end of a section.
            if (symbol.st_shndx != SHN_ABS && isInSection(begin)) found.labels.push_back({begin, name});
        } else if (begin + symbol.st_size > begin) {
            found.sized.push_back({begin, begin + symbol.st_size, rankOf(symbol), i, name});
        }
    }
    return found;
}

}  // namespace

SymbolTable::SymbolTable(Dwfl_Module* module)
{
    if (module == nullptr) return;
    FoundSymbols found = symbolsOf(module);
    const auto isEarlier = [](const auto& a, const auto& b) { return a.begin < b.begin; };
    std::stable_sort(found.sized.begin(), found.sized.end(), isEarlier);
    std::stable_sort(found.labels.begin(), found.labels.end(), isEarlier);
    std::vector<GElf_Addr> borders;
    for (const SizedSymbol& symbol : found.sized) {
        borders.push_back(symbol.begin);
        borders.push_back(symbol.end);
    }
    for (const Label& label : found.labels) borders.push_back(label.begin);
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());

    std::set<const SizedSymbol*, ComesFirst> open;
    std::vector<const SizedSymbol*> byEnd;
    for (const SizedSymbol& symbol : found.sized) byEnd.push_back(&symbol);
    std::stable_sort(byEnd.begin(), byEnd.end(),
                     [](const SizedSymbol* a, const SizedSymbol* b) { return a->end < b->end; });
    auto begins = found.sized.begin();
    auto ends = byEnd.begin();
    auto labels = found.labels.begin();
    Label label;
    GElf_Addr lastEnd = 0;  // of all that have begun
    for (const GElf_Addr border : borders) {
        // A symbol that ends here has begun before: none is empty.
        for (; ends != byEnd.end() && (*ends)->end == border; ++ends) open.erase(*ends);
        for (; begins != found.sized.end() && begins->begin == border; ++begins) {
            open.insert(&*begins);
            lastEnd = std::max(lastEnd, begins->end);
        }
        bool isNewSection = false;
        const char* here = nullptr;
        for (; labels != found.labels.end() && labels->begin == border; ++labels) {
            if (labels->name == nullptr) isNewSection = true;
            else if (here == nullptr) here = labels->name;
        }
        if (here != nullptr || isNewSection) label = {border, here};
        const char* name = nullptr;
        if (!open.empty()) name = (*open.begin())->name;
        else if (label.name != nullptr && label.begin >= lastEnd) name = label.name;
        m_parts.push_back({border, name});
    }
}

const char* SymbolTable::at(Dwarf_Addr address) const
{
    const auto after = std::upper_bound(m_parts.begin(), m_parts.end(), address,
                                        [](Dwarf_Addr wanted, const Part& part) { return wanted < part.begin; });
    return after == m_parts.begin() ? nullptr : std::prev(after)->name;
}

}  // namespace longpole
