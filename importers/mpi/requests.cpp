// SPDX-License-Identifier: GPL-3.0-or-later
// Requests by serial, and the calls of several threads as those of one rank.
#include "importers/mpi/requests.h"

#include "core/base/drawnhash.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

// By thread: where its calls, sends, receives and parts went in the joined rank.
struct Joined {
    std::vector<std::vector<std::uint32_t>> call;  // by thread, own number
};

Joined joinCalls(const std::vector<MpiCalls>& threads, MpiRank& rank)
{
    struct Place {
        TimeNs begin;
        std::uint32_t thread, call;
    };
    std::vector<Place> places;
    Joined joined;
    for (std::uint32_t thread = 0; thread < threads.size(); ++thread) {
        const std::vector<MpiCall>& calls = threads[thread].rank.calls;
        for (std::uint32_t call = 0; call < calls.size(); ++call) places.push_back({calls[call].begin, thread, call});
        joined.call.emplace_back(calls.size());
    }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return std::tie(a.begin, a.thread, a.call) < std::tie(b.begin, b.thread, b.call);
    });
    rank.calls.reserve(places.size());
    for (const Place& place : places) {
        joined.call[place.thread][place.call] = static_cast<std::uint32_t>(rank.calls.size());
        rank.calls.push_back(threads[place.thread].rank.calls[place.call]);
    }
    return joined;
}

// Joins what the threads started (sends, say) in the order of their calls. Returns, by thread and own number, where
// each one went.
template <typename Part>
std::vector<std::vector<std::uint32_t>> joinParts(const std::vector<MpiCalls>& threads, const Joined& joined,
                                                  std::vector<Part> MpiRank::*parts, MpiRank& rank)
{
    struct Place {
        std::uint32_t call, thread, index;
    };
    std::vector<Place> places;
    std::vector<std::vector<std::uint32_t>> renumbered;
    for (std::uint32_t thread = 0; thread < threads.size(); ++thread) {
        const std::vector<Part>& own = threads[thread].rank.*parts;
        for (std::uint32_t i = 0; i < own.size(); ++i) places.push_back({joined.call[thread][own[i].call], thread, i});
        renumbered.emplace_back(own.size());
    }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return std::tie(a.call, a.thread, a.index) < std::tie(b.call, b.thread, b.index);
    });
    for (const Place& place : places) {
        Part part = (threads[place.thread].rank.*parts)[place.index];
        part.call = place.call;
        if constexpr (requires { part.completion; }) {
            if (part.completion != noCall) part.completion = joined.call[place.thread][part.completion];
        }
        renumbered[place.thread][place.index] = static_cast<std::uint32_t>((rank.*parts).size());
        (rank.*parts).push_back(part);
    }
    return renumbered;
}

// A receive that became known late stands behind others: moves it to its place in the order of calls.
void sortReceives(MpiRank& rank)
{
    std::stable_sort(rank.receives.begin(), rank.receives.end(),
                     [](const MpiReceive& a, const MpiReceive& b) { return a.call < b.call; });
}

void applyUnknown(const std::vector<RequestEvent>& events, RequestTable& requests, MpiCalls& calls, ImportLog& log)
{
    bool isAdded = false;
    for (const RequestEvent& event : events) {
        if (calls.apply(event, requests)) continue;
        log.add(IssueKind::UnknownRequest);
        if (event.kind != RequestEvent::Kind::Received) continue;
        MpiReceive receive = event.receive;
        receive.call = receive.completion = event.call;
        calls.rank.receives.push_back(receive);
        isAdded = true;
    }
    if (isAdded) sortReceives(calls.rank);
}

}  // namespace

std::size_t RequestTable::home(std::int64_t request) const
{
    return static_cast<std::size_t>(drawnHash(static_cast<std::uint64_t>(request))) & (m_slots.size() - 1);
}

// Where the request is, or the empty slot where it would be.
std::size_t RequestTable::slotOf(std::int64_t request) const
{
    std::size_t slot = home(request);
    while (m_slots[slot].kind != RequestKind::None && m_slots[slot].request != request)
        slot = (slot + 1) & (m_slots.size() - 1);
    return slot;
}

void RequestTable::insert(const OpenRequest& request)
{
    if (2 * (m_size + 1) > m_slots.size()) {
        const std::vector<OpenRequest> old = std::exchange(m_slots, std::vector<OpenRequest>(2 * m_slots.size()));
        for (const OpenRequest& slot : old) {
            if (slot.kind != RequestKind::None) m_slots[slotOf(slot.request)] = slot;
        }
    }
    OpenRequest& slot = m_slots[slotOf(request.request)];
    if (slot.kind == RequestKind::None) ++m_size;
    slot = request;
}

std::optional<OpenRequest> RequestTable::find(std::int64_t request) const
{
    const OpenRequest& slot = m_slots[slotOf(request)];
    return slot.kind == RequestKind::None ? std::nullopt : std::optional(slot);
}

