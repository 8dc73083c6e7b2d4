// SPDX-License-Identifier: GPL-3.0-or-later
// Where two ranks last met before one waited for the other: in a message between them or a collective call of both, in
// which the other did not end its wait later. (If it did, it was late already, and its delay began before that.)
#pragma once

#include "analysis/mpi/waitrecords.h"

#include <cstdint>
#include <span>
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

    // A rank with its calls, and the call before which a meeting is searched.
    struct Before {
        const CollectiveCalls& calls;
        const WaitRank& records;
        std::uint32_t rank;
        std::uint32_t call;
    };
    // The last collective call of both. Of calls with a root only those count whose root is one of the two, as only the
    // root meets the others in them.
    static CommonSync last(const Before& own, const Before& theirs);

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
    static std::span<const Call> before(const Group& group, std::uint32_t call);
    static CommonSync lastOf(const Before& ownRank, std::span<const Call> own, const Before& theirRank,
                             std::span<const Call> theirs);

    std::vector<Group> m_groups;  // by (comm, root)
};

// By wait of the rank: where it last met the culprit, or nowhere if the culprit is not known. O((waits + messages)
// log).
std::vector<CommonSync> commonSyncs(const WaitRecords& records, std::span<const CollectiveCalls> collectives,
                                    std::uint32_t rank);

}  // namespace longpole
