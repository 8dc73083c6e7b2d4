// SPDX-License-Identifier: GPL-3.0-or-later
// What every transport must do: each process sends what the others can compute themselves.
#include "distributed/transport/checks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace longpole {

namespace {

Payload bytesOf(std::uint64_t seed, std::size_t length)
{
    std::mt19937_64 random(seed);
    Payload bytes(length);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
}

// The length of message i from one process to another, and what it holds, which both ends can tell.
std::size_t drawnLength(std::uint64_t seed) { return std::mt19937_64(seed)() % 200; }
std::uint64_t seedOf(int from, int to, std::uint64_t i)
{
    return (static_cast<std::uint64_t>(from) << 40u) + (static_cast<std::uint64_t>(to) << 20u) + i;
}

// Messages with their seed in front, so that the receiver knows what should have come.
Payload numbered(std::uint64_t seed)
{
    Payload bytes = bytesOf(seed, sizeof(seed) + drawnLength(seed));
    std::memcpy(bytes.data(), &seed, sizeof(seed));
    return bytes;
}
QString wrongWith(int from, int to, const Payload& bytes, std::map<std::uint64_t, int>& times)
{
    std::uint64_t seed = 0;
    if (bytes.size() < sizeof(seed)) return QStringLiteral("a short message");
    std::memcpy(&seed, bytes.data(), sizeof(seed));
    if (seed >> 20u != seedOf(from, to, 0) >> 20u) return QStringLiteral("a message for another process");
    if (bytes != numbered(seed)) return QStringLiteral("a message that was changed");
    return ++times[seed] == 1 ? QString() : QStringLiteral("a message that came twice");
}

// Every process sends 30 messages to each, itself too, and takes some in between; the pass is ended, three times.
QString everyMessageOnce(Transport& transport)
{
    const int self = transport.process();
    for (int pass = 0; pass < 3; ++pass) {
        std::map<std::uint64_t, int> times;
        QString wrong;
        const auto note = [&](int from, const Payload& bytes) {
            const QString found = wrongWith(from, self, bytes, times);
            if (!found.isEmpty()) wrong = found;
        };
        for (std::uint64_t i = 0; i < 30; ++i)
            for (int to = 0; to < transport.processes(); ++to) {
                transport.send(to, 5, numbered(seedOf(self, to, i)));
                if (i % 3 == 0)
                    if (const auto come = transport.receive(5, Wait::No)) note(come->from, come->bytes);
            }
        transport.quiet(5, [&](int from, const Payload& bytes) { note(from, bytes); });
        if (!wrong.isEmpty()) return wrong;
        if (times.size() != 30u * static_cast<std::size_t>(transport.processes()))
            return QStringLiteral("%1 messages in pass %2").arg(times.size()).arg(pass);
    }
    return {};
}

// Passes of the same number follow each other without a pause; some pairs send nothing.
QString exchanges(Transport& transport)
{
    const int self = transport.process();
    const int count = transport.processes();
    for (std::uint64_t round = 0; round < 40; ++round) {
        std::vector<Payload> to(static_cast<std::size_t>(count));
        const auto isSent = [&](int from, int peer) { return (from + 2 * peer + static_cast<int>(round)) % 3 != 0; };
        for (int peer = 0; peer < count; ++peer)
            if (isSent(self, peer)) to[static_cast<std::size_t>(peer)] = bytesOf(seedOf(self, peer, round), 1 + round);
        std::vector<int> times(static_cast<std::size_t>(count));
        bool isSame = true;
        transport.exchange(7, std::move(to), [&](int from, const Payload& bytes) {
            ++times[static_cast<std::size_t>(from)];
            isSame = isSame && bytes == bytesOf(seedOf(from, self, round), 1 + round);
        });
        if (!isSame) return QStringLiteral("round %1 brought other bytes").arg(round);
        for (int from = 0; from < count; ++from)
            if (times[static_cast<std::size_t>(from)] != (isSent(from, self) ? 1 : 0))
                return QStringLiteral("round %1: %2 pieces of %3")
                    .arg(round)
                    .arg(times[static_cast<std::size_t>(from)])
                    .arg(from);
    }
    return {};
}

// Values are answered until nobody has any: what is sent because something came still arrives before the pass ends.
QString answers(Transport& transport)
{
    const int count = transport.processes();
    const std::uint32_t steps = 200;
    std::uint32_t seen = 0;
    if (transport.isRoot()) transport.send(1 % count, 9, Payload(4));
    while (seen < steps) {
        const auto come = transport.receive(9, Wait::Yes);
        if (!come) return QStringLiteral("nothing came");
        std::uint32_t value = 0;
        std::memcpy(&value, come->bytes.data(), 4);
        if (value >= steps * static_cast<std::uint32_t>(count)) break;
        ++seen;
        ++value;
        if (value == steps * static_cast<std::uint32_t>(count)) break;
        Payload next(4);
        std::memcpy(next.data(), &value, 4);
        transport.send((transport.process() + 1) % count, 9, std::move(next));
    }
    int late = 0;
    transport.quiet(9, [&](int, const Payload&) { ++late; });
    if (late != 0) return QStringLiteral("%1 messages too many").arg(late);
    return seen == steps ? QString() : QStringLiteral("%1 of %2 steps").arg(seen).arg(steps);
}

// Sums and the least of pairs, over more than a block, to everybody and to process 0 alone.
QString reductions(Transport& transport)
{
    struct Least {
        std::int64_t value, where;
    };
    const int count = transport.processes();
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{1000}}) {
        std::vector<std::int64_t> sums(length);
        std::vector<Least> least(length);
        for (std::size_t i = 0; i < length; ++i) {
            sums[i] = transport.process() + static_cast<std::int64_t>(i);
            least[i] = {(std::int64_t{transport.process()} * 7 + static_cast<std::int64_t>(i)) % 5,
                        transport.process()};
        }
        std::vector<Least> expected = least;
        for (std::size_t i = 0; i < length; ++i) {
            expected[i] = {100, -1};
            for (int process = 0; process < count; ++process) {
                const std::int64_t value = (std::int64_t{process} * 7 + static_cast<std::int64_t>(i)) % 5;
                if (value < expected[i].value) expected[i] = {value, process};
            }
        }
        reduceValues(transport, std::span(sums), [](std::int64_t& one, std::int64_t other) { one += other; });
        reduceValues(
            transport, std::span(least),
            [](Least& one, const Least& other) {
                if (std::tie(other.value, other.where) < std::tie(one.value, one.where)) one = other;
            },
            Receiver::Root);
        for (std::size_t i = 0; i < length; ++i) {
            if (sums[i] != count * (count - 1) / 2 + count * static_cast<std::int64_t>(i))
                return QStringLiteral("sum %1 of %2 is %3").arg(i).arg(length).arg(sums[i]);
            if (transport.isRoot() && (least[i].value != expected[i].value || least[i].where != expected[i].where))
                return QStringLiteral("least %1 of %2 is of process %3").arg(i).arg(length).arg(least[i].where);
        }
    }
    return {};
}

