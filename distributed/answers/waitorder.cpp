// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/waitorder.h"

#include "analysis/mpi/delayparts.h"
#include "distributed/answers/tiedtasks.h"
#include "distributed/transport/records.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

// For process 0, which puts them in order.
struct OrderedWait {
    TimeNs end = 0;
    TiedWait wait;
};

// The latest first, as one process goes through them that knows all.
void orderWaits(std::vector<OrderedWait>& waits)
{
    std::sort(waits.begin(), waits.end(), [](const OrderedWait& a, const OrderedWait& b) {
        return std::tie(a.end, a.wait.rank, a.wait.place) > std::tie(b.end, b.wait.rank, b.wait.place);
    });
    std::vector<TiedWait> tie;
    for (std::size_t first = 0, last = 0; first < waits.size(); first = last) {
        tie.clear();
        for (; last < waits.size() && waits[last].end == waits[first].end; ++last) tie.push_back(waits[last].wait);
        if (tie.size() < 2) continue;
        orderTiedWaits(tie);
        for (std::size_t i = 0; i < tie.size(); ++i) waits[first + i].wait = tie[i];
    }
}

// The hosted ones; those that end at one of these times, or all.
std::vector<OrderedWait> hostedWaits(const CauseRecords& records, std::optional<std::span<const TimeNs>> instants)
{
    std::vector<OrderedWait> waits;
    for (std::uint32_t rank = 0; rank < records.ranks.size(); ++rank) {
        const WaitRank& own = records.ranks[rank];
        for (std::uint32_t place = 0; place < own.waits.size(); ++place) {
            const WaitCall& wait = own.waits[place];
            const TimeNs end = own.calls.wait(wait.call).end;
            if (instants && !std::binary_search(instants->begin(), instants->end(), end)) continue;
            waits.push_back({end, {records.first + rank, place, wait.call, wait.culprit, wait.culpritCall}});
        }
    }
    return waits;
}

// Of all processes, in order, at process 0; elsewhere none.
std::vector<OrderedWait> orderedWaits(Transport& transport, const std::vector<OrderedWait>& hosted)
{
    std::vector<OrderedWait> all;
    for (const Payload& bytes : transport.gather(toBytes(hosted))) {
        const auto part = recordsOf<OrderedWait>(transport, bytes);
        all.insert(all.end(), part.begin(), part.end());
    }
    orderWaits(all);
    return all;
}

}  // namespace

WaitSet waitsBeyond(Transport& transport, const CauseRecords& records, const std::vector<CountedCauses>& causes,
                    const Limit& most)
{
    struct Sums {
        std::int64_t waits = 0, causes = 0;
    };
    Sums sums;
    for (const WaitRank& rank : records.ranks) sums.waits += static_cast<std::int64_t>(rank.waits.size());
    for (const CountedCauses& one : causes) sums.causes = saturatingAdd(sums.causes, one.causes);
    sums = reduceOne(transport, sums, [](Sums& into, const Sums& from) {
        into.waits = saturatingAdd(into.waits, from.waits);
        into.causes = saturatingAdd(into.causes, from.causes);
    });
    const std::int64_t mostCauses = most.of(std::max<std::int64_t>(0, sums.waits));
    if (sums.causes <= mostCauses) return {};
    // The process of a culprit knows the causes, that of the wait what else the order follows from.
    const std::vector<OrderedWait> all = orderedWaits(transport, hostedWaits(records, {}));
    const std::vector<Payload> parts = transport.gather(toBytes(causes));
    std::vector<std::uint64_t> beyond;
    if (transport.isRoot()) {
        WaitPlaces known;
        for (const Payload& bytes : parts)
            for (const CountedCauses& one : recordsOf<CountedCauses>(transport, bytes)) known[one.wait] = one.causes;
        std::int64_t left = mostCauses;
        for (const OrderedWait& one : all) {
            const auto found = known.find(keyOfWait(one.wait.rank, one.wait.place));
            if (found == known.end()) continue;
            if (found->second > left) beyond.push_back(found->first);
            else left -= found->second;
        }
    }
    const auto told = recordsOf<std::uint64_t>(transport, transport.broadcast(toBytes(beyond)));
    return {told.begin(), told.end()};
}

WaitPlaces orderOfTies(Transport& transport, const CauseRecords& records, std::vector<TimeNs> instants)
{
    const std::vector<TimeNs> common = commonInstants(transport, std::move(instants));
    if (common.empty() || transport.failed()) return {};
    std::vector<std::uint64_t> order;
    for (const OrderedWait& one : orderedWaits(transport, hostedWaits(records, std::span(common))))
        order.push_back(keyOfWait(one.wait.rank, one.wait.place));
    order = recordsOf<std::uint64_t>(transport, transport.broadcast(toBytes(order)));
    WaitPlaces places;
    for (std::uint32_t i = 0; i < order.size(); ++i) places[order[i]] = i;
    return places;
}

}  // namespace longpole
