// SPDX-License-Identifier: GPL-3.0-or-later
// Programs with waits as traces, and what tests look for in the wait states that were found in them.
#pragma once

#include "analysis/mpi/waitstates.h"
#include "core/store/tracestore.h"
#include "support/mpi/waitprogram.h"

#include <QTemporaryDir>

#include <cstdint>
#include <memory>
#include <vector>

namespace longpole {

// Programs written as traces into a folder that goes with this.
class WrittenWaits {
public:
    std::shared_ptr<const TraceStore> operator()(const WaitProgram& program)
    {
        return store(program.rows(), m_folder.filePath(QStringLiteral("%1.longpole").arg(m_files++)));
    }

private:
    QTemporaryDir m_folder;
    int m_files = 0;
};

inline const WaitState* state(const WaitStates& found, WaitStateKind kind)
{
    for (const WaitState& state : found.states)
        if (state.kind == kind) return &state;
    return nullptr;
}

inline DelayCost cause(const WaitStates& found, std::int64_t code, std::uint32_t rank)
{
    for (const DelayCost& cost : found.causesByRank)
        if (index(cost.entry) == code && cost.rank == rank) return cost;
    return {};
}

inline TimeNs sumOf(const std::vector<DelayCost>& causes)
{
    TimeNs sum = 0;
    for (const DelayCost& cost : causes) sum += cost.sum();
    return sum;
}

}  // namespace longpole
