// SPDX-License-Identifier: GPL-3.0-or-later
// How large a trace's file is, as limits go by it.
#pragma once

#include "core/base/limits.h"
#include "core/file/sqlitevfs.h"
#include "core/store/tracestore.h"

#include <cstdint>

namespace longpole {

// A run that several processes have put together has no file of its own, and what it may take was asked of theirs.
inline std::int64_t fileBytes(const TraceStore& store) { return store.file() ? store.file()->bytes() : Limit::maxSize; }

}  // namespace longpole
