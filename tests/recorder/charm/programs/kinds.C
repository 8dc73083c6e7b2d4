// SPDX-License-Identifier: GPL-3.0-or-later
// Ten kinds of programs, in which priorities help more or less: kinds KIND ITERATIONS [BY-HAND [PATH-EVERY]]. With
// BY-HAND 1 the program's source itself prefers what is critical. Tasks sleep: their times are true however few
// processors there are. Prints the time of the iterations, and with PATH-EVERY n of each n-th the path that it asks
// for.
#include "charm++.h"
#include "kinds.decl.h"
#include "longpole.h"

#include <stdlib.h>
#include <time.h>

CProxy_Main mainProxy;
CProxy_Pipeline pipeline;
CProxy_Lu lu;
CProxy_ForkJoin forkJoin;
CProxy_TwoChains twoChains;
CProxy_Stencil stencil;
CProxy_Requests requests;
CProxy_Solver solver;
CProxy_WrongAsked wrongAsked;
CProxy_Nothing nothing;
CProxy_LoadBound loadBound;
int kind, byHand, reports;

static void work(long microseconds)
{
    struct timespec time = {0, microseconds * 1000};
    nanosleep(&time, 0);
}

// How a message is queued: preferred only by hand, or always.
struct Prefer : CkEntryOptions {
    explicit Prefer(int priority, bool isAsked = byHand == 1)
    {
        if (!isAsked) return;
        setPriority(priority);
        setQueueing(CK_QUEUEING_IFIFO);
    }
};

static int next() { return (CkMyPe() + 1) % CkNumPes(); }
static bool isLast() { return CkMyPe() + 1 == CkNumPes(); }
static void partDone() { mainProxy.part_done(); }

enum { items = 6, columns = 8, hops = 8, steps = 6, asked = 4, phases = 3 };

struct Main : CBase_Main {
    int iterations = 0, done = 0, parts = 0;
    double begun = 0;
    explicit Main(CkArgMsg* arguments)
    {
        kind = arguments->argc > 1 ? atoi(arguments->argv[1]) : 0;
        iterations = arguments->argc > 2 ? atoi(arguments->argv[2]) : 10;
        byHand = arguments->argc > 3 ? atoi(arguments->argv[3]) : 0;
        reports = arguments->argc > 4 ? atoi(arguments->argv[4]) : 0;
        delete arguments;
        mainProxy = thisProxy;
        pipeline = CProxy_Pipeline::ckNew();
        lu = CProxy_Lu::ckNew();
        forkJoin = CProxy_ForkJoin::ckNew();
        twoChains = CProxy_TwoChains::ckNew();
        stencil = CProxy_Stencil::ckNew();
        requests = CProxy_Requests::ckNew();
        solver = CProxy_Solver::ckNew();
        wrongAsked = CProxy_WrongAsked::ckNew();
        nothing = CProxy_Nothing::ckNew();
        loadBound = CProxy_LoadBound::ckNew();
        begun = CkWallTimer();
        go();
    }
    void go()
    {
        const int pes = CkNumPes();
        switch (kind) {
        case 0:
            parts = items + pes;
            pipeline.begin_batch(done);
            return;
        case 1:
            parts = columns * pes;
            lu.begin();
            return;
        case 2:
            parts = 2 * pes;
            forkJoin.fork();
            return;
        case 3:
            parts = pes + 2;
            twoChains.begin();
            return;
        case 4:
            parts = pes;
            stencil.begin();
            return;
        case 5:
            parts = 2 * pes;
            requests.begin();
            return;
        case 6:
            parts = pes + 1;
            solver.begin();
            return;
        case 7:
            parts = pes + 1;
            wrongAsked.begin();
            return;
        case 8:
            parts = 2 * pes;
            nothing.begin();
            return;
        default:
            parts = pes;
            loadBound.begin();
            return;
        }
    }
    void part_done()
    {
        if (--parts > 0) return;
        ++done;
        longpoleIteration();
        if (reports > 0 && done % reports == 0) longpolePath(CkCallback(CkIndex_Main::path_found(0), thisProxy));
        else if (done < iterations) go();
        else end();
    }
    void path_found(LongpolePath* path)
    {
        CkPrintf("path %lld ns, %d steps, first share %lld ns\n", (long long)path->length, path->stepCount,
                 path->shareCount > 0 ? (long long)path->shares[0].time : 0LL);
        delete path;
        longpolePathReset();
        if (done < iterations) go();
        else end();
    }
    void end()
    {
        CkPrintf("took %.3f ms\n", (CkWallTimer() - begun) * 1000 / iterations);
        CkExit();
    }
};

