// SPDX-License-Identifier: GPL-3.0-or-later
// --memory, which every command may have.
#pragma once

#include <QStringList>

#include <cstdint>
#include <optional>

namespace longpole {

// Takes "--memory SIZE" out of the arguments: bytes; `without` if it is not there, nothing if the size is none.
std::optional<std::int64_t> takeMemory(QStringList& arguments, std::int64_t without);

// What is said of a size that is none.
QString memoryUsage();

}  // namespace longpole
