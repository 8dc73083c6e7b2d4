// SPDX-License-Identifier: GPL-3.0-or-later
// What the MPI calls of one location send, receive and synchronize, and which later call completes it.
#pragma once

#include "importers/common/importlog.h"
#include "importers/mpi/rank.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

enum class RequestKind : std::uint8_t { None, Send, Receive, Collective };

// A request by its serial: the `index`-th send, receive or collective part.
struct OpenRequest {
    std::int64_t request = 0;
    std::uint32_t index = 0;
    RequestKind kind = RequestKind::None;
};

// Open requests by serial. Open addressing: O(1), without an allocation per request.
class RequestTable {
public:
    RequestTable() : m_slots(16) {}
    void insert(const OpenRequest& request);  // one of the same serial is forgotten
    std::optional<OpenRequest> find(std::int64_t request) const;
    std::optional<OpenRequest> take(std::int64_t request);
    std::vector<OpenRequest> open() const;  // all of them, in any order
    bool isEmpty() const { return m_size == 0; }

private:
    std::size_t slotOf(std::int64_t request) const;
    std::size_t home(std::int64_t request) const;

    std::vector<OpenRequest> m_slots;  // a power of two, at most half full
    std::size_t m_size = 0;
};

// What became of a request.
struct RequestEvent {
    enum class Kind : std::uint8_t {
        SendCompleted,
        Received,
        ReceivedNothing,
        CollectiveCompleted,
        Cancelled,
        Freed
    } kind{};
    std::uint32_t call = noCall;
    std::int64_t request = 0;
    MpiReceive receive;  // Received: comm, from, tag and bytes; Freed: but the bytes, if isPlaced
};

// The calls of one location, or of several that were joined.
struct MpiCalls {
    MpiRank rank;
    std::vector<RequestEvent> unknown;  // in order; of requests that no call here started: another thread's, or lost
    std::vector<OpenRequest> open;      // requests that may complete in another thread, in any order

    // Applies an event to what its request started. False: no such request.
    bool apply(const RequestEvent& event, RequestTable& requests);
};

// All threads of a rank: calls merged by begin (of equal ones the earlier location's first), and what one thread
// started and another completed put together. A receive that nobody posted counts as posted where it completed; such
// and other events of unknown requests are counted. O(n log n); O(1) for one location without unknown requests.
MpiRank joinThreads(std::vector<MpiCalls>&& threads, ImportLog& log);

}  // namespace longpole
