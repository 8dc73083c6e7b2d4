// SPDX-License-Identifier: GPL-3.0-or-later
// Programs in which neighbours wait for each other: wavefronts, stencils, panels with updates, Gauss-Seidel.
#include "support/machines/machineprogramkinds.h"
#include "support/machines/machineprogramparts.h"

#include <map>
#include <memory>
#include <utility>

namespace longpole::machineprogram {

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

namespace {

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

}  // namespace

std::uint32_t panels(Machine& machine, std::uint64_t seed) { return panelsOf(machine, seed, false); }
std::uint32_t broadcastPanels(Machine& machine, std::uint64_t seed) { return panelsOf(machine, seed, true); }

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

}  // namespace longpole::machineprogram
