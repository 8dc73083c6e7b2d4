// SPDX-License-Identifier: GPL-3.0-or-later
// Every table of every answer: what the reference, the schemas and their tests go through.
#pragma once

#include "analysis/base/table.h"

#include <vector>

namespace longpole {

// Described in the words of that kind of program; each id stands for one table.
std::vector<TableInfo> allTables(Vocabulary words);

}  // namespace longpole
