// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/machineprograms.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace longpole {

namespace {

using Call = Machine::Call;

class Draw {
public:
    explicit Draw(std::uint64_t seed) : m_random(seed) {}
    int between(int low, int high)
    {
        return low + static_cast<int>(m_random() % static_cast<unsigned>(high - low + 1));
    }
    bool oneIn(int n) { return between(1, n) == 1; }

private:
    std::mt19937_64 m_random;
};

constexpr auto onZero = [](std::uint32_t) { return 0u; };

// A main chare that begins an iteration by `go` whenever `parts` parts of the one before have reported to `part`.
struct Driver {
    std::uint32_t main = 0;
    int iterations = 0;
    int parts = 0;
    int iteration = 0;
    int reported = 0;
    std::function<void(Call&, int)> go;

    void part(Call& call)
    {
        call.work(0.5);
        if (++reported < parts) return;
        reported = 0;
        if (++iteration < iterations) go(call, iteration);
    }
};

std::shared_ptr<Driver> driver(Machine& machine, int iterations, int parts)
{
    auto made = std::make_shared<Driver>();
    made->main = machine.chare("Main", 1, onZero);
    made->iterations = iterations;
    made->parts = parts;
    return made;
}

std::uint32_t startOf(Machine& machine, const std::shared_ptr<Driver>& driver)
{
    return machine.entry(driver->main, "Main", [driver](Call& call) {
        call.work(20);
        driver->go(call, 0);
    });
}

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

// A wavefront over a grid of cells, each of which also has side work.
std::uint32_t wavefront(Machine& machine, std::uint64_t seed)
{
    Draw draw(seed);
    const int size = draw.between(4, 9), cellTime = draw.between(100, 500), sides = draw.between(0, 4);
    const int sideTime = draw.between(100, 400);
    const bool hasTwoEntries = draw.oneIn(2), isCyclic = draw.oneIn(2);
    const auto main = driver(machine, draw.between(4, 10), sides > 0 ? 2 : 1);
    const auto cells = static_cast<std::uint32_t>(size * size);
    const std::uint32_t processors = machine.processors();
    const std::uint32_t grid = machine.chare("Cell", cells, [=](std::uint32_t cell) {
        return isCyclic ? cell % processors
                        : cell / static_cast<std::uint32_t>(size) * processors / static_cast<std::uint32_t>(size);
    });
    const auto got = std::make_shared<std::map<std::pair<int, int>, int>>();
    const auto left = std::make_shared<std::map<int, int>>();
    const std::uint32_t waveDone = machine.entry(main->main, "wave_done", [main](Call& call) { main->part(call); });
    const std::uint32_t sidesDone = machine.entry(main->main, "redn_wrapper_sides_done(CkReductionMsg *impl_msg)",
                                                  [main](Call& call) { main->part(call); });
    const std::uint32_t fromLeft = sidesDone + 1, fromTop = sidesDone + (hasTwoEntries ? 2 : 1);
    const auto arrive = [=](Call& call) {
        const int cell = static_cast<int>(call.element()), row = cell / size, column = cell % size;
        const int wanted = (row > 0) + (column > 0);
        call.work(3);
        if (++(*got)[{call.argument(0), cell}] < wanted) return;
        call.work(cellTime);
        if (column + 1 < size) call.send(fromLeft, call.element() + 1, {call.argument(0)});
        if (row + 1 < size) call.send(fromTop, call.element() + static_cast<std::uint32_t>(size), {call.argument(0)});
        if (row + 1 == size && column + 1 == size) call.send(waveDone, 0);
    };
    machine.entry(grid, "from_left", arrive);
    if (hasTwoEntries) machine.entry(grid, "from_top", arrive);
    const std::uint32_t side = machine.entry(grid, "side", [=](Call& call) {
        call.work(sideTime);
        if (--(*left)[static_cast<int>(call.element())] == 0) call.contribute(sidesDone, call.argument(0));
    });
    const std::uint32_t begin = machine.entry(grid, "begin", [=](Call& call) {
        (*left)[static_cast<int>(call.element())] = sides;
        for (int k = 0; k < sides; ++k) call.send(side, call.element(), {call.argument(0)});
        if (call.element() == 0) arrive(call);
        call.work(1);
    });
    main->go = [=](Call& call, int iteration) { call.broadcast(begin, {iteration}); };
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

// A ring of blocks that exchange borders each step, without a barrier; one PE's blocks take longer, others have more
// of them. Ghosts of the step after may overtake those of this one.
std::uint32_t stencil(Machine& machine, std::uint64_t seed)
{
    Draw draw(seed);
    const int steps = draw.between(10, 40), blockTime = draw.between(100, 400), extra = draw.between(0, 400);
    const auto blocks = machine.processors() * static_cast<std::uint32_t>(draw.between(2, 5));
    const bool hasTwoEntries = draw.oneIn(2), isSplit = draw.oneIn(2);
    const std::uint32_t processors = machine.processors();
    const std::uint32_t main = machine.chare("Main", 1, onZero);
    const std::uint32_t line = machine.chare("Block", blocks,
                                             [=](std::uint32_t block) { return block * processors / blocks; });
    struct State {
        std::map<int, std::map<int, int>> got;
        std::map<int, int> step;
    };
    const auto state = std::make_shared<State>();
    const std::uint32_t done = machine.entry(main, "redn_wrapper_done(CkReductionMsg *impl_msg)",
                                             [](Call& call) { call.work(1); });
    const std::uint32_t left = done + 1, right = hasTwoEntries ? done + 2 : done + 1, compute = right + 1;
    const auto sendBorders = [=](Call& call, int step) {
        call.send(left, (call.element() + 1) % blocks, {step}, 4000);
        call.send(right, (call.element() + blocks - 1) % blocks, {step}, 4000);
    };
    const auto doStep = [=](Call& call) {
        const int block = static_cast<int>(call.element());
        call.work(blockTime + (call.pe() == 1 ? extra : 0));
        const int step = ++state->step[block];
        if (step == steps) call.contribute(done, 0);
        else sendBorders(call, step);
    };
    const auto ghost = [=](Call& call) {
        const int block = static_cast<int>(call.element());
        call.work(6);
        std::map<int, int>& got = state->got[block];
        ++got[call.argument(0)];
        while (got[state->step[block]] == 2) {
            got.erase(state->step[block]);
            if (isSplit) return call.send(compute, call.element(), {state->step[block]});
            doStep(call);
        }
    };
    machine.entry(line, "ghost_left", ghost);
    if (hasTwoEntries) machine.entry(line, "ghost_right", ghost);
    machine.entry(line, "compute", doStep);
    const std::uint32_t begin = machine.entry(line, "begin", [=](Call& call) {
        call.work(5);
        sendBorders(call, 0);
    });
    return machine.entry(main, "Main", [=](Call& call) {
        call.work(20);
        call.broadcast(begin);
    });
}

// Panels and updates, as in a factorisation: each panel starts updates on all PEs, and the next panel needs one of
// them.
std::uint32_t panelsOf(Machine& machine, std::uint64_t seed, bool broadcasts)
{
    Draw draw(seed);
    const int steps = draw.between(8, 25), panelTime = draw.between(200, 1500), updateTime = draw.between(50, 400);
    const int updates = draw.between(1, 6);
    const bool criticalLast = draw.oneIn(2);
    const std::uint32_t main = machine.chare("Main", 1, onZero);
    const std::uint32_t nodes = machine.group("Column");
    const auto left = std::make_shared<std::map<int, int>>();
    const std::uint32_t done = machine.entry(main, "redn_wrapper_done(CkReductionMsg *impl_msg)",
                                             [](Call& call) { call.work(1); });
    const std::uint32_t panel = done + 1, update = done + 2, next = done + 3, apply = done + 4;
    machine.entry(nodes, "panel", [=](Call& call) {
        call.work(panelTime);
        if (broadcasts) return call.broadcast(apply, {call.argument(0)});
        for (std::uint32_t pe = 0; pe < call.processors(); ++pe) call.send(apply, pe, {call.argument(0)}, 8000);
    });
    machine.entry(nodes, "update", [=](Call& call) {
        call.work(updateTime);
        if (++(*left)[static_cast<int>(call.pe())] == steps * updates) call.contribute(done, 0);
    });
    machine.entry(nodes, "next_column", [=](Call& call) {
        call.work(updateTime);
        if (call.argument(0) + 1 < steps) call.send(panel, call.pe(), {call.argument(0) + 1});
    });
    machine.entry(nodes, "apply", [=](Call& call) {
        const bool isNext = (call.argument(0) + 1) % static_cast<int>(call.processors()) == static_cast<int>(call.pe());
        if (isNext && !criticalLast) call.send(next, call.pe(), {call.argument(0)});
        for (int k = 0; k < updates; ++k) call.send(update, call.pe(), {call.argument(0)});
        if (isNext && criticalLast) call.send(next, call.pe(), {call.argument(0)});
        call.work(2);
    });
    return machine.entry(main, "Main", [=](Call& call) {
        call.work(20);
        call.send(panel, 0, {0});
    });
}

std::uint32_t panels(Machine& machine, std::uint64_t seed) { return panelsOf(machine, seed, false); }
std::uint32_t broadcastPanels(Machine& machine, std::uint64_t seed) { return panelsOf(machine, seed, true); }

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

// gs.C: independent systems of red and black halves over all PEs, one of which needs many more iterations.
std::uint32_t gaussSeidel(Machine& machine, std::uint64_t seed)
{
    Draw draw(seed);
    const int systems = draw.between(2, 6), slowest = draw.between(20, 50), halfTime = draw.between(100, 500);
    const std::uint32_t processors = machine.processors();
    const std::uint32_t main = machine.chare("Main", 1, onZero);
    const std::uint32_t cells = machine.chare("RB2", static_cast<std::uint32_t>(systems) * processors,
                                              [=](std::uint32_t cell) { return cell % processors; });
    const std::uint32_t residuals = machine.chare("REDN", static_cast<std::uint32_t>(systems),
                                                  [](std::uint32_t s) { return s; });
    struct State {
        std::map<std::pair<std::uint32_t, int>, int> red, black;
        std::map<std::pair<std::uint32_t, int>, int> residual;
    };
    const auto state = std::make_shared<State>();
    const std::uint32_t systemDone = machine.entry(main, "system_done", [](Call& call) { call.work(2); });
    const std::uint32_t redWest = systemDone + 1, redEast = redWest + 1, blackWest = redWest + 2,
                        blackEast = redWest + 3;
    const std::uint32_t residual = redWest + 4, dag = redWest + 5;
    const auto neighbours = [=](Call& call, std::uint32_t west, std::uint32_t east, int iteration) {
        const std::uint32_t p = call.element() % processors, first = call.element() - p;
        call.send(west, first + (p + 1) % processors, {iteration});
        call.send(east, first + (p + processors - 1) % processors, {iteration});
    };
    const auto red = [=](Call& call) {
        if (++state->red[{call.element(), call.argument(0)}] < 2) return call.work(20);
        call.work(halfTime);
        neighbours(call, blackWest, blackEast, call.argument(0));
    };
    const auto black = [=](Call& call) {
        if (++state->black[{call.element(), call.argument(0)}] < 2) return call.work(20);
        call.work(halfTime);
        call.send(residual, call.element() / processors, {call.argument(0)});
    };
    machine.entry(cells, "red_ws", red);
    machine.entry(cells, "red_en", red);
    machine.entry(cells, "black_wn", black);
    machine.entry(cells, "black_es", black);
    machine.entry(residuals, "contribute_residual", [=](Call& call) {
        call.work(30);
        const int system = static_cast<int>(call.element());
        if (++state->residual[{call.element(), call.argument(0)}] < static_cast<int>(processors)) return;
        const bool isOver = call.argument(0) + 1 >= (system + 1 == systems ? slowest : 8 + 2 * system);
        for (std::uint32_t p = 0; p < processors; ++p)
            call.send(dag, call.element() * processors + p, {call.argument(0), isOver});
        if (isOver) call.send(systemDone, 0);
    });
    machine.entry(cells, "dag9", [=](Call& call) {
        call.work(60);
        if (call.argument(1) == 0) neighbours(call, redWest, redEast, call.argument(0) + 1);
    });
    const std::uint32_t init = machine.entry(cells, "init", [=](Call& call) {
        call.work(300);
        neighbours(call, redWest, redEast, 0);
    });
    return machine.entry(main, "Main", [=](Call& call) {
        call.work(20);
        call.broadcast(init);
    });
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

}  // namespace

const std::vector<MachineProgram>& machinePrograms()
{
    static const std::vector<MachineProgram> programs{
        {"chain_and_bulk", chainAndBulk, {"chain_hop", "bulk"}},
        {"pipeline", pipeline, {"stage_item", "side_task"}},
        {"blocker", blocker, {"token_hop", "big_block"}},
        {"master_worker", masterWorker, {"task", "result", "side"}},
        {"wavefront", wavefront, {"from_left", "from_top", "side"}},
        {"fork_join", forkJoin, {"slow", "quick"}},
        {"ring", ringWithBackground, {"token", "background"}},
        {"stencil", stencil, {"ghost_left", "compute"}},
        {"panels", panels, {"panel", "next_column", "update", "apply"}},
        {"trees", trees, {"combine", "divide"}},
        {"gauss_seidel", gaussSeidel, {"dag9", "red_ws", "contribute_residual"}},
        {"producers", producers, {"produce", "consume", "finish"}},
    };
    return programs;
}

const MachineProgram& panelsThatAreBroadcast()
{
    static const MachineProgram program{"broadcast_panels", broadcastPanels, {"panel", "next_column", "apply"}};
    return program;
}

}  // namespace longpole
