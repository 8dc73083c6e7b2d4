// SPDX-License-Identifier: GPL-3.0-or-later
// Programs with pools of tasks: a master with workers, forks and joins, trees.
#include "support/machines/machineprogramkinds.h"
#include "support/machines/machineprogramparts.h"

#include <map>
#include <memory>
#include <utility>

namespace longpole::machineprogram {

// A master hands out work of different lengths, one piece for each result; workers have side work of their own.
std::uint32_t masterWorker(Machine& machine, std::uint64_t seed)
{
    Draw draw(seed);
    const int pieces = draw.between(40, 120), sides = draw.between(0, 12), sideTime = draw.between(100, 500);
    const int ahead = draw.between(1, 3), shortest = draw.between(100, 300), spread = draw.between(100, 1500);
    const int masterSides = draw.between(0, 20);
    const auto main = driver(machine, draw.between(3, 6), 2);
    const std::uint32_t masters = machine.chare("Master", 1, onZero);
    const std::uint32_t workers = machine.group("Worker");
    struct State {
        int handedOut = 0, back = 0;
        std::map<int, int> left;
    };
    const auto state = std::make_shared<State>();
    const std::uint32_t allDone = machine.entry(main->main, "all_done", [main](Call& call) { main->part(call); });
    const std::uint32_t sidesDone = machine.entry(main->main, "redn_wrapper_sides_done(CkReductionMsg *impl_msg)",
                                                  [main](Call& call) { main->part(call); });
    const std::uint32_t result = sidesDone + 1, task = sidesDone + 2, side = sidesDone + 3;
    machine.entry(masters, "result", [=](Call& call) {
        call.work(10);
        if (state->handedOut < pieces)
            call.send(task, static_cast<std::uint32_t>(call.argument(0)), {state->handedOut++});
        if (++state->back == pieces) call.send(allDone, 0);
    });
    machine.entry(workers, "task", [=](Call& call) {
        const int time = shortest + call.argument(0) * 7919 % 97 * spread / 97;
        call.work(time);
        call.send(result, 0, {static_cast<int>(call.pe())});
    });
    machine.entry(workers, "side", [=](Call& call) {
        call.work(sideTime);
        if (--state->left[static_cast<int>(call.pe())] == 0) call.contribute(sidesDone, call.argument(0));
    });
    const std::uint32_t begin = machine.entry(workers, "begin", [=](Call& call) {
        const int n = state->left[static_cast<int>(call.pe())] = 1 + (call.pe() == 0 ? masterSides : sides);
        for (int k = 0; k < n; ++k) call.send(side, call.pe(), {call.argument(0)});
        call.work(1);
    });
    const std::uint32_t handOut = machine.entry(masters, "hand_out", [=](Call& call) {
        state->handedOut = state->back = 0;
        for (int k = 0; k < ahead; ++k)
            for (std::uint32_t pe = 0; pe < call.processors(); ++pe)
                if (state->handedOut < pieces) call.send(task, pe, {state->handedOut++});
        call.work(5);
    });
    main->go = [=](Call& call, int iteration) {
        call.broadcast(begin, {iteration});
        call.send(handOut, 0);
    };
    return startOf(machine, main);
}

// Forks: a few long tasks among many short ones, joined by a counter; the long ones are sent last.
std::uint32_t forkJoin(Machine& machine, std::uint64_t seed)
{
    Draw draw(seed);
    const int shorts = draw.between(10, 60), longs = draw.between(1, 8), shortTime = draw.between(100, 300);
    const int longTime = draw.between(800, 4000);
    const bool longsFirst = draw.oneIn(3);
    const auto main = driver(machine, draw.between(5, 15), shorts + longs);
    const std::uint32_t workers = machine.group("Worker");
    const std::uint32_t done = machine.entry(main->main, "done", [main](Call& call) { main->part(call); });
    const std::uint32_t quick = machine.entry(workers, "quick", [=](Call& call) {
        call.work(shortTime);
        call.send(done, 0);
    });
    const std::uint32_t slow = machine.entry(workers, "slow", [=](Call& call) {
        call.work(longTime);
        call.send(done, 0);
    });
    main->go = [=](Call& call, int iteration) {
        const auto sendLongs = [&] {
            for (int k = 0; k < longs; ++k)
                call.send(slow, static_cast<std::uint32_t>(k * 5 + iteration) % call.processors(), {iteration});
        };
        if (longsFirst) sendLongs();
        for (int k = 0; k < shorts; ++k)
            call.send(quick, static_cast<std::uint32_t>(k) % call.processors(), {iteration});
        if (!longsFirst) sendLongs();
        call.work(5);
    };
    return startOf(machine, main);
}

// Trees: divide, work on leaves, combine; several at once with one that is deeper than the others.
std::uint32_t trees(Machine& machine, std::uint64_t seed)
{
    Draw draw(seed);
    const int shallow = draw.between(2, 4), deep = shallow + draw.between(0, 3), leafTime = draw.between(100, 600);
    const int combineTime = draw.between(20, 200), count = draw.between(2, 6);
    const auto main = driver(machine, draw.between(3, 8), count);
    const std::uint32_t processors = machine.processors();
    constexpr std::uint32_t nodes = 1024;  // of each tree, as a heap
    const std::uint32_t tree = machine.chare("Tree", nodes * 8, [=](std::uint32_t node) {
        return (node * 2654435761u >> 8) % processors;
    });
    const auto got = std::make_shared<std::map<std::pair<int, std::uint32_t>, int>>();
    const std::uint32_t treeDone = machine.entry(main->main, "tree_done", [main](Call& call) { main->part(call); });
    const std::uint32_t combine = treeDone + 1, divide = treeDone + 2;
    const auto report = [=](Call& call) {
        const std::uint32_t node = call.element() % nodes;
        if (node == 1) call.send(treeDone, 0);
        else call.send(combine, call.element() - node + node / 2, {call.argument(0), call.argument(1)});
    };
    machine.entry(tree, "combine", [=](Call& call) {
        call.work(2);
        if (++(*got)[{call.argument(0), call.element()}] % 2 != 0) return;
        call.work(combineTime);
        report(call);
    });
    machine.entry(tree, "divide", [=](Call& call) {
        const std::uint32_t node = call.element() % nodes;
        if (static_cast<int>(node) >= 1 << call.argument(1)) {
            call.work(leafTime);
            return report(call);
        }
        call.work(10);
        call.send(divide, call.element() + node, {call.argument(0), call.argument(1)});
        call.send(divide, call.element() + node + 1, {call.argument(0), call.argument(1)});
    });
    main->go = [=](Call& call, int iteration) {
        for (int k = 0; k < count; ++k)
            call.send(divide, static_cast<std::uint32_t>(k) * nodes + 1, {iteration, k + 1 == count ? deep : shallow});
        call.work(3);
    };
    return startOf(machine, main);
}

}  // namespace longpole::machineprogram
