// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/machines/machineprograms.h"

#include "support/machines/machineprogramkinds.h"

namespace longpole {

const std::vector<MachineProgram>& machinePrograms()
{
    using namespace machineprogram;
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
    static const MachineProgram program{"broadcast_panels",
                                        machineprogram::broadcastPanels,
                                        {"panel", "next_column", "apply"}};
    return program;
}

}  // namespace longpole