std::optional<OpenRequest> RequestTable::take(std::int64_t request)
{
    std::size_t hole = slotOf(request);
    if (m_slots[hole].kind == RequestKind::None) return std::nullopt;
    const OpenRequest taken = m_slots[hole];
    const std::size_t mask = m_slots.size() - 1;
    // Later slots that could fill the hole move up, so that a search from a slot's home never stops early.
    for (std::size_t next = (hole + 1) & mask; m_slots[next].kind != RequestKind::None; next = (next + 1) & mask) {
        if (((next - home(m_slots[next].request)) & mask) < ((next - hole) & mask)) continue;
        m_slots[hole] = m_slots[next];
        hole = next;
    }
    m_slots[hole] = {};
    --m_size;
    return taken;
}

std::vector<OpenRequest> RequestTable::open() const
{
    std::vector<OpenRequest> open;
    std::copy_if(m_slots.begin(), m_slots.end(), std::back_inserter(open),
                 [](const OpenRequest& slot) { return slot.kind != RequestKind::None; });
    return open;
}

bool MpiCalls::apply(const RequestEvent& event, RequestTable& requests)
{
    using Kind = RequestEvent::Kind;
    const std::optional<OpenRequest> request = requests.find(event.request);
    if (!request) return false;
    if (event.kind == Kind::Freed && request->kind == RequestKind::Receive) {
        requests.take(event.request);
        MpiReceive& receive = rank.receives[request->index];
        if (event.receive.isPlaced) {
            receive.comm = event.receive.comm;
            receive.from = event.receive.from;
            receive.tag = event.receive.tag;
            receive.isPlaced = true;
        }
        receive.isFreed = true;
        return true;
    }
    if (event.kind == Kind::Cancelled || event.kind == Kind::Freed) {  // stays: a Wait may complete it all the same
        if (request->kind == RequestKind::Send) rank.sends[request->index].isCancelled = true;
        if (request->kind == RequestKind::Receive) rank.receives[request->index].isCancelled = true;
        return true;
    }
    if (event.kind == Kind::ReceivedNothing) {
        if (request->kind != RequestKind::Receive) return false;
        requests.take(event.request);
        MpiReceive& receive = rank.receives[request->index];
        receive.isCancelled = receive.isEmpty = true;
        return true;
    }
    const bool isSend = event.kind == Kind::SendCompleted && request->kind == RequestKind::Send;
    const bool isReceive = event.kind == Kind::Received && request->kind == RequestKind::Receive;
    const bool isCollective = event.kind == Kind::CollectiveCompleted && request->kind == RequestKind::Collective;
    if (!isSend && !isReceive && !isCollective) return false;
    requests.take(event.request);
    if (isSend) {
        rank.sends[request->index].completion = event.call;
    } else if (isCollective) {
        rank.collectives[request->index].completion = event.call;
    } else {
        MpiReceive& receive = rank.receives[request->index];
        const std::uint32_t posted = receive.call;
        const bool isCancelled = receive.isCancelled;
        const bool isMatched = receive.isMatched;
        receive = event.receive;
        receive.call = posted;
        receive.isMatched = isMatched;
        receive.completion = event.call;
        receive.isCancelled = isCancelled;
    }
    return true;
}

MpiRank joinThreads(std::vector<MpiCalls>&& threads, ImportLog& log)
{
    std::erase_if(threads, [](const MpiCalls& calls) { return calls.rank.calls.empty(); });
    if (threads.empty()) return {};
    RequestTable requests;
    if (threads.size() == 1) {
        applyUnknown(std::exchange(threads[0].unknown, {}), requests, threads[0], log);
        return std::move(threads[0].rank);
    }
    MpiCalls all;
    const Joined joined = joinCalls(threads, all.rank);
    const auto sends = joinParts(threads, joined, &MpiRank::sends, all.rank);
    const auto receives = joinParts(threads, joined, &MpiRank::receives, all.rank);
    joinParts(threads, joined, &MpiRank::probes, all.rank);
    joinParts(threads, joined, &MpiRank::transfers, all.rank);
    joinParts(threads, joined, &MpiRank::windowSteps, all.rank);
    const auto collectives = joinParts(threads, joined, &MpiRank::collectives, all.rank);
    std::vector<RequestEvent> events;
    for (std::size_t thread = 0; thread < threads.size(); ++thread) {
        for (OpenRequest request : threads[thread].open) {
            const auto& renumbered = request.kind == RequestKind::Send      ? sends
                                     : request.kind == RequestKind::Receive ? receives
                                                                            : collectives;
            request.index = renumbered[thread][request.index];
            requests.insert(request);
        }
        for (RequestEvent event : threads[thread].unknown) {
            event.call = joined.call[thread][event.call];
            events.push_back(event);
        }
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const RequestEvent& a, const RequestEvent& b) { return a.call < b.call; });
    applyUnknown(events, requests, all, log);
    return std::move(all.rank);
}

}  // namespace longpole
