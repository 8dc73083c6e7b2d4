// SPDX-License-Identifier: GPL-3.0-or-later
// Merge edges that a program recorded (Dooley et al., section 5.1: MERGE_PATH_MAX): "MERGE <PE> <event> <PE> <event>",
// as user notes in the logs or as lines of a text file beside them.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "importers/common/importlog.h"

#include <QByteArray>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace longpole {

// The executions of one message also waited for another one. Both by key: creating PE and event number of its log.
struct RecordedMerge {
    std::uint32_t pe = 0, event = 0;
    std::uint32_t sourcePe = 0, sourceEvent = 0;
    friend auto operator<=>(const RecordedMerge&, const RecordedMerge&) = default;
};
static_assert(sizeof(RecordedMerge) == 16);

// None for any other text.
std::optional<RecordedMerge> parseMerge(std::string_view text);

struct RecordedMerges {
    std::vector<RecordedMerge> edges;
    // Seconds since 1970: when the module for Charm++ wrote them, at the end of their run. A file by hand has none.
    std::optional<std::int64_t> written;
};

// All merge edges of a .merges file, in its order, or each once and sorted if there are more than a million; lines that
// begin with '#' and blank ones are left out, but for a first one that says when it was written. Plain or gzip. Lines
// that cannot be read are counted in `log`. Errors: the file cannot be read; cancelled.
Result<RecordedMerges> readMerges(const QString& path, ImportLog& log, const Progress& progress = Progress());

// As readMerges takes it.
QByteArray textOfMerges(const RecordedMerges& merges);

}  // namespace longpole
