// SPDX-License-Identifier: GPL-3.0-or-later
// Where two ranks last met before one waited for the other: in a message between them or a collective call of both, in
// which the other did not end its wait later. (If it did, it was late already, and its delay began before that.)
#pragma once

#include "analysis/mpi/waitrecords.h"
#include "core/base/drawnhash.h"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace longpole {

// The calls in which both met, each on its rank; noWaitCall if they had not met before.
struct CommonSync {
    std::uint32_t own = noWaitCall;
    std::uint32_t theirs = noWaitCall;
    friend bool operator==(const CommonSync&, const CommonSync&) = default;
};

// A rank's collective calls, grouped by communicator and root, in order of time within a group.
class CollectiveCalls {
public:
    explicit CollectiveCalls(const WaitRank& rank);

    // A rank with its calls, and the call before which a meeting is searched. Of the calls before `from` perhaps only
    // the first of each group is there.
    struct Before {
        const CollectiveCalls& calls;
        const WaitRank& records;
        std::uint32_t rank;
        std::uint32_t call;
        std::uint32_t from = 0;
    };
    // The communicators that a rank has used before a call, in the order of their last use. Calls must ascend.
    class Recent {
    public:
        explicit Recent(const CollectiveCalls& calls);
        void advance(std::uint32_t call);

    private:
        friend class CollectiveCalls;
        static constexpr std::size_t none = static_cast<std::size_t>(-1);
        void use(std::size_t comm, std::uint32_t call);

        struct Comm {
            std::uint32_t lastUse = noWaitCall;
            std::size_t later = none, earlier = none;  // neighbours in the order, once it was used
        };
        const CollectiveCalls& m_calls;
        std::size_t m_next = 0;  // use
        std::size_t m_latest = none;
        std::vector<Comm> m_comms;
    };
    // The last collective call of both. Of calls with a root only those count whose root is one of the two, as only the
    // root meets the others in them. `recent`: of the own rank, before that call. Nothing if that depends on calls that
    // are not there.
    static std::optional<CommonSync> last(const Before& own, const Before& theirs, const Recent& recent);

    // Whether a rank's call is one of its group: not if a call before it met later than it did.
    static std::vector<bool> inGroups(const std::vector<WaitCollective>& collectives);

private:
    struct Call {
        std::int32_t instance;
        std::uint32_t call;
    };
    struct Group {
        std::int32_t comm, root;
        std::vector<Call> calls;  // ascending by instance and by call
    };
    const Group* group(std::int32_t comm, std::int32_t root) const;
    static std::span<const Call> before(const Group& group, std::uint32_t call, std::uint32_t from = 0);
    struct Meeting {
        CommonSync sync{};
        bool isDoubtful = false;  // the search would have gone on among calls that are not there
    };
    static Meeting lastOf(const Before& ownRank, const Group& ownGroup, const Before& theirRank,
                          const Group& theirGroup, int& steps);

    struct Use {
        std::uint32_t comm;  // place in m_comms
        std::uint32_t call;
    };
    std::vector<Group> m_groups;  // by (comm, root)
    std::vector<std::int32_t> m_comms;
    std::unordered_map<std::int32_t, std::uint32_t, DrawnHash> m_places;  // in m_comms
    std::vector<Use> m_uses;                                              // by call
};

// The messages of a rank that can be the last with a peer before a call. A message is dropped when a later one here
// belongs to the same or an earlier call there, so the calls of both ascend.
class MeetingMessages {
public:
    // By calls of the rank, in order; in which the peer did not end its wait later.
    void add(const WaitMessage& message);
    // The last of those so far with the peer before a call of that.
    CommonSync lastBefore(std::uint32_t peer, std::uint32_t call) const;

private:
    std::unordered_map<std::uint32_t, std::vector<CommonSync>> m_ofPeer;
};

// The later one for the rank, the first if they are in one call.
inline CommonSync laterOf(const CommonSync& first, const CommonSync& other)
{
    const bool isOther = other.own != noWaitCall && (first.own == noWaitCall || other.own > first.own);
    return isOther ? other : first;
}

// By wait of the rank: where it last met the culprit, or nowhere if the culprit is not known. O((waits + messages)
// log). Cancelled work returns early.
std::vector<CommonSync> commonSyncs(const WaitRecords& records, std::span<const CollectiveCalls> collectives,
                                    std::uint32_t rank, const Progress& progress);

}  // namespace longpole
