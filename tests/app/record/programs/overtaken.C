// SPDX-License-Identifier: GPL-3.0-or-later
// In each of eight steps a token goes over all PEs, three times; its tasks come behind twenty others. With "1" the program
// itself prefers the token. Tasks sleep: their times are true however few processors there are. Prints the steps' time.
#include "overtaken.decl.h"

#include <time.h>

CProxy_Main mainProxy;
CProxy_Node nodes;

static void work(long microseconds)
{
    struct timespec time = {0, microseconds * 1000};
    nanosleep(&time, 0);
}

static void sendToken(int pe, int hop, bool prefers)
{
    CkEntryOptions options;
    if (prefers) {
        options.setPriority(-7);
        options.setQueueing(CK_QUEUEING_IFIFO);
    }
    nodes[pe].token(hop, prefers, &options);
}

struct Main : CBase_Main {
    int step = 0, parts = 0;
    double begin = 0;
    bool prefers = false;
    explicit Main(CkArgMsg* arguments)
    {
        prefers = arguments->argc > 1;
        mainProxy = thisProxy;
        nodes = CProxy_Node::ckNew();
        begin = CkWallTimer();
        next();
    }
    void next()
    {
        parts = 0;
        nodes.begin();
        sendToken(0, 0, prefers);
    }
    void tokenIsBack() { part(); }
    void othersAreDone() { part(); }
    void part()
    {
        if (++parts < 2) return;
        if (++step < 8) next();
        else {
            CkPrintf("took %.3f ms\n", (CkWallTimer() - begin) * 1000);
            CkExit();
        }
    }
};

struct Node : CBase_Node {
    int left = 0;
    void begin()
    {
        left = 20;
        for (int i = 0; i < left; ++i) thisProxy[CkMyPe()].other();
        thisProxy[CkMyPe()].unqueued();
    }
    void other()
    {
        work(300);
        if (--left == 0) contribute(CkCallback(CkReductionTarget(Main, othersAreDone), mainProxy));
    }
    void token(int hop, int prefers)
    {
        work(600);
        if (hop + 1 == 3 * CkNumPes()) mainProxy.tokenIsBack();
        else sendToken((CkMyPe() + 1) % CkNumPes(), hop + 1, prefers);
    }
    void unqueued() {}
};

#include "overtaken.def.h"
