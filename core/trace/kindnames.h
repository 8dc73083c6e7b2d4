// SPDX-License-Identifier: GPL-3.0-or-later
// What the kinds of programs, tracks, entries, regions and wait states are called in the plain tables and in JSON.
#pragma once

#include "core/trace/kinds.h"
#include "core/trace/trace.h"

#include <optional>
#include <string_view>

namespace longpole {

std::string_view nameOf(ProgramKind kind);     // "message_driven", "mpi"
std::string_view nameOf(TrackKind kind);       // "pe", "comm_thread" ...
std::string_view nameOf(EntryKind kind);       // "user", "system"
std::string_view nameOf(RegionKind kind);      // "user_event", "stat" ...
std::string_view nameOf(WaitPattern pattern);  // "late_sender" ...

// The kind of that name; nothing if there is none. For ProgramKind, TrackKind, EntryKind and RegionKind.
template <typename Kind>
std::optional<Kind> kindNamed(std::string_view name);

}  // namespace longpole
