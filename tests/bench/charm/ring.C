// SPDX-License-Identifier: GPL-3.0-or-later
// What keeping the path costs (Dooley, Arya, Kale 2010, figure 7): ring KIND GRAIN ROUNDS runs rounds in turn without
// and with it. Kind 0: a message that goes round; 1: a grid in which each sends to four. Rounds take a few milliseconds
// however long tasks are, so that few are interrupted. Prints nanoseconds a task without and with, of the rounds that
// one in ten stays below.
#include "ring.decl.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace longpole_module {
enum class Recording : std::int32_t { Off, On, Forget };
void setRecordingEverywhere(Recording recording);
}  // namespace longpole_module

CProxy_Main mainProxy;
CProxy_Node nodes;
int nodeCount, side;
static volatile double sink;

static void spin(int grain)
{
    double x = 1;
    for (int i = 0; i < grain; ++i) x = x * 1.0000001 + 1e-9;
    sink = sink + x;
}

struct Main : CBase_Main {
    int kind, grain, rounds, hops, steps, round = 0, left = 0;
    double begun = 0;
    std::vector<double> times[2];
    explicit Main(CkArgMsg* arguments)
    {
        kind = atoi(arguments->argv[1]);
        grain = atoi(arguments->argv[2]);
        rounds = atoi(arguments->argv[3]);
        delete arguments;
        // A unit of grain takes some 2 ns, a task without any 300.
        hops = std::max(10, std::min(2000, 1000000 / (grain + 200)));
        side = grain > 5000 ? 4 : 8;
        steps = std::max(1, std::min(20, 2 * hops / (side * side * 4)));
        nodeCount = kind == 1 ? side * side : 16;
        mainProxy = thisProxy;
        nodes = CProxy_Node::ckNew(nodeCount);
        go();
    }
    int tasks() const { return kind == 1 ? side * side * steps * 4 : hops; }
    void go()
    {
        using longpole_module::Recording;
        longpole_module::setRecordingEverywhere(round % 2 == 1 ? Recording::On : Recording::Off);
        begun = CkWallTimer();
        left = kind == 1 ? nodeCount : 1;
        if (kind == 0) nodes[0].hop(hops, grain);
        for (int i = 0; kind == 1 && i < nodeCount; ++i)
            for (int k = 0; k < 4; ++k) nodes[i].ghost(0, grain, steps);
    }
    void done()
    {
        if (--left > 0) return;
        times[round % 2].push_back((CkWallTimer() - begun) * 1e9 / tasks());
        if (++round < 2 * rounds) {
            go();
            return;
        }
        for (std::vector<double>& of : times) std::sort(of.begin(), of.end());
        CkPrintf("ns a task %.1f %.1f\n", times[0][static_cast<std::size_t>(rounds / 10)],
                 times[1][static_cast<std::size_t>(rounds / 10)]);
        CkExit();
    }
};

struct Node : CBase_Node {
    int got[64] = {0};
    Node() {}
    explicit Node(CkMigrateMessage*) {}
    void hop(int left, int grain)
    {
        spin(grain);
        if (left == 0) mainProxy.done();
        else thisProxy[(thisIndex + 1) % nodeCount].hop(left - 1, grain);
    }
    void ghost(int step, int grain, int steps)
    {
        if (++got[step] < 4) return;
        got[step] = 0;
        spin(grain * 4);
        if (step + 1 == steps) {
            mainProxy.done();
            return;
        }
        const int x = thisIndex % side, y = thisIndex / side, last = side - 1;
        const int next[4] = {y * side + (x + 1) % side, y * side + (x + last) % side, (y + 1) % side * side + x,
                             (y + last) % side * side + x};
        for (int k = 0; k < 4; ++k) thisProxy[next[k]].ghost(step + 1, grain, steps);
    }
};

#include "ring.def.h"