// Items go through all PEs; the second last is slow and has little else to do.
struct Pipeline : CBase_Pipeline {
    int left = 0;
    bool isSlow() const { return CkMyPe() == CkNumPes() - 2; }
    void begin_batch(int)
    {
        left = isSlow() ? 1 : 10;
        for (int k = left; k > 0; --k) thisProxy[CkMyPe()].side_task(k);
        for (int i = 0; CkMyPe() == 0 && i < items; ++i) send(0, i);
    }
    void send(int pe, int item)
    {
        Prefer options(-5);
        thisProxy[pe].stage_item(item, &options);
    }
    void side_task(int k)
    {
        work(300 + k % 3 * 100);
        if (--left == 0) partDone();
    }
    void stage_item(int item)
    {
        work(isSlow() ? 1000 : 400);
        if (isLast()) partDone();
        else send(CkMyPe() + 1, item);
    }
};

// A panel's column is brought up to date by all panels before it; the next panel waits for that of its own column.
struct Lu : CBase_Lu {
    int owned = 0;
    void begin()
    {
        Prefer options(-5);
        if (CkMyPe() == 0) thisProxy[0].panel(0, &options);
    }
    void panel(int k)
    {
        work(800);
        Prefer options(-5);
        thisProxy.panel_arrived(k, &options);
    }
    void panel_arrived(int k)
    {
        for (int j = 0; j < 3; ++j) thisProxy[CkMyPe()].update(k);
        Prefer options(-4);
        if (k + 1 < columns && CkMyPe() == (k + 1) % CkNumPes()) thisProxy[CkMyPe()].look_ahead(k, &options);
        owned = 3;
    }
    void look_ahead(int k)
    {
        work(400);
        Prefer options(-5);
        thisProxy[CkMyPe()].panel(k + 1, &options);
    }
    void update(int k)
    {
        work(400);
        if (++updated % 3 == 0) partDone();
    }
    int updated = 0;
};

// Of the children of a fork one is long; those of even PEs bring a part of the join to the next one.
struct ForkJoin : CBase_ForkJoin {
    int left = 0;
    static bool isEven() { return CkMyPe() % 2 == 0; }
    void fork()
    {
        left = isEven() ? 8 : 2;
        for (int k = left; k > 0; --k) thisProxy[CkMyPe()].short_child();
        Prefer options(-5);
        thisProxy[CkMyPe()].long_child(&options);
    }
    void short_child()
    {
        work(500);
        if (--left == 0) partDone();
    }
    void long_child()
    {
        work(1500);
        Prefer options(-5);
        if (isEven()) thisProxy[next()].join_part(&options);
        else partDone();
    }
    void join_part()
    {
        work(4000);
        partDone();
    }
};

// Two chains over all PEs, one of which is longer, beside other tasks.
struct TwoChains : CBase_TwoChains {
    int left = 0;
    void begin()
    {
        left = 10;
        for (int k = left; k > 0; --k) thisProxy[CkMyPe()].bulk();
        if (CkMyPe() == 0) sendShort(0, 0);
        if (CkMyPe() == CkNumPes() / 2) sendLong(CkMyPe(), 0);
    }
    void sendLong(int pe, int hop)
    {
        Prefer options(-5);
        thisProxy[pe].long_chain(hop, &options);
    }
    void sendShort(int pe, int hop)
    {
        Prefer options(-3);
        thisProxy[pe].short_chain(hop, &options);
    }
    void bulk()
    {
        work(400);
        if (--left == 0) partDone();
    }
    void long_chain(int hop)
    {
        work(700);
        if (hop + 1 < hops) sendLong(next(), hop + 1);
        else partDone();
    }
    void short_chain(int hop)
    {
        work(400);
        if (hop + 1 < hops / 2) sendShort(next(), hop + 1);
        else partDone();
    }
};

