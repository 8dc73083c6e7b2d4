// SPDX-License-Identifier: GPL-3.0-or-later
// Where two ranks last met before one waited for the other: a message between them, or a collective call of both, after
// which the other was not behind. (A message that the other received late does not count: its delay began before that.)
#pragma once

#include "analysis/mpi/waitrecords.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

// The calls of both that met; noWaitCall: the ranks had not met before.
struct CommonSync {
    std::uint32_t own = noWaitCall;
    std::uint32_t theirs = noWaitCall;
    friend bool operator==(const CommonSync&, const CommonSync&) = default;
};

// A rank's collective calls by communicator and root, each in order of its calls.
class CollectiveCalls {
public:
    explicit CollectiveCalls(const WaitRank& rank);

    // A rank with its calls, and the call before which ranks are to have met.
    struct Before {
        const CollectiveCalls& calls;
        const WaitRank& records;
        std::uint32_t rank;
        std::uint32_t call;
    };
    // The last instance in which both took part. Calls with a root join that with the others.
    static CommonSync last(const Before& own, const Before& theirs);

private:
    struct Call {
        std::int32_t instance;
        std::uint32_t call;
    };
    struct Group {
        std::int32_t comm, root;
        std::vector<Call> calls;  // both ascend
    };
    const Group* group(std::int32_t comm, std::int32_t root) const;
    static std::span<const Call> before(const Group& group, std::uint32_t call);
    static CommonSync lastOf(const Before& ownRank, std::span<const Call> own, const Before& theirRank,
                             std::span<const Call> theirs);

    std::vector<Group> m_groups;  // by (comm, root)
};

// For each of the rank's waits whose culprit is known. O((waits + messages) log).
std::vector<CommonSync> commonSyncs(const WaitRecords& records, std::span<const CollectiveCalls> collectives,
                                    std::uint32_t rank);

}  // namespace longpole
