// SPDX-License-Identifier: GPL-3.0-or-later
// The plain tables of a .longpole file as data: their names and DDL, in the order in which they stand in the file.
#pragma once

#include <cstdint>
#include <span>

namespace longpole {

struct TableSpec {
    const char* name;
    const char* ddl;  // its columns are listed here only, in the order in which rows are written and read
    bool stamped;     // part of the stamp; chunk_data is not: each chunk's hash stands in table chunk
};

// A file that has the events of parts of the run only has a few tables more, behind the others: each takes a page at
// least, which small traces would feel.
enum class HasEvents : std::uint8_t { All, OfParts };
std::span<const TableSpec> tables(HasEvents has);

}  // namespace longpole
