// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/kindnames.h"

#include <algorithm>
#include <array>
#include <span>

namespace longpole {
namespace {

using namespace std::string_view_literals;

// Each in the order of its enum.
constexpr std::array programKinds = {"message_driven"sv, "mpi"sv};
constexpr std::array trackKinds = {"root"sv, "node"sv,   "process"sv, "pe"sv,         "comm_thread"sv,
                                   "rank"sv, "thread"sv, "stream"sv,  "user_events"sv};
constexpr std::array entryKinds = {"user"sv, "system"sv};
constexpr std::array regionKinds = {"user_event"sv,    "stat"sv,    "memory"sv,   "note"sv,     "phase"sv,
                                    "user_supplied"sv, "counter"sv, "function"sv, "mpi_call"sv, "communicator"sv};
constexpr std::array waitPatternNames = {
    "none"sv,          "late_sender"sv,    "late_receiver"sv, "wait_at_barrier"sv, "wait_at_nxn"sv,
    "early_reduce"sv,  "late_broadcast"sv, "early_scan"sv,    "omp_barrier"sv,     "device_synchronization"sv,
    "wait_at_fence"sv, "late_post"sv,      "early_wait"sv,    "lock_competition"sv};
static_assert(waitPatternNames.size() == waitPatterns);
static_assert(programKinds.size() == static_cast<std::size_t>(ProgramKind::Mpi) + 1);
static_assert(trackKinds.size() == static_cast<std::size_t>(TrackKind::UserEvents) + 1);
static_assert(entryKinds.size() == static_cast<std::size_t>(EntryKind::System) + 1);
static_assert(regionKinds.size() == static_cast<std::size_t>(RegionKind::Communicator) + 1);

std::span<const std::string_view> namesOf(ProgramKind /*kind*/) { return programKinds; }
std::span<const std::string_view> namesOf(TrackKind /*kind*/) { return trackKinds; }
std::span<const std::string_view> namesOf(EntryKind /*kind*/) { return entryKinds; }
std::span<const std::string_view> namesOf(RegionKind /*kind*/) { return regionKinds; }
std::span<const std::string_view> namesOf(WaitPattern /*pattern*/) { return waitPatternNames; }

std::string_view nameAt(auto kind)
{
    const std::span<const std::string_view> names = namesOf(kind);
    const auto i = static_cast<std::size_t>(kind);
    return i < names.size() ? names[i] : names[0];
}

}  // namespace

std::string_view nameOf(ProgramKind kind) { return nameAt(kind); }
std::string_view nameOf(TrackKind kind) { return nameAt(kind); }
std::string_view nameOf(EntryKind kind) { return nameAt(kind); }
std::string_view nameOf(RegionKind kind) { return nameAt(kind); }
std::string_view nameOf(WaitPattern pattern) { return nameAt(pattern); }

template <typename Kind>
std::optional<Kind> kindNamed(std::string_view name)
{
    const std::span<const std::string_view> names = namesOf(Kind{});
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return {};
    return static_cast<Kind>(found - names.begin());
}
template std::optional<ProgramKind> kindNamed(std::string_view name);
template std::optional<TrackKind> kindNamed(std::string_view name);
template std::optional<EntryKind> kindNamed(std::string_view name);
template std::optional<RegionKind> kindNamed(std::string_view name);

}  // namespace longpole
