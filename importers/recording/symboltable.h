// SPDX-License-Identifier: GPL-3.0-or-later
// Which symbol of a program or library an address belongs to, by one pass over its symbols: elfutils goes through all
// of them for each address.
#pragma once

#include <QByteArray>

#include <vector>

#include <elfutils/libdwfl.h>

namespace longpole {

class SymbolTable {
public:
    // Null: of no file. Its names live as long as the module. O(n log n).
    explicit SymbolTable(Dwfl_Module* module);

    // As dwfl_module_addrinfo(): the function or object around that address which begins nearest, a global one rather
    // than a local one; else a label without a size that lies before it in the same section, behind whatever has a
    // size. Null: none. O(log n).
    const char* at(Dwarf_Addr address) const;

private:
    struct Part {
        GElf_Addr begin;
        const char* name;  // up to the next part
    };
    std::vector<Part> m_parts;  // by begin
};

}  // namespace longpole
