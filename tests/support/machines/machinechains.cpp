// SPDX-License-Identifier: GPL-3.0-or-later
// Programs with one chain of tasks that the run waits for, behind or beside other work.
#include "support/machines/machineprogramkinds.h"
#include "support/machines/machineprogramparts.h"

#include <map>
#include <memory>

namespace longpole::machineprogram {

// prio.C: a chain over all PEs waits behind bulk work.
std::uint32_t chainAndBulk(Machine& machine, std::uint64_t seed)
{
    Draw draw(seed);
    const int bulks = draw.between(2, 16), bulkTime = draw.between(100, 600), hopTime = draw.between(100, 900);
    const int hops = static_cast<int>(machine.processors()) * draw.between(1, 2);
    const bool chainSentFirst = draw.oneIn(3), reports = draw.oneIn(3);
    const auto main = driver(machine, draw.between(10, 25), reports ? 1 + static_cast<int>(machine.processors()) : 2);
    const std::uint32_t workers = machine.group("Worker");
    const auto left = std::make_shared<std::map<int, int>>();
    const std::uint32_t chainDone = machine.entry(main->main, "chain_done", [main](Call& call) { main->part(call); });
    const std::uint32_t bulkDone = machine.entry(main->main, "redn_wrapper_bulk_done(CkReductionMsg *impl_msg)",
                                                 [main](Call& call) { main->part(call); });
    const std::uint32_t hop = static_cast<std::uint32_t>(bulkDone + 1);
    machine.entry(workers, "chain_hop", [=](Call& call) {
        call.work(hopTime);
        if (call.argument(1) + 1 < hops)
            call.send(hop, (call.pe() + 1) % call.processors(), {call.argument(0), call.argument(1) + 1});
        else call.send(chainDone, 0);
    });
    const std::uint32_t bulk = machine.entry(workers, "bulk", [=](Call& call) {
        call.work(bulkTime);
        if (--(*left)[static_cast<int>(call.pe())] > 0) return;
        if (reports) call.send(chainDone, 0);
        else call.contribute(bulkDone, call.argument(0));
    });
    const std::uint32_t start = machine.entry(workers, "start", [=](Call& call) {
        (*left)[static_cast<int>(call.pe())] = bulks;
        call.work(1);
        if (call.pe() == 0 && chainSentFirst) call.send(hop, 0, {call.argument(0), 0});
        for (int k = 0; k < bulks; ++k)
            call.send(bulk, call.pe(),
                      call.argument(0) >= 0 ? Machine::Arguments{call.argument(0)} : Machine::Arguments{});
        if (call.pe() == 0 && !chainSentFirst) call.send(hop, 0, {call.argument(0), 0});
    });
    main->go = [=](Call& call, int iteration) { call.broadcast(start, {iteration}); };
    return startOf(machine, main);
}

// pipeline.C: items through one stage a PE, a slow one among them, with side work queued first.
std::uint32_t pipeline(Machine& machine, std::uint64_t seed)
{
    Draw draw(seed);
    const int items = draw.between(2, 8), sides = draw.between(2, 12), sideTime = draw.between(100, 500);
    const int quick = draw.between(100, 500), slow = draw.between(500, 1400);
    const auto slowPe = static_cast<std::uint32_t>(draw.between(1, static_cast<int>(machine.processors()) - 1));
    const auto main = driver(machine, draw.between(8, 20), items + 1);
    const std::uint32_t stages = machine.group("Stage");
    const auto left = std::make_shared<std::map<int, int>>();
    const std::uint32_t out = machine.entry(main->main, "item_out", [main](Call& call) { main->part(call); });
    const std::uint32_t all = machine.entry(main->main, "redn_wrapper_side_all(CkReductionMsg *impl_msg)",
                                            [main](Call& call) { main->part(call); });
    const std::uint32_t item = all + 1;
    machine.entry(stages, "stage_item", [=](Call& call) {
        call.work(call.pe() == slowPe ? slow : quick);
        if (call.pe() + 1 < call.processors()) call.send(item, call.pe() + 1, {call.argument(0), call.argument(1)});
        else call.send(out, 0);
    });
    const std::uint32_t side = machine.entry(stages, "side_task", [=](Call& call) {
        call.work(sideTime + call.argument(1) % 3 * 100);
        if (--(*left)[static_cast<int>(call.pe())] == 0) call.contribute(all, call.argument(0));
    });
    const std::uint32_t begin = machine.entry(stages, "begin_batch", [=](Call& call) {
        const int n = (*left)[static_cast<int>(call.pe())] = call.pe() == slowPe ? 1 : sides;
        for (int k = 0; k < n; ++k) call.send(side, call.pe(), {call.argument(0), k});
        if (call.pe() == 0)
            for (int i = 0; i < items; ++i) call.send(item, 0, {call.argument(0), i});
        call.work(1);
    });
    main->go = [=](Call& call, int iteration) { call.broadcast(begin, {iteration}); };
    return startOf(machine, main);
}

// blocker.C: a token that always finds a long task running.
std::uint32_t blocker(Machine& machine, std::uint64_t seed)
{
    Draw draw(seed);
    const int hops = draw.between(6, 14), block = draw.between(800, 2500), hopTime = draw.between(200, 700);
    const auto main = driver(machine, draw.between(8, 16), hops);
    const std::uint32_t nodes = machine.group("Node");
    const std::uint32_t tokenEnd = machine.entry(main->main, "token_end", [main](Call& call) { main->part(call); });
    const std::uint32_t bigEnd = machine.entry(main->main, "big_end", [main](Call& call) { main->part(call); });
    const std::uint32_t big = machine.entry(nodes, "big_block", [=](Call& call) {
        call.work(block);
        call.send(bigEnd, 0);
    });
    const std::uint32_t token = big + 1;
    machine.entry(nodes, "token_hop", [=](Call& call) {
        const int h = call.argument(0);
        const std::uint32_t next = (call.pe() + 1) % call.processors();
        if (h + 1 < hops) call.send(big, next, {h});
        call.work(hopTime);
        if (h + 1 < hops) call.send(token, next, {h + 1});
        else call.send(tokenEnd, 0);
    });
    main->go = [=](Call& call, int) { call.send(token, 0, {0}); };
    return startOf(machine, main);
}

// A token runs round while every PE goes on with background work that sends itself on.
std::uint32_t ringWithBackground(Machine& machine, std::uint64_t seed)
{
    Draw draw(seed);
    const int laps = draw.between(2, 8), hopTime = draw.between(50, 400), chains = draw.between(1, 6);
    const int length = draw.between(5, 25), backgroundTime = draw.between(100, 700);
    const auto main = driver(machine, draw.between(3, 8), 2);
    const std::uint32_t nodes = machine.group("Node");
    const auto left = std::make_shared<std::map<int, int>>();
    const int hops = laps * static_cast<int>(machine.processors());
    const std::uint32_t ringDone = machine.entry(main->main, "ring_done", [main](Call& call) { main->part(call); });
    const std::uint32_t allDone = machine.entry(main->main, "redn_wrapper_all_done(CkReductionMsg *impl_msg)",
                                                [main](Call& call) { main->part(call); });
    const std::uint32_t token = allDone + 1, background = allDone + 2;
    machine.entry(nodes, "token", [=](Call& call) {
        call.work(hopTime);
        if (call.argument(0) + 1 < hops) call.send(token, (call.pe() + 1) % call.processors(), {call.argument(0) + 1});
        else call.send(ringDone, 0);
    });
    machine.entry(nodes, "background", [=](Call& call) {
        call.work(backgroundTime);
        if (call.argument(0) + 1 < length) call.send(background, call.pe(), {call.argument(0) + 1, call.argument(1)});
        else if (--(*left)[static_cast<int>(call.pe())] == 0) call.contribute(allDone, call.argument(1));
    });
    const std::uint32_t begin = machine.entry(nodes, "begin", [=](Call& call) {
        (*left)[static_cast<int>(call.pe())] = chains;
        for (int k = 0; k < chains; ++k) call.send(background, call.pe(), {0, call.argument(0)});
        if (call.pe() == 0) call.send(token, 0, {0});
        call.work(1);
    });
    main->go = [=](Call& call, int iteration) { call.broadcast(begin, {iteration}); };
    return startOf(machine, main);
}

// Producers feed consumers on the next PE; consumers have a long chain behind them. Producing first starves it.
std::uint32_t producers(Machine& machine, std::uint64_t seed)
{
    Draw draw(seed);
    const int items = draw.between(5, 25), produceTime = draw.between(50, 500), consumeTime = draw.between(50, 500);
    const int finishTime = draw.between(50, 800);
    const bool sendsOn = draw.oneIn(2);
    const auto main = driver(machine, draw.between(3, 8), items * static_cast<int>(machine.processors()));
    const std::uint32_t nodes = machine.group("Node");
    const std::uint32_t out = machine.entry(main->main, "out", [main](Call& call) { main->part(call); });
    const std::uint32_t produce = out + 1, consume = out + 2, finish = out + 3;
    machine.entry(nodes, "produce", [=](Call& call) {
        call.work(produceTime);
        call.send(consume, (call.pe() + 1) % call.processors(), {call.argument(0)});
        if (sendsOn && call.argument(0) + 1 < items) call.send(produce, call.pe(), {call.argument(0) + 1});
    });
    machine.entry(nodes, "consume", [=](Call& call) {
        call.work(consumeTime);
        call.send(finish, call.argument(0) % 2 == 0 ? 0 : (call.pe() + 1) % call.processors(), {call.argument(0)});
    });
    machine.entry(nodes, "finish", [=](Call& call) {
        call.work(call.pe() == 0 ? finishTime / 3 : finishTime / 2);
        call.send(out, 0);
    });
    const std::uint32_t begin = machine.entry(nodes, "begin", [=](Call& call) {
        if (sendsOn) call.send(produce, call.pe(), {0});
        else
            for (int k = 0; k < items; ++k) call.send(produce, call.pe(), {k});
        call.work(1);
    });
    main->go = [=](Call& call, int iteration) { call.broadcast(begin, {iteration}); };
    return startOf(machine, main);
}

}  // namespace longpole::machineprogram
