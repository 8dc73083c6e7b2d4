// SPDX-License-Identifier: GPL-3.0-or-later
// MPI calls with their wait states as rows.
#pragma once

#include "core/store/rowblock.h"

#include <cstdint>
#include <optional>

namespace longpole {

// A call, in begin order; those of other threads of a rank lie on tracks of their own.
class MpiRow : public RowView {
public:
    static constexpr ChunkKind kind = ChunkKind::MpiCall;
    enum Field : std::uint32_t {
        Begin = bit(MpiCallColumn::Begin),
        Duration = bit(MpiCallColumn::Duration),
        Range = Begin | Duration,
        Region = bit(MpiCallColumn::Region),
        Seq = bit(MpiCallColumn::Seq),
        Communicator = bit(MpiCallColumn::Comm),
        Peer = bit(MpiCallColumn::Peer),
        Tag = bit(MpiCallColumn::Tag),
        Bytes = bit(MpiCallColumn::Bytes),
        WaitBefore = bit(MpiCallColumn::WaitBefore),
        Execution = bit(MpiCallColumn::Execution),
        WaitAfter = bit(MpiCallColumn::WaitAfter),
        Pattern = bit(MpiCallColumn::Pattern),
        Severity = bit(MpiCallColumn::Severity),
        Culprit = bit(MpiCallColumn::Culprit),
        CulpritSeq = bit(MpiCallColumn::CulpritSeq),
        Instance = bit(MpiCallColumn::Instance),
        Task = bit(MpiCallColumn::Task),
        Flags = bit(MpiCallColumn::Flags),
        Path = bit(MpiCallColumn::Path),
        Sent = bit(MpiCallColumn::Sent),
        All = (1u << MpiCallColumn::Count) - 1,
    };

    TimeNs begin() const { return at(MpiCallColumn::Begin); }
    TimeNs duration() const { return at(MpiCallColumn::Duration); }
    TimeNs end() const { return saturatingAdd(begin(), duration()); }
    TimeRange range() const { return rangeOf(MpiCallColumn::Begin, MpiCallColumn::Duration); }
    RegionId region() const { return id<RegionId>(MpiCallColumn::Region); }  // the call's name
    std::int64_t seq() const { return at(MpiCallColumn::Seq); }              // number of the call on its rank
    std::optional<std::int64_t> communicator() const { return known(MpiCallColumn::Comm); }  // a region
    std::optional<std::int64_t> peer() const { return known(MpiCallColumn::Peer); }          // other rank, or root
    std::optional<std::int64_t> tag() const { return known(MpiCallColumn::Tag); }
    std::int64_t bytes() const { return at(MpiCallColumn::Bytes); }  // sent and received
    std::int64_t sent() const { return at(MpiCallColumn::Sent); }
    TimeNs waitBefore() const { return at(MpiCallColumn::WaitBefore); }
    TimeNs execution() const { return at(MpiCallColumn::Execution); }
    TimeNs waitAfter() const { return at(MpiCallColumn::WaitAfter); }
    WaitPattern pattern() const
    {
        const std::int64_t stored = at(MpiCallColumn::Pattern);
        const bool isKnown = stored > 0 && stored < static_cast<std::int64_t>(waitPatterns);
        return isKnown ? static_cast<WaitPattern>(stored) : WaitPattern::None;
    }
    TimeNs severity() const { return at(MpiCallColumn::Severity); }
    std::optional<std::int64_t> culprit() const { return known(MpiCallColumn::Culprit); }        // rank
    std::optional<std::int64_t> culpritSeq() const { return known(MpiCallColumn::CulpritSeq); }  // its call
    std::optional<std::int64_t> instance() const { return known(MpiCallColumn::Instance); }      // of a collective
    std::int64_t task() const { return at(MpiCallColumn::Task); }  // row of the task that ends where the call begins
    std::uint16_t flags() const { return static_cast<std::uint16_t>(at(MpiCallColumn::Flags)); }
    std::uint32_t path() const { return static_cast<std::uint32_t>(at(MpiCallColumn::Path)); }  // CallPath::id
};

}  // namespace longpole