QString broadcastsAndGathers(Transport& transport)
{
    for (const std::size_t length : {0, 1, 100, 5000}) {
        const Payload told = transport.broadcast(transport.isRoot() ? bytesOf(length, length) : Payload());
        if (told != bytesOf(length, length)) return QStringLiteral("broadcast of %1 bytes").arg(length);
        const auto own = static_cast<std::uint64_t>(transport.process());
        const std::vector<Payload> all = transport.gather(bytesOf(own, length + own));
        if (!transport.isRoot()) {
            if (!all.empty()) return QStringLiteral("gathered elsewhere");
            continue;
        }
        if (all.size() != static_cast<std::size_t>(transport.processes()))
            return QStringLiteral("%1 gathered").arg(all.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i] != bytesOf(i, length + i)) return QStringLiteral("bytes of process %1").arg(i);
    }
    return {};
}

// Long messages of everybody to everybody, none of which is taken before all were sent.
QString manyLongMessages(Transport& transport)
{
    const int self = transport.process();
    for (std::uint64_t i = 0; i < 12; ++i)
        for (int to = 0; to < transport.processes(); ++to) transport.send(to, 11, bytesOf(seedOf(self, to, i), 3000));
    std::uint64_t bytes = 0;
    transport.quiet(11, [&](int, const Payload& come) { bytes += come.size(); });
    const auto expected = std::uint64_t{12} * 3000 * static_cast<std::uint64_t>(transport.processes());
    return bytes == expected ? QString() : QStringLiteral("%1 of %2 bytes").arg(bytes).arg(expected);
}

// What is sent is taken, over all processes.
QString traffic(Transport& transport)
{
    for (int to = 0; to < transport.processes(); ++to)
        transport.send(to, 13,
                       bytesOf(1, std::size_t{10} * static_cast<std::size_t>(transport.process())
                                      + static_cast<std::size_t>(to)));
    transport.quiet(13, [](int, const Payload&) {});
    const Traffic& own = transport.traffic();
    std::array<std::uint64_t, 4> sums{own.messages, own.bytes, own.takenMessages, own.takenBytes};
    reduceValues(transport, std::span<std::uint64_t>(sums),
                 [](std::uint64_t& one, std::uint64_t other) { one += other; });
    if (sums[0] != sums[2] || sums[1] != sums[3])
        return QStringLiteral("%1 messages of %2 bytes sent, %3 of %4 taken")
            .arg(sums[0])
            .arg(sums[1])
            .arg(sums[2])
            .arg(sums[3]);
    return {};
}

}  // namespace

std::span<const TransportCheck> transportChecks()
{
    static constexpr TransportCheck checks[] = {
        {"every message once", everyMessageOnce},
        {"exchanges", exchanges},
        {"answers", answers},
        {"reductions", reductions},
        {"broadcasts and gathers", broadcastsAndGathers},
        {"many long messages", manyLongMessages},
        {"traffic", traffic},
    };
    return checks;
}

}  // namespace longpole
