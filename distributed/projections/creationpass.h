// SPDX-License-Identifier: GPL-3.0-or-later
// What the processes of a folder of logs tell each other to match messages: each asks for the creations of what its PEs
// executed, and tells how often which was executed.
//
// A key (PE, event) is asked for once, of the process that reads that PE's log. Where the key is wrong, or that of
// another entry method's message, all array broadcasts with this event and entry method are asked for, of the process
// to which these two numbers belong: so whoever matches has all that the importer's matching looks at.
#pragma once

#include "distributed/projections/exchangedcreations.h"
#include "distributed/projections/folderopening.h"
#include "distributed/transport/transport.h"
#include "importers/common/merges.h"
#include "importers/common/spill.h"
#include "importers/projections/processor.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace longpole {

enum ProjectionsPass : std::uint16_t {
    AskCreations = 400,
    GiveCreations,
    DealBroadcasts,
    AskBroadcasts,
    GiveBroadcasts,
    TellExecutions
};

// What this process has read of its own logs, by log.
struct OwnLogs {
    std::span<const ProcessorResult> results;  // whose creations have been taken
    const std::vector<Creations>& creations;
    const Spill& creationSpill;
    const Spill& executionSpill;
};

// All processes call it. `merges`: of the whole run, on each. Null after a failure.
std::unique_ptr<ExchangedCreations> askForCreations(Transport& transport, const HostedFolder& folder,
                                                    const OwnLogs& own, std::span<const RecordedMerge> merges);

// Executions of creations of any log.
class ToldExecutions final : public ExecutionTally {
public:
    void add(std::uint32_t source, std::uint32_t position) override
    {
        m_creations.push_back(std::uint64_t{source} << 32u | position);
    }
    std::vector<std::uint64_t> take() { return std::move(m_creations); }

private:
    std::vector<std::uint64_t> m_creations;
};

// How often each creation of the own logs was executed, by log and position. All processes call it. Nothing of use
// after a failure.
std::vector<std::vector<std::int64_t>> tellExecutions(Transport& transport, const HostedFolder& folder,
                                                      const OwnLogs& own, ToldExecutions& told);

}  // namespace longpole
