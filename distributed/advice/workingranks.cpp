// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/advice/workingranks.h"

#include "distributed/advice/gathered.h"
#include "distributed/advice/passes.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace longpole {

namespace {

Working workOfRank(const HostedTasks& tasks, TimeNs pause)
{
    Working working;
    for (std::size_t task = 0; task < tasks.begin.size(); ++task)
        addWork(working.one, {tasks.begin[task], tasks.begin[task] + tasks.duration[task]}, pause);
    return working;
}

// Ranges that are disjoint and ascend: others may send what is neither.
bool areApart(const std::vector<TimeRange>& ranges)
{
    for (std::size_t i = 0; i < ranges.size(); ++i)
        if (ranges[i].end <= ranges[i].begin || (i > 0 && ranges[i].begin <= ranges[i - 1].end)) return false;
    return true;
}

Payload packed(const Working& working)
{
    Packer packer;
    for (const std::vector<TimeRange>* ranges : {&working.one, &working.two})
        packer.putTable(*ranges, &TimeRange::begin, &TimeRange::end);
    return packer.take();
}

Working unpacked(Transport& transport, const Payload& bytes)
{
    Unpacker unpacker(bytes);
    Working working;
    for (std::vector<TimeRange>* ranges : {&working.one, &working.two})
        *ranges = unpacker.table<TimeRange>(&TimeRange::begin, &TimeRange::end);
    if (unpacker.isWhole() && areApart(working.one) && areApart(working.two)) return working;
    tellNotWhole(transport);
    return {};
}

}  // namespace

Working workingRanks(const WorkPass& pass, TimeRange run, std::int64_t tasks, std::uint32_t ranks)
{
    Transport& transport = pass.transport();
    const TimeNs pause = pauseWithin(run, tasks, ranks);
    std::vector<Working> own;
    for (const WorkPass::Rank& rank : pass.ranks()) own.push_back(workOfRank(rank.tasks, pause));
    for (std::size_t step = 1; step < own.size(); step *= 2)
        for (std::size_t i = 0; i + step < own.size(); i += 2 * step)
            own[i] = together(own[i], std::exchange(own[i + step], {}));
    Working all = own.empty() ? Working() : std::move(own.front());
    // A binomial tree: whose number has its lowest bit at `step` gives what it has to the one without that bit.
    const int process = transport.process();
    for (int step = 1; step < transport.processes() && !transport.failed(); step *= 2) {
        if ((process & step) != 0) {
            transport.send(process - step, JoinWork, packed(all));
            break;
        }
        if (process + step >= transport.processes()) continue;
        if (const auto come = transport.receive(JoinWork, Wait::Yes))
            all = together(all, unpacked(transport, come->bytes));
    }
    transport.quiet(JoinWork, [](int, const Payload&) {});
    const Payload told = transport.broadcast(transport.isRoot() ? packed(all) : Payload());
    return transport.failed() ? Working() : unpacked(transport, told);
}

}  // namespace longpole
