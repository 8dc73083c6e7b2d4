// SPDX-License-Identifier: GPL-3.0-or-later
// How much of a file's length limits may go by: a hole costs whoever sends the file nothing, on the disk or by mail, so
// it explains no figures.
#pragma once

#include "core/base/result.h"

#include <QString>

#include <cstdint>
#include <set>
#include <utility>

namespace longpole {

// Of an open file's length at most twice what has been written, and some pages: what is mostly empty may have become
// holes where it was copied. All of it where the file system tells of no holes.
std::int64_t explainedBytes(int descriptor);
// The same of a file by its name; 0 if it cannot be opened, or not without waiting.
std::int64_t explainedBytes(const QString& path);

// Adds up the bytes of files, of each once: as many names as one likes may lead to it, which cost as little as holes.
class BytesOfFiles {
public:
    // What it adds: explainedBytes(), or 0 of a file that was added before or is no ordinary one.
    std::int64_t add(const QString& path);
    std::int64_t sum() const { return m_sum; }

private:
    std::set<std::pair<std::uint64_t, std::uint64_t>> m_added;  // device, number
    std::int64_t m_sum = 0;
};

// Error: most of the file is holes, which read as zeros.
Result<> checkIsWritten(int descriptor, const QString& path);

}  // namespace longpole
