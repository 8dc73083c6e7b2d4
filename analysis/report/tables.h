// SPDX-License-Identifier: GPL-3.0-or-later
// The list of all tables, from which the reference and the schemas are made and which tests go through.
#pragma once

#include "analysis/base/table.h"

#include <vector>

namespace longpole {

// All tables, described in the words of that kind of program. No two have the same id.
std::vector<TableInfo> allTables(Vocabulary words);

}  // namespace longpole
