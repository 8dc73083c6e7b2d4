// SPDX-License-Identifier: GPL-3.0-or-later
// Which symbol of a program or library an address belongs to, by one pass over its symbols: elfutils goes through all
// of them for each address.
#pragma once

#include <QByteArray>

#include <memory>
#include <vector>

#include <elfutils/libdwfl.h>

namespace longpole {

// A program or library as it lies on disk, for elfutils to read.
class OpenedProgram {
public:
    OpenedProgram() = default;  // of no file
    explicit OpenedProgram(const QByteArray& path);
    // Null: it is none, or cannot be read. Lives as long as this.
    Dwfl_Module* module() const { return m_module; }

private:
    struct End {
        void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
    };
    std::unique_ptr<Dwfl, End> m_dwfl;
    Dwfl_Module* m_module = nullptr;
};

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
