// SPDX-License-Identifier: GPL-3.0-or-later
// The programs, in microseconds. The comment on each says why it has no other defect.
#include "support/machines/plantedruns.h"

#include "support/machines/plantedmachine.h"

#include <array>
#include <functional>
#include <memory>
#include <vector>

namespace longpole {

namespace {

MachineShape shapeOf(const PlantedSize& size)
{
    return {.pes = size.pes, .hasReceiveTimes = size.hasReceiveTimes, .seed = size.seed};
}

// A ring of objects that take steps; each step of an object waits for the step before of itself and both neighbours.
struct Ring {
    std::int64_t objects = 0;
    std::int64_t steps = 0;
    std::function<std::uint32_t(std::int64_t object, std::int64_t step)> place{};
    std::function<std::int64_t(std::int64_t object, std::int64_t step, PlantedExecution&)> cost{};
    std::int64_t bytes = 100;   // of a message to a neighbour
    std::int64_t distance = 1;  // between neighbours
};

QString runRing(const MachineShape& shape, const Ring& ring, const QString& folder)
{
    PlantedMachine machine(shape);
    std::vector<std::uint8_t> arrived(static_cast<std::size_t>(ring.objects * (ring.steps + 1)));
    int ghost = 0;
    const auto step = [&](PlantedExecution& run) {
        const std::int64_t object = run.object(), now = run.data();
        run.work(ring.cost(object, now, run));
        if (now + 1 >= ring.steps) return;
        for (const std::int64_t to : {-ring.distance, std::int64_t{0}, ring.distance}) {
            const std::int64_t next = (object + to + ring.objects) % ring.objects;
            run.send(ring.place(next, now + 1), ghost, next, now + 1, to == 0 ? 100 : ring.bytes);
        }
    };
    ghost = machine.entry("Worker", "ghost(int step, double* values)", [&](PlantedExecution& run) {
        run.work(1);
        const auto place = static_cast<std::size_t>(run.object() * (ring.steps + 1) + run.data());
        if (++arrived[place] == 3) step(run);
    });
    const int begin = machine.entry("Worker", "begin()", step);
    const int setup = machine.entry("Main", "setup()", [&](PlantedExecution& run) {
        run.work(1);
        for (std::int64_t object = 0; object < ring.objects; ++object)
            if (ring.place(object, 0) == run.pe()) run.send(run.pe(), begin, object);
    });
    const int main = machine.entry("Main", "Main(CkArgMsg* impl_msg)", [&](PlantedExecution& run) {
        run.work(1);
        run.broadcast(setup);
    });
    machine.start(0, main, 0);
    return machine.run(folder);
}

// Eight objects on each PE, all alike: while one waits the others work.
QString balanced(const QString& folder, const PlantedSize& size)
{
    return runRing(shapeOf(size),
                   {.objects = 8 * size.pes,
                    .steps = 25,
                    .place = [](std::int64_t object, std::int64_t) { return std::uint32_t(object / 8); },
                    .cost = [](std::int64_t, std::int64_t, PlantedExecution& run) { return 280 + run.random(40); }},
                   folder);
}

// One object for two PEs, on other PEs in each step: no PE has more to do than another, but half of them have nothing.
// What the messages take keeps the path from being all of the run.
QString tooFewTasks(const QString& folder, const PlantedSize& size)
{
    MachineShape shape = shapeOf(size);
    shape.latency = 90;
    const std::int64_t pes = size.pes;
    return runRing(shape,
                   {.objects = pes / 2,
                    .steps = 80,
                    .place = [pes](std::int64_t object,
                                   std::int64_t step) { return std::uint32_t((2 * object + 3 * step) % pes); },
                    .cost = [](std::int64_t, std::int64_t, PlantedExecution& run) { return 290 + run.random(20); }},
                   folder);
}

// 32 chains on each PE, of tasks that take about as long as it takes to schedule them.
QString fineGrains(const QString& folder, const PlantedSize& size)
{
    MachineShape shape = shapeOf(size);
    shape.overhead = 3;
    PlantedMachine machine(shape);
    int tick = 0;
    tick = machine.entry("Worker", "tick(int left)", [&](PlantedExecution& run) {
        run.work(2 + run.random(3));
        if (run.data() > 0) run.send(run.pe(), tick, run.object(), run.data() - 1);
    });
    const int setup = machine.entry("Main", "setup()", [&](PlantedExecution& run) {
        for (int i = 0; i < 32; ++i) run.send(run.pe(), tick, run.pe() * 32 + i, 60);
    });
    const int main = machine.entry("Main", "Main(CkArgMsg* impl_msg)",
                                   [&](PlantedExecution& run) { run.broadcast(setup); });
    machine.start(0, main, 0);
    return machine.run(folder);
}

// Many small tasks everywhere, and one on one PE that is as long as half of them: nobody can take a part of it.
QString coarseGrains(const QString& folder, const PlantedSize& size)
{
    PlantedMachine machine(shapeOf(size));
    const int small = machine.entry("Worker", "small()",
                                    [&](PlantedExecution& run) { run.work(480 + run.random(40)); });
    const int large = machine.entry("Worker", "large()", [&](PlantedExecution& run) { run.work(13'000); });
    const int setup = machine.entry("Main", "setup()", [&](PlantedExecution& run) {
        for (int i = 0; i < 52; ++i) run.send(run.pe(), small, run.pe() * 53 + i);
        if (run.pe() == run.pes() / 2) run.send(run.pe(), large, run.pe() * 53 + 52);
    });
    const int main = machine.entry("Main", "Main(CkArgMsg* impl_msg)",
                                   [&](PlantedExecution& run) { run.broadcast(setup); });
    machine.start(0, main, 0);
    return machine.run(folder);
}

// Every round stores an entry at a hashed home and fetches it once: three messages that the paper would save.
QString sharedVariables(const QString& folder, const PlantedSize& size)
{
    MachineShape shape = shapeOf(size);
    shape.latency = 150;
    PlantedMachine machine(shape);
    const auto homeOf = [&](std::int64_t key) {
        const auto self = static_cast<std::uint64_t>(key) / 1000;
        const std::uint64_t hash = (static_cast<std::uint64_t>(key) + size.seed) * 0x9e3779b97f4a7c15u >> 33;
        return static_cast<std::uint32_t>((self + 1 + hash % (size.pes - 1)) % size.pes);
    };
    int found = 0;
    const int insert = machine.entry("Worker", "insert(int key, double value)",
                                     [](PlantedExecution& run) { run.work(10); });
    const int find = machine.entry("Worker", "find(int key, int from)", [&](PlantedExecution& run) {
        run.work(10);
        run.send(static_cast<std::uint32_t>(run.data() / 1000), found, run.data() / 1000, run.data());
    });
    const auto round = [&](PlantedExecution& run, std::int64_t number) {
        if (number == 60) return;
        const std::int64_t key = run.pe() * 1000 + number;
        run.stat("shared/table/insert/results", double(key), homeOf(key));
        run.send(homeOf(key), insert, homeOf(key), key);
        run.work(90 + run.random(20));
        run.stat("shared/table/find/results", double(key), homeOf(key));
        run.send(homeOf(key), find, homeOf(key), key);
    };
    found = machine.entry("Worker", "found(int key, double value)",
                          [&](PlantedExecution& run) { round(run, run.data() % 1000 + 1); });
    const int setup = machine.entry("Main", "setup()", [&](PlantedExecution& run) { round(run, 0); });
    const int main = machine.entry("Main", "Main(CkArgMsg* impl_msg)",
                                   [&](PlantedExecution& run) { run.broadcast(setup); });
    machine.start(0, main, 0);
    return machine.run(folder);
}

// Every fourth PE has objects with three times the work, always; neighbours are on neighbouring PEs.
QString persistentImbalance(const QString& folder, const PlantedSize& size)
{
    return runRing(shapeOf(size),
                   {.objects = 8 * size.pes,
                    .steps = 20,
                    .place = [](std::int64_t object, std::int64_t) { return std::uint32_t(object / 8); },
                    .cost = [](std::int64_t object, std::int64_t,
                               PlantedExecution& run) { return (object / 8 % 4 == 0 ? 720 : 240) + run.random(20); },
                    .distance = 8},
                   folder);
}

// The same, but other PEs every ten steps: all have as much to do in the end.
QString transientImbalance(const QString& folder, const PlantedSize& size)
{
    return runRing(shapeOf(size),
                   {.objects = 8 * size.pes,
                    .steps = 40,
                    .place = [](std::int64_t object, std::int64_t) { return std::uint32_t(object / 8); },
                    .cost =
                        [](std::int64_t object, std::int64_t step, PlantedExecution& run) {
                            return (object / 8 % 4 == step / 10 ? 720 : 240) + run.random(20);
                        },
                    .distance = 8},
                   folder);
}

// Neighbours on different nodes, and large messages between them; with neighbours on one node half of them would stay.
QString remoteTraffic(const QString& folder, const PlantedSize& size)
{
    MachineShape shape = shapeOf(size);
    shape.pesPerNode = size.pes / 2;
    shape.networkLatency = 20;
    shape.bytesPerMicrosecond = 1000;
    const std::int64_t half = size.pes / 2;
    return runRing(shape,
                   {.objects = 3 * size.pes,
                    .steps = 40,
                    .place = [half](std::int64_t object,
                                    std::int64_t) { return std::uint32_t(object % 2 * half + object / 2 % half); },
                    .cost = [](std::int64_t, std::int64_t, PlantedExecution& run) { return 90 + run.random(20); },
                    .bytes = 600'000},
                   folder);
}

// In each iteration a chain over all PEs waits behind work that could as well be done while it passes: in small tasks,
// so that a hop with priority would not wait long for the one that runs.
QString chainBehindBulk(const QString& folder, const PlantedSize& size)
{
    PlantedMachine machine(shapeOf(size));
    const std::int64_t hopTime = 3600 / size.pes, bulkTime = hopTime / 3;
    int hop = 0, step = 0;
    const int bulk = machine.entry("Worker", "bulk()",
                                   [bulkTime](PlantedExecution& run) { run.work(bulkTime - 1 + run.random(3)); });
    hop = machine.entry("Worker", "chain_hop(int iteration)", [&](PlantedExecution& run) {
        run.work(hopTime);
        if (run.pe() + 1 < run.pes()) return run.send(run.pe() + 1, hop, run.pe() + 1, run.data());
        if (run.data() + 1 < 10)
            for (std::uint32_t pe = 0; pe < run.pes(); ++pe) run.send(pe, step, pe, run.data() + 1);
    });
    step = machine.entry("Worker", "step(int iteration)", [&](PlantedExecution& run) {
        for (std::int64_t work = 0; work < 3600; work += bulkTime) run.send(run.pe(), bulk, run.pe());
        if (run.pe() == 0) run.send(0, hop, 0, run.data());
        run.work(1);
    });
    const int main = machine.entry("Main", "Main(CkArgMsg* impl_msg)", [&](PlantedExecution& run) {
        for (std::uint32_t pe = 0; pe < run.pes(); ++pe) run.send(pe, step, pe, 0);
    });
    machine.start(0, main, 0);
    return machine.run(folder);
}

// Enough objects, all alike, small messages within one node: but each takes longer than the work of a step.
QString slowNetwork(const QString& folder, const PlantedSize& size)
{
    MachineShape shape = shapeOf(size);
    shape.latency = 600;
    return runRing(shape,
                   {.objects = 3 * size.pes,
                    .steps = 40,
                    .place = [](std::int64_t object, std::int64_t) { return std::uint32_t(object / 3); },
                    .cost = [](std::int64_t, std::int64_t, PlantedExecution& run) { return 90 + run.random(20); }},
                   folder);
}

// All ask PE 0 for every little piece of work; it answers at once, but the way there and back is long.
QString hotReceiver(const QString& folder, const PlantedSize& size)
{
    MachineShape shape = shapeOf(size);
    shape.latency = 100;
    PlantedMachine machine(shape);
    int ask = 0;
    const int work = machine.entry("Worker", "work(int left)", [&](PlantedExecution& run) {
        run.work(28 + run.random(4));
        if (run.data() > 0) run.send(0, ask, run.object(), run.data());
    });
    ask = machine.entry("Main", "ask(int object)", [&](PlantedExecution& run) {
        run.work(1);
        run.send(static_cast<std::uint32_t>(run.object() / 3), work, run.object(), run.data() - 1);
    });
    const int setup = machine.entry("Main", "setup()", [&](PlantedExecution& run) {
        for (int i = 0; i < 3 && run.pe() > 0; ++i) run.send(run.pe(), work, run.pe() * 3 + i, 60);
    });
    const int main = machine.entry("Main", "Main(CkArgMsg* impl_msg)",
                                   [&](PlantedExecution& run) { run.broadcast(setup); });
    machine.start(0, main, 0);
    return machine.run(folder);
}

// A reduction over all PEs after each short step, up a binary tree, and a broadcast of its result.
QString reductions(const QString& folder, const PlantedSize& size)
{
    MachineShape shape = shapeOf(size);
    shape.latency = 40;
    PlantedMachine machine(shape);
    std::vector<int> done(size.pes), arrived(size.pes);
    int reduce = 0, result = 0, resume = 0;
    const auto contribute = [&](PlantedExecution& run) {  // the sum of this PE and those below it in the tree
        const std::uint32_t pe = run.pe();
        const int children = (2 * pe + 1 < size.pes) + (2 * pe + 2 < size.pes);
        if (done[pe] < 4 || arrived[pe] < children) return;
        done[pe] = arrived[pe] = 0;
        if (pe == 0) run.send(0, result, 0, run.data());
        else run.send((pe - 1) / 2, reduce, 0, run.data());
    };
    const int step = machine.entry("Worker", "step(int number)", [&](PlantedExecution& run) {
        run.work(45 + run.random(10));
        ++done[run.pe()];
        contribute(run);
    });
    reduce = machine.entry("CkReductionMgr", "RecvMsg(CkReductionMsg* impl_msg)", [&](PlantedExecution& run) {
        run.work(2);
        ++arrived[run.pe()];
        contribute(run);
    });
    result = machine.entry("Main", "redn_wrapper_next(CkReductionMsg *impl_msg)", [&](PlantedExecution& run) {
        run.work(2);
        if (run.data() < 80) run.broadcast(resume, run.data() + 1);
    });
    resume = machine.entry("Worker", "resume(int number)", [&](PlantedExecution& run) {
        for (int i = 0; i < 4; ++i) run.send(run.pe(), step, run.pe() * 4 + i, run.data());
        run.work(1);
    });
    const int main = machine.entry("Main", "Main(CkArgMsg* impl_msg)",
                                   [&](PlantedExecution& run) { run.broadcast(resume); });
    machine.start(0, main, 0);
    return machine.run(folder);
}

// A search in which better bounds queue behind ten expansions; nobody ever idles.
QString speculation(const QString& folder, const PlantedSize& size)
{
    PlantedMachine machine(shapeOf(size));
    std::vector<double> bound(size.pes, 1e6);
    int expand = 0;
    const int newBound = machine.entry("Worker", "new_bound(double value)", [&](PlantedExecution& run) {
        run.work(2);
        bound[run.pe()] = std::min(bound[run.pe()], double(run.data()));
    });
    expand = machine.entry("Worker", "expand(int left)", [&](PlantedExecution& run) {
        double& known = bound[run.pe()];
        run.stat("shared/monotonic/read/bound", known);
        run.work(380 + run.random(40));
        const double value = 900'000 - double(run.now()) + run.random(2000);
        const bool isBetter = value < known;
        run.stat("shared/monotonic/update/bound", value, isBetter ? 1 : 0);
        if (isBetter) known = value;
        if (isBetter) run.broadcast(newBound, std::int64_t(value));
        if (run.data() > 0) run.send(run.pe(), expand, run.object(), run.data() - 1);
    });
    const int setup = machine.entry("Main", "setup()", [&](PlantedExecution& run) {
        for (int i = 0; i < 10; ++i) run.send(run.pe(), expand, run.pe() * 10 + i, 12);
    });
    const int main = machine.entry("Main", "Main(CkArgMsg* impl_msg)",
                                   [&](PlantedExecution& run) { run.broadcast(setup); });
    machine.start(0, main, 0);
    return machine.run(folder);
}

// One chain over all PEs; each of its tasks leaves a little work beside it.
QString serialChain(const QString& folder, const PlantedSize& size)
{
    PlantedMachine machine(shapeOf(size));
    int hop = 0;
    const int aside = machine.entry("Worker", "aside()", [](PlantedExecution& run) { run.work(50 + run.random(20)); });
    hop = machine.entry("Worker", "hop(int left)", [&](PlantedExecution& run) {
        for (std::uint32_t i = 1; i <= run.pes() / 2; ++i) {
            const std::uint32_t pe = (run.pe() + 2 * i + 1) % run.pes();
            if (pe != run.pe() && pe != (run.pe() + 1) % run.pes()) run.send(pe, aside, pe);
        }
        run.work(380 + run.random(40));
        const std::uint32_t next = (run.pe() + 1) % run.pes();
        if (run.data() > 0) run.send(next, hop, next, run.data() - 1);
    });
    const int main = machine.entry("Main", "Main(CkArgMsg* impl_msg)",
                                   [&](PlantedExecution& run) { run.send(0, hop, 0, 200); });
    machine.start(0, main, 0);
    return machine.run(folder);
}

// PE 0 prepares every job for the others and cannot keep up.
QString master(const QString& folder, const PlantedSize& size)
{
    PlantedMachine machine(shapeOf(size));
    const std::int64_t workTime = 10 * size.pes;
    std::int64_t left = 60 * size.pes;
    int request = 0;
    const int job = machine.entry("Worker", "job(int number)", [&](PlantedExecution& run) {
        run.work(workTime + run.random(10));
        run.send(0, request, 0, run.pe());
    });
    request = machine.entry("Main", "request(int pe)", [&](PlantedExecution& run) {
        run.work(38 + run.random(4));
        if (left-- > 0) run.send(static_cast<std::uint32_t>(run.data()), job, run.data());
    });
    const int main = machine.entry("Main", "Main(CkArgMsg* impl_msg)", [&](PlantedExecution& run) {
        for (std::uint32_t pe = 1; pe < run.pes(); ++pe)
            for (int i = 0; i < 2; ++i) run.send(pe, job, pe);
    });
    machine.start(0, main, 0);
    return machine.run(folder);
}

constexpr std::array runs{
    PlantedRun{"balanced", "", 4, balanced},
    PlantedRun{"too few tasks", "parallelism", 8, tooFewTasks},
    PlantedRun{"fine grains", "grainsize", 4, fineGrains},
    PlantedRun{"coarse grains", "grainsize", 4, coarseGrains},
    PlantedRun{"shared variables", "shared_variables", 4, sharedVariables},
    PlantedRun{"persistent imbalance", "load_balance", 8, persistentImbalance},
    PlantedRun{"transient imbalance", "load_balance", 8, transientImbalance},
    PlantedRun{"remote traffic", "locality", 8, remoteTraffic},
    PlantedRun{"chain behind bulk", "scheduling", 4, chainBehindBulk},
    PlantedRun{"slow network", "latency", 4, slowNetwork},
    PlantedRun{"hot receiver", "latency", 16, hotReceiver},
    PlantedRun{"reductions", "synchronization", 4, reductions},
    PlantedRun{"speculation", "speculative", 4, speculation},
    PlantedRun{"serial chain", "serial_chain", 8, serialChain},
    PlantedRun{"master", "bottleneck", 8, master},
};

}  // namespace

std::span<const PlantedRun> plantedRuns() { return runs; }

QString requestsAndReplies(const QString& folder, const PlantedSize& size, bool requestsFirst, bool repliesFirst,
                           std::int64_t* duration)
{
    PlantedMachine machine(shapeOf(size));
    constexpr int iterations = 12, trips = 20, pieces = 120;
    std::vector<int> left(size.pes);
    int reported = 0, request = 0, done = 0, step = 0;
    const int bulk = machine.entry("Worker", "bulk()", [&](PlantedExecution& run) {
        run.work(9 + run.random(3));
        if (--left[run.pe()] == 0) run.send(0, done, 0, run.data());
    });
    const int reply = machine.entry("Worker", "reply(int left)", [&](PlantedExecution& run) {
        run.work(15 + run.random(10));
        const std::int64_t trip = run.data() % 100, iteration = run.data() / 100;
        if (trip == 0) return run.send(0, done, 0, iteration);
        run.send(run.pe() + 1, request, run.pe() + 1, iteration * 100 + trip - 1);
    });
    request = machine.entry("Worker", "request(int left)", [&](PlantedExecution& run) {
        run.work(15 + run.random(10));
        run.send(run.pe() - 1, reply, run.pe() - 1, run.data());
    });
    step = machine.entry("Worker", "step(int iteration)", [&](PlantedExecution& run) {
        left[run.pe()] = pieces;
        for (int i = 0; i < pieces; ++i) run.send(run.pe(), bulk, run.pe(), run.data());
        if (run.pe() % 2 == 0) run.send(run.pe() + 1, request, run.pe() + 1, run.data() * 100 + trips);
        run.work(1);
    });
    done = machine.entry("Main", "done(int iteration)", [&](PlantedExecution& run) {
        run.work(1);
        if (++reported < static_cast<int>(size.pes + size.pes / 2)) return;
        reported = 0;
        if (run.data() + 1 < iterations)
            for (std::uint32_t pe = 0; pe < run.pes(); ++pe) run.send(pe, step, pe, run.data() + 1);
    });
    const int main = machine.entry("Main", "Main(CkArgMsg* impl_msg)", [&](PlantedExecution& run) {
        for (std::uint32_t pe = 0; pe < run.pes(); ++pe) run.send(pe, step, pe, 0);
    });
    if (requestsFirst) machine.prioritize(request);
    if (repliesFirst) machine.prioritize(reply);
    machine.start(0, main, 0);
    QString written = machine.run(folder);
    if (duration != nullptr) *duration = machine.duration();
    return written;
}

}  // namespace longpole
