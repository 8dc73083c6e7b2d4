// SPDX-License-Identifier: GPL-3.0-or-later
// How the processes of one analysis talk, the same over threads and MPI: messages, sparse exchanges, reductions. All
// calls are made by one thread of each process.
//
// Failure is a state: the first error of any process is told to all, and from then on every call of every process
// returns at once with nothing. So loops ask failed(), and one place reports failure(). Every wait has a limit.
#pragma once

#include "core/base/result.h"
#include "distributed/transport/wire.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace longpole {

struct TransportLimits {
    std::size_t pieceBytes = std::size_t{32} << 20;            // MPI counts in int, and some networks fail earlier
    std::size_t piecesUnderWay = 4;                            // to one process; more wait here, not in its memory
    std::size_t blockBytes = std::size_t{256} << 10;           // of a reduction: the tree works on several at once
    std::size_t messageBytes = std::size_t{1} << 40;           // a longer message that is announced is a damaged one
    std::chrono::milliseconds wait{std::chrono::minutes(30)};  // for anything to happen at all
};

struct Incoming {
    int from = 0;
    Payload bytes;
};

// What a process has sent to others and taken from them, without what keeps the transport itself going.
struct Traffic {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t takenMessages = 0;
    std::uint64_t takenBytes = 0;
    std::uint64_t collectiveBytes = 0;   // sent in reductions, broadcasts and gathers
    std::chrono::nanoseconds waited{0};  // with nothing to do
    friend bool operator==(const Traffic&, const Traffic&) = default;
};

enum class Wait : bool { No, Yes };
enum class Receiver : bool { Root, Everyone };  // root: process 0

class Transport {
public:
    using Take = std::function<void(int from, Payload bytes)>;
    // Adds `count` elements to those of `into`. Associative and commutative: the order of merging is anybody's.
    using Merge = std::function<void(std::byte* into, const std::byte* from, std::size_t count)>;

    static constexpr std::uint16_t highestPass = 16'000;

    explicit Transport(std::unique_ptr<Wire> wire, TransportLimits limits = {});
    // Stays until what it posted is taken or the transport has failed.
    ~Transport();
    Transport(const Transport&) = delete;
    Transport& operator=(const Transport&) = delete;

    int process() const { return m_process; }
    int processes() const { return m_processes; }
    bool isRoot() const { return m_process == 0; }

    // Never blocks. Messages of a pass arrive whole, each once, in any order; those to itself, too.
    void send(int to, std::uint16_t pass, Payload bytes);
    // The next message of that pass. Wait::Yes: nothing only if the transport has failed.
    std::optional<Incoming> receive(std::uint16_t pass, Wait wait);
    // Ends a pass: returns when every process has called it and every message of the pass was taken. What still comes
    // goes to `take`, which sends nothing in this pass. Afterwards the number may be used again. All processes end
    // their passes in the same order. (Hoefler, Siebert, Lumsdaine 2010: the number of messages need not be known.)
    void quiet(std::uint16_t pass, const Take& take);
    // A pass in one call: to[q] goes to process q, empty ones are not sent. to.size() == processes().
    void exchange(std::uint16_t pass, std::vector<Payload> to, const Take& take);

    // Collective calls: all processes make the same ones in the same order.
    // Of the same length on all processes, a multiple of `element` bytes. 2 ceil(log2 processes) messages deep.
    void reduce(std::span<std::byte> values, std::size_t element, const Merge& merge, Receiver receiver);
    // Process 0's bytes, on all.
    Payload broadcast(Payload bytes);
    // At process 0 everybody's, by process; elsewhere nothing.
    std::vector<Payload> gather(Payload bytes);

    // The last call of all processes: returns when all have made it, so that the failure of one is the failure of all.
    void finish();

    // Tells everybody. The first error stands.
    void fail(Error error);
    bool failed() const { return m_failure.has_value(); }
    // The error that this process met or heard of first; only after failed().
    const Error& failure() const { return *m_failure; }
    // For a process that computes for long: hears of others' failures, sends what waits. Cheap.
    void pulse();
    // From now on waits and pulses ask it; if it says yes, the transport fails as cancelled.
    void stopWhen(std::function<bool()> isWanted) { m_isStopWanted = std::move(isWanted); }
    // After a failure, the last call of a process: process 0 returns when all others have made it, so that they have
    // tidied up, or after so long; the others at once.
    void leave(std::chrono::milliseconds longest);

