// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/tiedtasks.h"

#include "analysis/graph/tieorder.h"
#include "core/base/translate.h"
#include "distributed/exchange/pack.h"
#include "distributed/transport/records.h"

#include <algorithm>
#include <tuple>

namespace longpole {
namespace {

void put(Packer& packer, const std::vector<TiedTask>& tasks)
{
    packer.putTable(tasks, &TiedTask::rank, &TiedTask::task, &TiedTask::begin);
}

void put(Packer& packer, const std::vector<TiedNeed>& needs)
{
    packer.putTable(needs, &TiedNeed::rank, &TiedNeed::task, &TiedNeed::sourceRank, &TiedNeed::source,
                    &TiedNeed::isMessage);
}

bool take(Unpacker& unpacker, OrderedTies& ties)
{
    const auto tasks = unpacker.table<TiedTask>(&TiedTask::rank, &TiedTask::task, &TiedTask::begin);
    const auto needs = unpacker.table<TiedNeed>(&TiedNeed::rank, &TiedNeed::task, &TiedNeed::sourceRank,
                                                &TiedNeed::source, &TiedNeed::isMessage);
    ties.tasks.insert(ties.tasks.end(), tasks.begin(), tasks.end());
    ties.dropped.insert(ties.dropped.end(), needs.begin(), needs.end());
    return unpacker.isWhole();
}

// What process 0 makes of the tasks of all, which are by rank and task, and of their needs.
OrderedTies orderedTies(const std::vector<TiedTask>& tasks, const std::vector<TiedNeed>& needs)
{
    TaskColumns columns;
    columns.resize(tasks.size());
    for (std::size_t position = 0; position < tasks.size(); ++position) {
        if (position == 0 || tasks[position].rank != tasks[position - 1].rank) columns.first.push_back(position);
        columns.begin[position] = tasks[position].begin;
    }
    columns.first.push_back(tasks.size());
    const auto positionOf = [&](std::uint32_t rank, std::uint32_t task) {
        const auto found = std::lower_bound(tasks.begin(), tasks.end(), std::pair(rank, task),
                                            [](const TiedTask& one,
                                               const std::pair<std::uint32_t, std::uint32_t>& key) {
                                                return std::pair(one.rank, one.task) < key;
                                            });
        const bool isThere = found != tasks.end() && found->rank == rank && found->task == task;
        return isThere ? static_cast<std::uint32_t>(found - tasks.begin()) : noTask;
    };
    std::vector<TiedNeed> merging;
    for (const TiedNeed& need : needs) {
        const std::uint32_t task = positionOf(need.rank, need.task);
        const std::uint32_t source = positionOf(need.sourceRank, need.source);
        if (task == noTask || source == noTask) continue;
        if (need.isMessage) {
            columns.source[task] = source;
            continue;
        }
        columns.merges.push_back({task, source});
        merging.push_back(need);
    }
    const std::vector<std::uint32_t> sources = columns.source;
    TimeOrder order = timeOrder(columns);
    longpole::orderTies(columns, order, true);
    OrderedTies ordered;
    for (const std::uint32_t position : order.order) ordered.tasks.push_back(tasks[position]);
    for (std::size_t task = 0; task < sources.size(); ++task)
        if (sources[task] != columns.source[task])
            ordered.dropped.push_back({tasks[task].rank, tasks[task].task, tasks[sources[task]].rank,
                                       tasks[sources[task]].task, true});
    for (std::size_t merge = 0; merge < merging.size(); ++merge)
        if (columns.merges[merge].source == noTask) ordered.dropped.push_back(merging[merge]);
    return ordered;
}

}  // namespace

std::vector<TimeNs> commonInstants(Transport& transport, std::vector<TimeNs> own)
{
    const auto eachOnce = [](std::vector<TimeNs>& times) {
        std::sort(times.begin(), times.end());
        times.erase(std::unique(times.begin(), times.end()), times.end());
    };
    eachOnce(own);
    std::vector<TimeNs> all;
    for (const Payload& bytes : transport.gather(toBytes(own))) {
        const auto times = recordsOf<TimeNs>(transport, bytes);
        all.insert(all.end(), times.begin(), times.end());
    }
    eachOnce(all);
    return recordsOf<TimeNs>(transport, transport.broadcast(toBytes(all)));
}

OrderedTies orderTiedTasks(Transport& transport, const std::vector<TiedTask>& own, const std::vector<TiedNeed>& needs)
{
    Packer packer;
    put(packer, own);
    put(packer, needs);
    OrderedTies all;
    bool isWhole = true;
    for (const Payload& bytes : transport.gather(packer.take())) {
        Unpacker unpacker(bytes);
        isWhole = take(unpacker, all) && isWhole;
    }
    Packer answer;
    if (transport.isRoot() && isWhole) {
        const OrderedTies ordered = orderedTies(all.tasks, all.dropped);
        put(answer, ordered.tasks);
        put(answer, ordered.dropped);
    }
    const Payload told = transport.broadcast(answer.take());
    Unpacker unpacker(told);
    OrderedTies ordered;
    if (!transport.failed() && (!isWhole || !take(unpacker, ordered)))
        transport.fail({.what = tr("What the processes sent together is damaged."), .where = {}, .hint = {}});
    return ordered;
}

}  // namespace longpole
