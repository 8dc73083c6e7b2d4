// SPDX-License-Identifier: GPL-3.0-or-later
// The functions of a unit of compilation, inlined ones too, by the addresses of their code: one walk through its debug
// information, where elfutils walks through all of it for each address, and calls itself for each scope in another.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <elfutils/libdw.h>

namespace longpole {

class UnitScopes {
public:
    struct Function {
        Dwarf_Die die;        // a subprogram, or where one was inlined
        std::int32_t around;  // the function that it lies in; -1: none
        std::int32_t depth;
    };

    // O(n log n) of the unit's bytes: what is nested as in no program, or refers to more than it has, is left out.
    // Where `isOver` says so meanwhile, it has some of them.
    UnitScopes(Dwarf_Die unit, std::uint64_t bytes, const std::function<bool()>& isOver);

    // The innermost function with code at that address; null: none.
    const Function* at(Dwarf_Addr address) const;
    std::size_t bytes() const { return m_functions.size() * sizeof(Function) + m_parts.size() * sizeof(Part); }
    const Function* around(const Function& function) const
    {
        return function.around < 0 ? nullptr : &m_functions[static_cast<std::size_t>(function.around)];
    }

private:
    struct Part {
        Dwarf_Addr begin;
        std::int32_t function;  // up to the next part; -1: none
    };
    struct Range {
        Dwarf_Addr begin;
        Dwarf_Addr end;
        std::int32_t function;
    };
    void find(Dwarf_Die unit, std::int64_t budget, const std::function<bool()>& isOver);
    void addRanges(Dwarf_Die& die, std::int64_t& budget);
    void divide();

    std::size_t m_mostRanges = 0;  // as many as a unit of its size has; a list may be that of all functions
    std::vector<Function> m_functions;
    std::vector<Range> m_ranges;  // until they are divided
    std::vector<Part> m_parts;    // by begin
};

}  // namespace longpole
