// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpi/collectivebytes.h"

#include "core/base/timerange.h"

#include <algorithm>

namespace longpole {
namespace {

std::int64_t times(std::int64_t bytes, std::int64_t count)
{
    std::int64_t product = 0;
    return __builtin_mul_overflow(bytes, count, &product) ? maxTime : product;
}

// The bytes of all other members, where each has an equal part of `bytes`.
std::int64_t withoutOwn(std::int64_t bytes, std::int64_t members) { return bytes - bytes / members; }

MpiMoved fromTo(bool isSender, std::int64_t sent, std::int64_t received)
{
    return isSender ? MpiMoved{sent, 0} : MpiMoved{0, received};
}

}  // namespace

MpiMoved movedByArgument(CollectiveShape shape, const CollectiveMember& member, std::int64_t bytes)
{
    if (bytes < 0) return {-1, -1};
    const std::int64_t n = std::max<std::int64_t>(member.members, 1);
    const std::int64_t evenly = withoutOwn(bytes, n);
    switch (shape) {
    case CollectiveShape::None: return {};
    case CollectiveShape::Bcast: return fromTo(member.isRoot, times(bytes, n - 1), bytes);
    case CollectiveShape::Scatter: return fromTo(member.isRoot, evenly, bytes);
    case CollectiveShape::Gather: return fromTo(!member.isRoot, bytes, evenly);
    case CollectiveShape::Reduce: return fromTo(!member.isRoot, bytes, times(bytes, n - 1));
    case CollectiveShape::Allreduce: return {times(bytes, n - 1), times(bytes, n - 1)};
    case CollectiveShape::Allgather:
    case CollectiveShape::Alltoall:
    case CollectiveShape::ReduceScatter: return {evenly, evenly};
    case CollectiveShape::Scan:
    case CollectiveShape::Exscan: return {times(bytes, n - 1 - member.place), times(bytes, member.place)};
    case CollectiveShape::Neighbours: return {bytes, bytes};
    }
    return {};
}

MpiMoved movedByScoreP(CollectiveShape shape, const CollectiveMember& member, MpiMoved counted)
{
    const std::int64_t n = std::max<std::int64_t>(member.members, 1);
    const std::int64_t both = saturatingAdd(counted.sent, counted.received);
    switch (shape) {
    case CollectiveShape::None: return {};
    case CollectiveShape::Bcast:
    case CollectiveShape::Scatter:
        return fromTo(member.isRoot, std::max<std::int64_t>(counted.sent - counted.received, 0), counted.received);
    case CollectiveShape::Gather:
    case CollectiveShape::Reduce:
        return fromTo(!member.isRoot, counted.sent, std::max<std::int64_t>(counted.received - counted.sent, 0));
    case CollectiveShape::Allreduce: return {times(both / 2, n - 1), times(both / 2, n - 1)};
    case CollectiveShape::Allgather:
        return {withoutOwn(counted.sent, n), std::max<std::int64_t>(counted.received - counted.sent / n, 0)};
    case CollectiveShape::Alltoall: return {withoutOwn(counted.sent, n), withoutOwn(counted.received, n)};
    case CollectiveShape::ReduceScatter: return {withoutOwn(counted.sent, n), times(counted.received, n - 1)};
    case CollectiveShape::Scan: {
        const std::int64_t part = both / n;
        return {times(part, n - 1 - member.place), times(part, member.place)};
    }
    case CollectiveShape::Exscan: {
        const std::int64_t part = both / std::max<std::int64_t>(n - 1, 1);
        return {times(part, n - 1 - member.place), times(part, member.place)};
    }
    case CollectiveShape::Neighbours: return counted;
    }
    return {};
}

}  // namespace longpole