    const Traffic& traffic() const { return m_traffic; }

private:
    struct Heading;  // of a piece: which message it belongs to
    struct Outgoing {
        std::uint16_t tag;
        Payload bytes;
    };
    struct Peer {
        std::deque<Outgoing> waiting;
        std::size_t underWay = 0;
    };
    struct Partial {
        Payload bytes;  // up to the furthest that has come
        std::size_t total = 0;
        std::size_t come = 0;
    };
    using TreeKey = std::pair<std::uint64_t, int>;  // number of the collective call, process

    std::uint16_t tagOf(std::uint16_t pass) const;
    void dispatch(int to, std::uint16_t tag, std::uint64_t number, Payload bytes);
    void push(int to);
    // Posts what waits for room where pieces were taken; true if any was.
    bool noteLanded();
    // The same, and takes what has come of that tag.
    bool step(std::uint16_t tag);
    void arrived(Piece piece);
    void deliver(int from, std::uint16_t tag, std::uint64_t number, Payload bytes);
    void hearFailure();
    void hearStop();
    void waitFor(std::uint16_t tag, const std::function<bool()>& done, WakeOn wakeOn = WakeOn::Pieces);
    bool nothingUnderWay(std::uint16_t tag) const;
    void barrier(std::uint16_t passTag, const std::function<void()>& meanwhile);

    void sendInTree(int to, std::uint64_t number, Payload bytes);
    Payload takeInTree(int from, std::uint64_t number);
    std::vector<int> children() const;
    int parent() const { return m_process & (m_process - 1); }

    std::unique_ptr<Wire> m_wire;
    TransportLimits m_limits;
    int m_process;
    int m_processes;
    std::optional<Error> m_failure;
    std::function<bool()> m_isStopWanted;
    Traffic m_traffic;

    std::vector<Peer> m_peers;
    std::vector<int> m_held;                                      // peers with pieces that wait
    std::unordered_map<std::uint16_t, std::size_t> m_unfinished;  // by tag: tracked pieces that nobody has taken yet
    std::unordered_map<std::uint16_t, bool> m_odd;  // by pass: whether it has ended an odd number of times
    std::unordered_map<std::uint16_t, std::deque<Incoming>> m_come;
    std::map<std::tuple<int, std::uint16_t, std::uint64_t>, Partial> m_partial;
    std::map<TreeKey, Payload> m_tree;
    std::map<TreeKey, bool> m_barrierCalls;
    std::uint64_t m_messages = 0;     // sent so far, which numbers them
    std::uint64_t m_collectives = 0;  // called so far
    std::uint64_t m_barriers = 0;
    std::chrono::steady_clock::time_point m_lastSign;  // as of the first look at the clock after it
    bool m_hasSign = false;                            // of life since
    unsigned m_emptyRounds = 0;
    unsigned m_pulses = 0;
};

// Values of one type, merged element by element: merge(T& into, const T& from).
template <typename T, typename MergeOne>
void reduceValues(Transport& transport, std::span<T> values, MergeOne mergeOne, Receiver receiver = Receiver::Everyone)
{
    static_assert(std::is_trivially_copyable_v<T>);
    const auto merge = [&](std::byte* into, const std::byte* from, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            T one, other;
            std::memcpy(&one, into + i * sizeof(T), sizeof(T));
            std::memcpy(&other, from + i * sizeof(T), sizeof(T));
            mergeOne(one, other);
            std::memcpy(into + i * sizeof(T), &one, sizeof(T));
        }
    };
    transport.reduce(std::as_writable_bytes(values), sizeof(T), merge, receiver);
}

// One value of each process, merged on all.
template <typename T, typename MergeOne>
T reduceOne(Transport& transport, T value, MergeOne mergeOne)
{
    reduceValues(transport, std::span<T>(&value, 1), mergeOne);
    return value;
}

}  // namespace longpole
