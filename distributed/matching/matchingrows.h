// SPDX-License-Identifier: GPL-3.0-or-later
// What processes tell each other to match their ranks: one struct and one list of fields for each table that travels.
#pragma once

#include "distributed/exchange/pack.h"
#include "importers/mpi/collectivecall.h"
#include "importers/mpi/partners.h"

#include <cstdint>
#include <vector>

namespace longpole {

// A send, for the process that hosts its receiver.
struct OfferedSend {
    std::uint32_t from = 0, row = 0, to = 0;
    std::uint32_t comm = noComm;
    std::int32_t tag = 0;
    std::uint32_t call = noCall, piece = noPiece;
    bool isCancelled = false;
    TimeNs begin = 0;
    TimeNs pieceBegin = 0;
    std::int64_t bytes = 0;
};
inline void put(Packer& packer, const std::vector<OfferedSend>& rows)
{
    packer.putTable(rows, &OfferedSend::from, &OfferedSend::row, &OfferedSend::to, &OfferedSend::comm,
                    &OfferedSend::tag, &OfferedSend::call, &OfferedSend::piece, &OfferedSend::isCancelled,
                    &OfferedSend::begin, &OfferedSend::pieceBegin, &OfferedSend::bytes);
}
inline void take(Unpacker& unpacker, std::vector<OfferedSend>& rows)
{
    rows = unpacker.table<OfferedSend>(&OfferedSend::from, &OfferedSend::row, &OfferedSend::to, &OfferedSend::comm,
                                       &OfferedSend::tag, &OfferedSend::call, &OfferedSend::piece,
                                       &OfferedSend::isCancelled, &OfferedSend::begin, &OfferedSend::pieceBegin,
                                       &OfferedSend::bytes);
}

// The answer, in the order of the offers.
struct AnsweredSend {
    bool isMatched = false;
    std::uint32_t row = 0, call = noCall, piece = noPiece;
    TimeNs begin = 0;
    TimeNs pieceBegin = 0;
    std::int64_t bytes = 0;
};
inline void put(Packer& packer, const std::vector<AnsweredSend>& rows)
{
    packer.putTable(rows, &AnsweredSend::isMatched, &AnsweredSend::row, &AnsweredSend::call, &AnsweredSend::piece,
                    &AnsweredSend::begin, &AnsweredSend::pieceBegin, &AnsweredSend::bytes);
}
inline void take(Unpacker& unpacker, std::vector<AnsweredSend>& rows)
{
    rows = unpacker.table<AnsweredSend>(&AnsweredSend::isMatched, &AnsweredSend::row, &AnsweredSend::call,
                                        &AnsweredSend::piece, &AnsweredSend::begin, &AnsweredSend::pieceBegin,
                                        &AnsweredSend::bytes);
}

// Which collective call of the run: on a communicator (of MPI_COMM_SELF: of a rank) the number-th.
struct CollectiveKey {
    std::uint32_t comm = noComm;
    std::uint32_t self = 0;
    std::uint32_t number = 0;
    friend auto operator<=>(const CollectiveKey&, const CollectiveKey&) = default;
};

// A rank's part of one, for the process that puts the parts together.
struct GivenPart : CollectiveKey, MpiMemberCall {
    std::uint32_t position = 0;  // of the rank on the communicator
    std::uint32_t row = 0;       // of the rank's parts
    bool blocks = false;
    std::int64_t sent = 0, received = 0;  // MpiMemberCall::moved
    std::uint32_t piece = noPiece, hub = noPiece;
    TimeNs pieceBegin = 0;
};
inline void put(Packer& packer, const std::vector<GivenPart>& rows)
{
    packer.putTable(rows, &GivenPart::comm, &GivenPart::self, &GivenPart::number, &GivenPart::position, &GivenPart::row,
                    &GivenPart::blocks, &GivenPart::rank, &GivenPart::call, &GivenPart::region, &GivenPart::function,
                    &GivenPart::root, &GivenPart::begin, &GivenPart::end, &GivenPart::kind, &GivenPart::hasLeft,
                    &GivenPart::sent, &GivenPart::received, &GivenPart::piece, &GivenPart::hub, &GivenPart::pieceBegin);
}
inline void take(Unpacker& unpacker, std::vector<GivenPart>& rows)
{
    rows = unpacker.table<GivenPart>(&GivenPart::comm, &GivenPart::self, &GivenPart::number, &GivenPart::position,
                                     &GivenPart::row, &GivenPart::blocks, &GivenPart::rank, &GivenPart::call,
                                     &GivenPart::region, &GivenPart::function, &GivenPart::root, &GivenPart::begin,
                                     &GivenPart::end, &GivenPart::kind, &GivenPart::hasLeft, &GivenPart::sent,
                                     &GivenPart::received, &GivenPart::piece, &GivenPart::hub, &GivenPart::pieceBegin);
    for (GivenPart& row : rows) row.moved = {row.sent, row.received};
}

// A rank's step at a window, for all processes.
inline void put(Packer& packer, const std::vector<WindowRow>& rows)
{
    packer.putTable(rows, &WindowRow::rank, &WindowRow::call, &WindowRow::comm, &WindowRow::window, &WindowRow::step,
                    &WindowRow::peer, &WindowRow::isExclusive, &WindowRow::isOpen, &WindowRow::piece, &WindowRow::begin,
                    &WindowRow::end, &WindowRow::pieceBegin);
}
inline void take(Unpacker& unpacker, std::vector<WindowRow>& rows)
{
    rows = unpacker.table<WindowRow>(&WindowRow::rank, &WindowRow::call, &WindowRow::comm, &WindowRow::window,
                                     &WindowRow::step, &WindowRow::peer, &WindowRow::isExclusive, &WindowRow::isOpen,
                                     &WindowRow::piece, &WindowRow::begin, &WindowRow::end, &WindowRow::pieceBegin);
}

// When the last member of a collective call came, to number the calls of the run, and what its pairs take of the run's
// allowance.
struct TimedCollective : CollectiveKey, MemberPairs {
    TimeNs latestBegin = 0;
};
inline void put(Packer& packer, const std::vector<TimedCollective>& rows)
{
    packer.putTable(rows, &TimedCollective::comm, &TimedCollective::self, &TimedCollective::number,
                    &TimedCollective::latestBegin, &TimedCollective::sources, &TimedCollective::pairs);
}
inline void take(Unpacker& unpacker, std::vector<TimedCollective>& rows)
{
    rows = unpacker.table<TimedCollective>(&TimedCollective::comm, &TimedCollective::self, &TimedCollective::number,
                                           &TimedCollective::latestBegin, &TimedCollective::sources,
                                           &TimedCollective::pairs);
}

// The answer, in their order.
struct NumberedCollective {
    std::uint32_t number = noInstance;
    Pairing pairing = Pairing::None;
};
inline void put(Packer& packer, const std::vector<NumberedCollective>& rows)
{
    packer.putTable(rows, &NumberedCollective::number, &NumberedCollective::pairing);
}
inline void take(Unpacker& unpacker, std::vector<NumberedCollective>& rows)
{
    rows = unpacker.table<NumberedCollective>(&NumberedCollective::number, &NumberedCollective::pairing);
}

// A collective call, for the processes that host its members. `number` is that of the run; `shown` and `own`: how many
// rows of the two tables below are of it.
struct FoundCollective : MpiInstance {
    std::uint32_t number = noInstance;
    std::uint32_t atOwner = 0;
    bool isCandidate = false;
    std::uint32_t shown = 0, own = 0;
};
inline void put(Packer& packer, const std::vector<FoundCollective>& rows)
{
    packer.putTable(rows, &FoundCollective::kind, &FoundCollective::comm, &FoundCollective::root,
                    &FoundCollective::rootMember, &FoundCollective::memberCount, &FoundCollective::latestBegin,
                    &FoundCollective::earliestEnd, &FoundCollective::latest, &FoundCollective::latestRank,
                    &FoundCollective::latestCall, &FoundCollective::latestGiver, &FoundCollective::giverCount,
                    &FoundCollective::isComplete, &FoundCollective::isSynchronizing, &FoundCollective::pairing,
                    &FoundCollective::number, &FoundCollective::atOwner, &FoundCollective::isCandidate,
                    &FoundCollective::shown, &FoundCollective::own);
}
inline void take(Unpacker& unpacker, std::vector<FoundCollective>& rows)
{
    rows = unpacker.table<FoundCollective>(
        &FoundCollective::kind, &FoundCollective::comm, &FoundCollective::root, &FoundCollective::rootMember,
        &FoundCollective::memberCount, &FoundCollective::latestBegin, &FoundCollective::earliestEnd,
        &FoundCollective::latest, &FoundCollective::latestRank, &FoundCollective::latestCall,
        &FoundCollective::latestGiver, &FoundCollective::giverCount, &FoundCollective::isComplete,
        &FoundCollective::isSynchronizing, &FoundCollective::pairing, &FoundCollective::number,
        &FoundCollective::atOwner, &FoundCollective::isCandidate, &FoundCollective::shown, &FoundCollective::own);
}

// A member that the process needs to know.
struct ShownMember : MpiPartner {
    std::uint32_t position = 0;
};
inline void put(Packer& packer, const std::vector<ShownMember>& rows)
{
    packer.putTable(rows, &ShownMember::position, &ShownMember::rank, &ShownMember::row, &ShownMember::call,
                    &ShownMember::piece, &ShownMember::hub, &ShownMember::begin, &ShownMember::knownBegin,
                    &ShownMember::bytes);
}
inline void take(Unpacker& unpacker, std::vector<ShownMember>& rows)
{
    rows = unpacker.table<ShownMember>(&ShownMember::position, &ShownMember::rank, &ShownMember::row,
                                       &ShownMember::call, &ShownMember::piece, &ShownMember::hub, &ShownMember::begin,
                                       &ShownMember::knownBegin, &ShownMember::bytes);
}

// A part of a rank that the process hosts: its position among the members, and of kind Prefix that of the last to
// arrive up to there.
struct PlacedPart {
    std::uint32_t rank = 0, row = 0;
    std::uint32_t position = 0, latestUpTo = 0;
};
inline void put(Packer& packer, const std::vector<PlacedPart>& rows)
{
    packer.putTable(rows, &PlacedPart::rank, &PlacedPart::row, &PlacedPart::position, &PlacedPart::latestUpTo);
}
inline void take(Unpacker& unpacker, std::vector<PlacedPart>& rows)
{
    rows = unpacker.table<PlacedPart>(&PlacedPart::rank, &PlacedPart::row, &PlacedPart::position,
                                      &PlacedPart::latestUpTo);
}

// The first and the last epoch of a process' parts of a collective call.
struct CollectiveExtent {
    std::uint32_t atOwner = 0;
    std::uint32_t first = 0xffffffffu, last = 0;
};
inline void put(Packer& packer, const std::vector<CollectiveExtent>& rows)
{
    packer.putTable(rows, &CollectiveExtent::atOwner, &CollectiveExtent::first, &CollectiveExtent::last);
}
inline void take(Unpacker& unpacker, std::vector<CollectiveExtent>& rows)
{
    rows = unpacker.table<CollectiveExtent>(&CollectiveExtent::atOwner, &CollectiveExtent::first,
                                            &CollectiveExtent::last);
}

}  // namespace longpole
