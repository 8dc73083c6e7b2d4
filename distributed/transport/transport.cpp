// SPDX-License-Identifier: GPL-3.0-or-later
// Messages over a wire: cut into pieces, not too many at once to one process, put together again; the end of a pass;
// and the failure that reaches everybody. Trees are in trees.cpp.
#include "distributed/transport/transport.h"

#include "core/base/translate.h"
#include "distributed/transport/errortext.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string>

namespace longpole {

namespace {

// Two tags for each pass: while slow processes are still ending it, fast ones may have begun it anew. Never three, as
// nobody ends the next one before everybody has begun to.
constexpr std::uint16_t failureTag = highestTag;
constexpr std::uint16_t barrierTag = highestTag - 1;
constexpr std::uint16_t treeTag = highestTag - 2;
constexpr std::uint16_t leavingTag = highestTag - 3;
static_assert(2 * (Transport::highestPass + 1) < leavingTag);

constexpr unsigned eagerRounds = 64;  // without a sign of life before a process lets others run
constexpr unsigned impatientRounds = 1024;
constexpr unsigned pulsesPerLook = 256;

std::chrono::microseconds restAfter(unsigned emptyRounds)
{
    if (emptyRounds < eagerRounds) return std::chrono::microseconds(0);
    return std::chrono::microseconds(emptyRounds < impatientRounds ? 20 : 200);
}

}  // namespace

// Behind the bytes of each piece, so that most messages need no copy.
struct Transport::Heading {
    std::uint64_t number = 0;  // of the message, among the sender's
    std::uint64_t total = 0;   // bytes of the message
    std::uint64_t offset = 0;  // of this piece in it
};

Transport::Transport(std::unique_ptr<Wire> wire, TransportLimits limits)
    : m_wire(std::move(wire)), m_limits(limits), m_process(m_wire->process()), m_processes(m_wire->processes()),
      m_peers(static_cast<std::size_t>(m_processes)), m_lastSign(std::chrono::steady_clock::now())
{
}

Transport::~Transport()
{
    const auto isAllTaken = [this] {
        return m_held.empty() && std::all_of(m_unfinished.begin(), m_unfinished.end(), [](const auto& ofTag) {
                   return ofTag.second == 0;
               });
    };
    waitFor(barrierTag, isAllTaken, WakeOn::PiecesAndLandings);
}

std::uint16_t Transport::tagOf(std::uint16_t pass) const
{
    assert(pass <= highestPass);
    const auto found = m_odd.find(pass);
    return static_cast<std::uint16_t>(2 * pass + (found != m_odd.end() && found->second ? 1 : 0));
}

void Transport::send(int to, std::uint16_t pass, Payload bytes)
{
    if (failed()) return;
    const std::uint16_t tag = tagOf(pass);
    if (to == m_process) {
        m_come[tag].push_back({m_process, std::move(bytes)});
        return;
    }
    ++m_traffic.messages;
    m_traffic.bytes += bytes.size();
    dispatch(to, tag, m_messages++, std::move(bytes));
}

void Transport::dispatch(int to, std::uint16_t tag, std::uint64_t number, Payload bytes)
{
    Peer& peer = m_peers[static_cast<std::size_t>(to)];
    const bool wasIdle = peer.waiting.empty();
    const auto add = [&](Payload piece, std::size_t total, std::size_t offset) {
        const Heading heading{number, total, offset};
        const std::size_t length = piece.size();
        piece.resize(length + sizeof(Heading));
        std::memcpy(piece.data() + length, &heading, sizeof(Heading));
        peer.waiting.push_back({tag, std::move(piece)});
        ++m_unfinished[tag];
    };
    const std::size_t total = bytes.size();
    if (total <= m_limits.pieceBytes) {
        add(std::move(bytes), total, 0);
    } else {
        for (std::size_t offset = 0; offset < total; offset += m_limits.pieceBytes) {
            const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
            const auto length = static_cast<std::ptrdiff_t>(std::min(m_limits.pieceBytes, total - offset));
            add(Payload(first, first + length), total, offset);
        }
    }
    push(to);
    if (wasIdle && !peer.waiting.empty()) m_held.push_back(to);
}

void Transport::push(int to)
{
    Peer& peer = m_peers[static_cast<std::size_t>(to)];
    while (!peer.waiting.empty() && peer.underWay < m_limits.piecesUnderWay) {
        Outgoing outgoing = std::move(peer.waiting.front());
        peer.waiting.pop_front();
        ++peer.underWay;
        m_wire->post(to, outgoing.tag, std::move(outgoing.bytes), true);
    }
}

bool Transport::noteLanded()
{
    bool happened = false;
    for (const Landed& landed : m_wire->landed()) {
        happened = true;
        --m_peers[static_cast<std::size_t>(landed.to)].underWay;
        --m_unfinished[landed.tag];
    }
    if (happened && !m_held.empty()) {
        for (const int to : m_held) push(to);
        std::erase_if(m_held, [this](int to) { return m_peers[static_cast<std::size_t>(to)].waiting.empty(); });
    }
    return happened;
}

bool Transport::step(std::uint16_t tag)
{
    bool happened = noteLanded();
    if (std::optional<Piece> piece = m_wire->take(tag)) {
        arrived(std::move(*piece));
        happened = true;
    }
    if (happened) {
        m_hasSign = true;
        m_emptyRounds = 0;
    }
    return happened;
}

void Transport::arrived(Piece piece)
{
    Heading heading;
    const auto malformed = [&] {
        fail({.what = tr("A message of process %1 is damaged.").arg(piece.from), .where = {}, .hint = {}});
    };
    if (piece.bytes.size() < sizeof(Heading)) return malformed();
    const std::size_t length = piece.bytes.size() - sizeof(Heading);
    std::memcpy(&heading, piece.bytes.data() + length, sizeof(Heading));
    if (heading.total > m_limits.messageBytes || heading.offset > heading.total
        || length > heading.total - heading.offset)
        return malformed();
    piece.bytes.resize(length);
    if (length == heading.total) return deliver(piece.from, piece.tag, heading.number, std::move(piece.bytes));
    const auto at = m_partial.try_emplace({piece.from, piece.tag, heading.number}).first;
    Partial& partial = at->second;
    if (partial.total == 0) partial.total = heading.total;
    // Pieces that pass each other are no more than are under way, so there is room for what has come and these, with a
    // factor for growth: not for all that a process says will come.
    const std::size_t furthest = partial.come + m_limits.piecesUnderWay * m_limits.pieceBytes;
    if (partial.total != heading.total || length == 0 || length > heading.total - partial.come
        || heading.offset > furthest || length > m_limits.pieceBytes)
        return malformed();
    constexpr std::size_t growth = 4;
    if (heading.offset + length > partial.bytes.size()) {
        partial.bytes.reserve(std::min<std::size_t>(heading.total, growth * (furthest + length)));
        partial.bytes.resize(heading.offset + length);
    }
    std::copy(piece.bytes.begin(), piece.bytes.end(),
              partial.bytes.begin() + static_cast<std::ptrdiff_t>(heading.offset));
    partial.come += length;
    if (partial.come < heading.total) return;
    if (partial.bytes.size() < heading.total) return malformed();
    Payload whole = std::move(partial.bytes);
    m_partial.erase(at);
    deliver(piece.from, piece.tag, heading.number, std::move(whole));
}

void Transport::deliver(int from, std::uint16_t tag, std::uint64_t number, Payload bytes)
{
    if (tag == barrierTag) {
        m_barrierCalls[{number, from}] = true;
    } else if (tag == treeTag) {
        m_tree[{number, from}] = std::move(bytes);
    } else {
        ++m_traffic.takenMessages;
        m_traffic.takenBytes += bytes.size();
        m_come[tag].push_back({from, std::move(bytes)});
    }
}

void Transport::waitFor(std::uint16_t tag, const std::function<bool()>& done, WakeOn wakeOn)
{
    using Clock = std::chrono::steady_clock;
    std::optional<Clock::time_point> since;
    m_hasSign = true;
    while (!failed() && !done()) {
        if (step(tag)) continue;
        hearFailure();
        hearStop();
        if (failed()) break;
        const Clock::time_point now = Clock::now();
        if (!since) since = now;
        if (std::exchange(m_hasSign, false)) m_lastSign = now;
        if (now - m_lastSign > m_limits.wait) {
            const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(m_limits.wait).count();
            fail({.what = tr("Process %1 has heard nothing of the others for %2 s.").arg(m_process).arg(seconds),
                  .where = {},
                  .hint = tr("One of them may hang, or its machine be gone.")});
            break;
        }
        m_wire->rest(restAfter(++m_emptyRounds), m_held.empty() ? wakeOn : WakeOn::PiecesAndLandings);
    }
    if (since) m_traffic.waited += Clock::now() - *since;
}

std::optional<Incoming> Transport::receive(std::uint16_t pass, Wait wait)
{
    if (failed()) return {};
    const std::uint16_t tag = tagOf(pass);
    std::deque<Incoming>& come = m_come[tag];  // stays where it is: nodes of an unordered_map do
    if (wait == Wait::Yes) {
        waitFor(tag, [&] { return !come.empty(); });
    } else if (come.empty()) {
        while (step(tag) && come.empty() && !failed()) {}
        if (come.empty()) pulse();
    }
    if (failed() || come.empty()) return {};
    Incoming first = std::move(come.front());
    come.pop_front();
    return first;
}

bool Transport::nothingUnderWay(std::uint16_t tag) const
{
    const auto found = m_unfinished.find(tag);
    return found == m_unfinished.end() || found->second == 0;
}

void Transport::quiet(std::uint16_t pass, const Take& take)
{
    const std::uint16_t tag = tagOf(pass);
    std::deque<Incoming>& come = m_come[tag];
    const auto handOn = [&] {
        while (!come.empty() && !failed()) {
            Incoming first = std::move(come.front());
            come.pop_front();
            take(first.from, std::move(first.bytes));
        }
    };
    const auto isAllTaken = [&] {
        handOn();
        return nothingUnderWay(tag);
    };
    waitFor(tag, isAllTaken, WakeOn::PiecesAndLandings);
    barrier(tag, handOn);
    if (failed()) return;
    handOn();
    m_unfinished.erase(tag);
    m_odd[pass] = !m_odd[pass];
}

// Everybody has called it when it returns; ceil(log2 processes) messages each, in which process p hears of twice as
// many as in the one before.
void Transport::barrier(std::uint16_t passTag, const std::function<void()>& meanwhile)
{
    const std::uint64_t number = m_barriers++ << 6u;
    for (std::uint64_t round = 0; (1LL << round) < m_processes && !failed(); ++round) {
        const int distance = 1 << round;
        const TreeKey key{number + round, (m_process - distance + m_processes) % m_processes};
        dispatch((m_process + distance) % m_processes, barrierTag, number + round, {});
        waitFor(barrierTag, [&] {
            step(passTag);
            meanwhile();
            return m_barrierCalls.contains(key);
        });
        m_barrierCalls.erase(key);
    }
}

void Transport::exchange(std::uint16_t pass, std::vector<Payload> to, const Take& take)
{
    assert(to.size() == static_cast<std::size_t>(m_processes));
    if (failed()) return;
    for (int distance = 1; distance <= m_processes; ++distance) {  // not all to process 0 first
        const int peer = (m_process + distance) % m_processes;
        Payload& bytes = to[static_cast<std::size_t>(peer)];
        if (!bytes.empty()) send(peer, pass, std::move(bytes));
    }
    quiet(pass, take);
}

void Transport::finish()
{
    barrier(barrierTag, [] {});
}

void Transport::fail(Error error)
{
    if (failed()) return;
    if (m_processes > 1 && error.where.isEmpty()) error.where = tr("process %1 of %2").arg(m_process).arg(m_processes);
    const Payload bytes = toBytes(error);
    m_failure = std::move(error);
    for (int to = 0; to < m_processes; ++to)
        if (to != m_process) m_wire->post(to, failureTag, bytes, false);
}

void Transport::hearFailure()
{
    if (failed()) return;
    if (const std::optional<Piece> piece = m_wire->take(failureTag)) m_failure = errorFromBytes(piece->bytes);
}

void Transport::hearStop()
{
    if (!failed() && m_isStopWanted && m_isStopWanted()) fail(cancelledError());
}

void Transport::leave(std::chrono::milliseconds longest)
{
    if (!failed() || m_processes == 1) return;
    if (m_process != 0) return m_wire->post(0, leavingTag, Payload(1), false);
    const auto until = std::chrono::steady_clock::now() + longest;
    for (int left = m_processes - 1; left > 0 && std::chrono::steady_clock::now() < until;) {
        if (m_wire->take(leavingTag)) --left;
        else m_wire->rest(std::chrono::microseconds(200), WakeOn::Pieces);
    }
}

void Transport::pulse()
{
    if (++m_pulses % pulsesPerLook == 0) {
        hearFailure();
        hearStop();
    }
    if (!m_held.empty()) noteLanded();
}

}  // namespace longpole