// Steps of a grid; a step needs the neighbour's border of the step before. PEs are heavy in turn.
struct Stencil : CBase_Stencil {
    int step = 0, interiors = 0, ghosts = 0;
    bool hasBoundary = false;
    void begin()
    {
        step = 0;
        startStep();
    }
    void startStep()
    {
        const bool isHeavy = (CkMyPe() + step) % 2 == 0;
        interiors = isHeavy ? 6 : 1;
        hasBoundary = false;
        for (int k = interiors; k > 0; --k) thisProxy[CkMyPe()].interior();
        Prefer options(-5);
        thisProxy[CkMyPe()].boundary(step, &options);
    }
    void interior()
    {
        work(500);
        --interiors;
        stepOn();
    }
    void boundary(int of)
    {
        work(500);
        hasBoundary = true;
        Prefer options(-5);
        thisProxy[next()].ghost(of, &options);
        stepOn();
    }
    void ghost(int)
    {
        ++ghosts;
        stepOn();
    }
    void stepOn()
    {
        if (interiors > 0 || !hasBoundary || ghosts < 1) return;
        --ghosts;
        hasBoundary = false;
        if (++step < steps) startStep();
        else partDone();
    }
};

// Each PE asks the next one, again when the answer has come; requests are served between other tasks.
struct Requests : CBase_Requests {
    int left = 0;
    void begin()
    {
        left = CkMyPe() % 2 == 0 ? 12 : 3;
        for (int k = left; k > 0; --k) thisProxy[CkMyPe()].bulk();
        ask(asked);
    }
    void ask(int more)
    {
        Prefer options(-5);
        thisProxy[next()].request(CkMyPe(), more, &options);
    }
    void bulk()
    {
        work(500);
        if (--left == 0) partDone();
    }
    void request(int from, int more)
    {
        work(300);
        Prefer options(-5);
        thisProxy[from].reply(more, &options);
    }
    void reply(int more)
    {
        work(300);
        if (more > 1) ask(more - 1);
        else partDone();
    }
};

// A sequence of solves, each a chain over all PEs, beside smoothing that is known from the start.
struct Solver : CBase_Solver {
    int left = 0;
    void begin()
    {
        left = 14;
        for (int k = left; k > 0; --k) thisProxy[CkMyPe()].smooth();
        if (CkMyPe() == 0) send(0, 0, 0);
    }
    void send(int pe, int phase, int hop)
    {
        Prefer options(-5);
        thisProxy[pe].solve(phase, hop, &options);
    }
    void smooth()
    {
        work(400);
        if (--left == 0) partDone();
    }
    void solve(int phase, int hop)
    {
        work(500);
        if (hop + 1 < CkNumPes()) send(next(), phase, hop + 1);
        else if (phase + 1 < phases) send(next(), phase + 1, 0);
        else partDone();
    }
};

// The source prefers what is not critical; by hand it is put right.
struct WrongAsked : CBase_WrongAsked {
    int left = 0;
    void begin()
    {
        left = 10;
        if (CkMyPe() == 0) send(0, 0);
        for (int k = left; k > 0; --k) {
            Prefer options(-9, byHand == 0);
            thisProxy[CkMyPe()].bulk(&options);
        }
    }
    void send(int pe, int hop)
    {
        Prefer options(-5);
        thisProxy[pe].chain_hop(hop, &options);
    }
    void bulk()
    {
        work(400);
        if (--left == 0) partDone();
    }
    void chain_hop(int hop)
    {
        work(700);
        if (hop + 1 < hops) send(next(), hop + 1);
        else partDone();
    }
};

// All PEs have the same to do, and nobody waits for anybody.
struct Nothing : CBase_Nothing {
    int left = 0, right = 0;
    void begin()
    {
        left = right = 6;
        for (int k = 6; k > 0; --k) {
            thisProxy[CkMyPe()].left_half();
            Prefer options(-5);
            thisProxy[CkMyPe()].right_half(&options);
        }
    }
    void left_half()
    {
        work(500);
        if (--left == 0) partDone();
    }
    void right_half()
    {
        work(500);
        if (--right == 0) partDone();
    }
};

// One PE has three times as much to do.
struct LoadBound : CBase_LoadBound {
    int left = 0;
    void begin()
    {
        left = CkMyPe() == 1 ? 18 : 6;
        for (int k = left; k > 0; --k) {
            Prefer options(-5);
            if (k % 2 == 0) thisProxy[CkMyPe()].heavy_part(&options);
            else thisProxy[CkMyPe()].light_part();
        }
    }
    void heavy_part() { ran(700); }
    void light_part() { ran(300); }
    void ran(int time)
    {
        work(time);
        if (--left == 0) partDone();
    }
};

#include "kinds.def.h"
