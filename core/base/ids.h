// SPDX-License-Identifier: GPL-3.0-or-later
// Identities of the things in a trace, one type each, so that mixing two of them does not compile.
#pragma once

#include <utility>  // before <compare>: Qt 6.4's moc cannot read what that includes first

#include <compare>
#include <cstdint>

namespace longpole {

enum class ProcessorId : std::uint32_t {};  // PE or MPI rank, as the trace numbers it
enum class TrackId : std::uint32_t {};      // one row of the timeline: PE, rank, thread, stream ...
enum class ChareId : std::uint32_t {};
enum class EntryId : std::uint32_t {};   // entry method (Charm++) or function
enum class RegionId : std::uint32_t {};  // user event, bracket, MPI call name, counter name

constexpr EntryId noEntry{0xffffffffu};
constexpr TrackId noTrack{0xffffffffu};

// Tables by an id have at most so many rows: an id of a damaged trace must not ask for gigabytes.
constexpr std::uint32_t mostIds = 1u << 20;

template <typename Id>
constexpr std::uint32_t index(Id id)
{
    return static_cast<std::uint32_t>(id);
}

// A task is one execution of an entry method: the `index`-th of its processor in begin order.
// Written "pe:index"; the same in every import of the same source (docs/definitions.md, "Task id").
struct TaskId {
    ProcessorId pe{0xffffffffu};
    std::uint32_t index = 0;
    bool isValid() const { return pe != ProcessorId{0xffffffffu}; }
    friend auto operator<=>(const TaskId&, const TaskId&) = default;
};

// A message is one creation: the `index`-th creation record of its source processor. Written "pe:index".
struct MessageId {
    ProcessorId pe{0xffffffffu};
    std::uint32_t index = 0;
    bool isValid() const { return pe != ProcessorId{0xffffffffu}; }
    friend auto operator<=>(const MessageId&, const MessageId&) = default;
};

}  // namespace longpole
