// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/hostedloop.h"

#include "core/base/translate.h"
#include "distributed/exchange/pack.h"
#include "distributed/transport/cancelled.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace longpole {

namespace {

void notWhole(Transport& transport)
{
    transport.fail(Error{tr("Places of calls did not arrive whole from another process."), QString(), QString()});
}

bool isOrdered(const std::vector<CallPlace>& places)
{
    for (std::size_t i = 1; i < places.size(); ++i)
        if (std::tie(places[i - 1].path, places[i - 1].call, places[i - 1].entry)
            >= std::tie(places[i].path, places[i].call, places[i].entry))
            return false;
    return true;
}

// At process 0 those of all ranks.
std::vector<CallPlace> gathered(Transport& transport, const std::vector<CallPlace>& own)
{
    Packer packer;
    packer.putTable(own, &CallPlace::path, &CallPlace::call, &CallPlace::entry, &CallPlace::count, &CallPlace::isEven,
                    &CallPlace::first, &CallPlace::last, &CallPlace::time);
    std::vector<CallPlace> all;
    for (const Payload& bytes : transport.gather(packer.take())) {
        Unpacker unpacker(bytes);
        const auto places = unpacker.table<CallPlace>(&CallPlace::path, &CallPlace::call, &CallPlace::entry,
                                                      &CallPlace::count, &CallPlace::isEven, &CallPlace::first,
                                                      &CallPlace::last, &CallPlace::time);
        if (unpacker.isWhole() && isOrdered(places)) all = joined(all, places);
        else notWhole(transport);
    }
    return all;
}

// At process 0 those of all ranks: `join` puts what two processes have together.
template <typename T, typename Join>
std::vector<T> gatheredNumbers(Transport& transport, const std::vector<T>& own, std::size_t most, Join join)
{
    Packer packer;
    packer.putNumbers(own);
    std::vector<T> all;
    for (const Payload& bytes : transport.gather(packer.take())) {
        Unpacker unpacker(bytes);
        const auto numbers = unpacker.numbers<T>();
        if (unpacker.isWhole() && numbers.size() <= most) all = join(all, numbers);
        else notWhole(transport);
    }
    return all;
}

std::vector<std::int64_t> largerOfBoth(std::vector<std::int64_t> a, const std::vector<std::int64_t>& b)
{
    if (a.size() < b.size()) a.resize(b.size(), 0);
    for (std::size_t i = 0; i < b.size(); ++i) a[i] = std::max(a[i], b[i]);
    return a;
}

// Process 0's, on all.
LoopCandidates told(Transport& transport, const LoopCandidates& candidates)
{
    Packer packer;
    packer.put(candidates.base);
    packer.put(candidates.loops);
    const Payload bytes = transport.broadcast(packer.take());
    Unpacker unpacker(bytes);
    LoopCandidates found;
    found.base = unpacker.value<LoopCandidate>();
    found.loops = unpacker.values<LoopCandidate>();
    if (!unpacker.isWhole() && !transport.failed()) notWhole(transport);
    return found;
}

CallLoop told(Transport& transport, const CallLoop& loop)
{
    Packer packer;
    packer.put(loop.path);
    packer.put(loop.call);
    packer.put(loop.entry);
    packer.put(loop.count);
    const Payload bytes = transport.broadcast(packer.take());
    Unpacker unpacker(bytes);
    CallLoop found = loop;  // the rest of it only process 0 needs
    found.path = unpacker.value<std::uint32_t>();
    found.call = unpacker.value<std::uint32_t>();
    found.entry = unpacker.value<std::uint32_t>();
    found.count = unpacker.value<std::int64_t>();
    return found;
}

// What one process has computed for all, or nothing after an error, which is then everybody's.
template <typename T>
std::vector<T> orNothing(Transport& transport, const Result<std::vector<T>>& own, const Progress& progress)
{
    failIfCancelled(transport, progress);
    if (own) return *own;
    if (!transport.failed()) transport.fail(own.error());
    return {};
}

}  // namespace

Result<std::optional<HostedLoop>> hostedLoop(Transport& transport, const TraceStore& store, const Progress& progress)
{
    const bool isRoot = transport.isRoot();
    const auto own = orNothing(transport, callPlaces(store, {}, progress), progress);
    const std::vector<CallPlace> places = gathered(transport, own);
    const LoopCandidates candidates = told(transport,
                                           loopCandidates(places, PlaceEntries(store)).value_or(LoopCandidates{}));
    const auto outside = gatheredNumbers(transport,
                                         orNothing(transport, callsOutside(store, {}, candidates, progress), progress),
                                         candidates.loops.size(), largerOfBoth);
    CallLoop loop;
    const bool isThere = isRoot && !outside.empty() && outside.size() == candidates.loops.size();
    if (isThere) loop = outermostLoop(places, candidates, outside).value_or(CallLoop{});
    loop = told(transport, loop);
    if (transport.failed()) return transport.failure();
    if (loop.count <= 0) return std::optional<HostedLoop>();
    HostedLoop found{.loop = loop, .marks = {}};
    found.marks = gatheredNumbers(transport, orNothing(transport, loopMarks(store, {}, loop, progress), progress),
                                  static_cast<std::size_t>(loop.count), firstOfBoth);
    if (transport.failed()) return transport.failure();
    return isRoot ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace longpole
