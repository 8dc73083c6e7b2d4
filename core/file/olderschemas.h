// SPDX-License-Identifier: GPL-3.0-or-later
// The schemas of files that earlier versions wrote and this one can convert: their tables, and the steps from each to
// the next, the last of which leads to today's.
#pragma once

#include "core/file/tablespec.h"
#include "core/trace/storedanswers.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace longpole {

// Chunks have been the same since schema 10, the first of the list, and so have all tables but those of answers. Who
// changes a table adds the schema that there was to the list, with its own words, and a step from it.
struct OlderSchema {
    std::int64_t version = 0;       // several have one number: tables were added before it was raised
    std::vector<TableSpec> tables;  // word for word, in the order of the file
    void (*step)(AnswerTable table, std::vector<std::int64_t>& row) = nullptr;  // to the next of the list

    // Makes a row of answers one of today's.
    void bringToday(AnswerTable table, std::vector<std::int64_t>& row) const;
    bool has(std::string_view table) const;
};

// Oldest first. Those whose version is the same differ in their tables.
const std::vector<OlderSchema>& olderSchemas();

}  // namespace longpole
