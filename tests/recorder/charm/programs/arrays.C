// SPDX-License-Identifier: GPL-3.0-or-later
// What chare arrays do, for paths: broadcasts, ghosts that are merged (with the macros of Dooley, Arya and Kale),
// reductions, inline calls, a ring, Structured Dagger, and a thread that waits: arrays [MOVES]. With 1 what the ring
// has passed moves to another PE, as balancers move it. Tasks sleep.
#include "arrays.decl.h"
#include "charm++.h"
#include "longpole.h"

#include <stdlib.h>
#include <time.h>

CProxy_Main mainProxy;
CProxy_Cell cells;
CProxy_Asker askers;
int cellCount, moves;

static void doWork(long microseconds)
{
    struct timespec time = {0, microseconds * 1000};
    nanosleep(&time, 0);
}

struct Main : CBase_Main {
    int steps = 0, asked = 0;
    explicit Main(CkArgMsg* arguments)
    {
        moves = arguments->argc > 1 ? atoi(arguments->argv[1]) : 0;
        delete arguments;
        mainProxy = thisProxy;
        cellCount = 10;
        cells = CProxy_Cell::ckNew(cellCount);
        askers = CProxy_Asker::ckNew(cellCount);
        cells.step(0);
    }
    void step_done()
    {
        if (++steps < 6) cells.step(steps);
        else cells[0].ring(40);
    }
    void ring_done() { askers.ask(); }
    void asked_done()
    {
        if (++asked == cellCount) thisProxy.at_end();
    }
    int answer_late()
    {
        doWork(400);
        return 1;
    }
    void at_end()
    {
        doWork(300);
        thisProxy.answer_late();
        doWork(200);
        thisProxy.finish();
    }
    void finish()
    {
        doWork(100);
        CkExit();
    }
};

struct Cell : CBase_Cell {
    int ghosts = 0;
    MERGE_PATH_DECLARE(ghosts);
    Cell() {}
    explicit Cell(CkMigrateMessage*) {}
    void step(int number)
    {
        doWork(200 + 150 * ((thisIndex * 7 + number * 3) % 5));
        thisProxy[(thisIndex + 1) % cellCount].ghost(number);
        thisProxy[thisIndex].inlined();
        thisProxy[(thisIndex + cellCount - 1) % cellCount].ghost(number);
    }
    void inlined() { doWork(150); }
    void ghost(int number)
    {
        MERGE_PATH_MAX(ghosts);
        if (++ghosts < 2) return;
        ghosts = 0;
        MERGE_PATH_RESET(ghosts);
        doWork(300 + 100 * ((thisIndex + number) % 3));
        contribute(CkCallback(CkReductionTarget(Main, step_done), mainProxy));
    }
    void ring(int hops)
    {
        doWork(250);
        if (hops == 0) mainProxy.ring_done();
        else thisProxy[(thisIndex + 1) % cellCount].ring(hops - 1);
        if (moves) migrateMe((CkMyPe() + 1) % CkNumPes());  // and nothing after it
    }
};

struct Asker : CBase_Asker {
    Asker_SDAG_CODE int left = 0;
    Asker() {}
    explicit Asker(CkMigrateMessage*) {}
};

#include "arrays.def.h"
