// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/storedanswers.h"

#include <cassert>

namespace longpole {

void StoredAnswers::add(AnswerTable table, std::span<const std::int64_t> row)
{
    assert(row.size() == answerSpec(table).columns);
    std::vector<std::int64_t>& rows = values[static_cast<std::size_t>(table)];
    rows.insert(rows.end(), row.begin(), row.end());
}

}  // namespace longpole
