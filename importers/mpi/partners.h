// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank needs to know of other ranks once all are matched: who sent what it received, who received what it sent,
// and the other members of its collective calls. Wait states, edges and rows see other ranks only through this
// interface, so a rank may lie in memory or with another process (docs/algorithms.md 1.2, 7.2).
#pragma once

#include "importers/mpi/matching.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace longpole {

class TaskBegins;

// A call of a rank as its partners see it.
struct MpiPartner {
    std::uint32_t rank = 0xffffffffu;
    std::uint32_t row = 0;          // which of the rank's sends, receives or parts it was found by
    std::uint32_t call = noCall;    // the one that sends, posts the receive, or is the member's part
    std::uint32_t piece = noPiece;  // the task that ends where the call begins
    std::uint32_t hub = noPiece;    // its task without length, which begins where the call does
    TimeNs begin = 0;
    TimeNs knownBegin = 0;   // begin of `piece`, if another process has its rank; see pieceBegin()
    std::int64_t bytes = 0;  // of the message, or what the member gave
    bool isValid() const { return rank != 0xffffffffu; }
};

inline MpiPartner partnerOf(const WindowRow& row, std::uint32_t number)
{
    return {row.rank, number, row.call, row.piece, noPiece, row.begin, row.pieceBegin, 0};
}

// Rows are those of the rank's own sends, receives, probes and collective parts. Answers are by value or live as long
// as the partners do; thread-safe.
class MpiPartners {
public:
    virtual ~MpiPartners() = default;

    // Who sent what a receive got or a probe found, and whose receive got what was sent; not valid: nobody.
    virtual MpiPartner senderOf(std::uint32_t rank, std::uint32_t receive) const = 0;
    virtual MpiPartner probedBy(std::uint32_t rank, std::uint32_t probe) const = 0;
    virtual MpiPartner receiverOf(std::uint32_t rank, std::uint32_t send) const = 0;
    virtual bool isSent(std::uint32_t rank, std::uint32_t receive) const = 0;   // senderOf() is valid
    virtual bool isReceived(std::uint32_t rank, std::uint32_t send) const = 0;  // receiverOf() is valid

    // The collective call of a part, its number in the run, and the part's position among its members. Null: the rank
    // is no member.
    virtual const MpiInstance* instanceOf(std::uint32_t rank, std::uint32_t part) const = 0;
    virtual std::uint32_t instanceNumber(std::uint32_t rank, std::uint32_t part) const = 0;
    virtual std::uint32_t positionOf(std::uint32_t rank, std::uint32_t part) const = 0;
    // Members by position, 0 .. memberCount - 1.
    virtual MpiPartner member(const MpiInstance& instance, std::uint32_t position) const = 0;
    // The last to arrive, and of kind Prefix the last among a part and the members before it.
    virtual MpiPartner lastOf(const MpiInstance& instance) const = 0;
    virtual MpiPartner lastUpTo(std::uint32_t rank, std::uint32_t part) const = 0;
    // The positions of the members that a part of a neighbourhood call receives from.
    virtual std::vector<std::uint32_t> sourcesOf(std::uint32_t rank, std::uint32_t part) const = 0;

    // What the rank's one-sided calls waited for; rows of the others are those of windowPartner().
    virtual const WindowFindings& windowsOf(std::uint32_t rank) const = 0;
    virtual MpiPartner windowPartner(const WindowMeeting& meeting) const = 0;

    // When the partner's `piece` began.
    virtual TimeNs pieceBegin(const MpiPartner& partner) const = 0;
};

// All ranks in memory, which must outlive the answer, as `matches` must. `begins` is by rank; without it pieceBegin()
// is 0.
std::unique_ptr<MpiPartners> partnersInMemory(std::span<const MpiRank> ranks, const MpiMatches& matches,
                                              std::span<const TaskBegins> begins = {});

}  // namespace longpole
