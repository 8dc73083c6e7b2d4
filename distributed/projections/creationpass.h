// SPDX-License-Identifier: GPL-3.0-or-later
// What the processes of a folder of logs tell each other to match messages: each asks for the creations of what its PEs
// executed, and tells how often which was executed.
//
// A key (PE, event) of a log of another process is asked for once, of that process. Where the key is wrong, or that of
// another entry method's message, all array broadcasts with this event and entry method are asked for, of the process
// to which these two numbers belong: so whoever matches has all that the importer's matching looks at.
#pragma once

#include "core/base/progress.h"
#include "distributed/projections/exchangedcreations.h"
#include "distributed/projections/folderopening.h"
#include "distributed/transport/transport.h"
#include "importers/common/merges.h"
#include "importers/common/spill.h"
#include "importers/projections/executioncounts.h"
#include "importers/projections/processor.h"

#include <cstdint>
#include <memory>
#include <mutex>
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
                                                    const OwnLogs& own, std::span<const RecordedMerge> merges,
                                                    const Progress& progress);

// Executions of creations of any log: those of own logs are counted at once.
class ToldExecutions final : public ExecutionTally {
public:
    ToldExecutions(const HostedFolder& folder, const OwnLogs& own)
        : m_first(folder.firstLog), m_last(folder.lastLog), m_own(own.creations)
    {
    }
    void add(std::uint32_t source, std::uint32_t position) override
    {
        if (source >= m_first && source < m_last)
            return m_own.add(static_cast<std::uint32_t>(source - m_first), position);
        const std::lock_guard lock(m_mutex);
        m_others.push_back(std::uint64_t{source} << 32u | position);
    }
    std::vector<std::uint64_t> takeOthers() { return std::move(m_others); }
    ExecutionCounts& own() { return m_own; }  // by number among the own logs

private:
    std::size_t m_first, m_last;
    ExecutionCounts m_own;
    std::mutex m_mutex;                   // m_others
    std::vector<std::uint64_t> m_others;  // log and position
};

// Adds what others have executed of the own logs. All processes call it. Nothing of use after a failure.
void tellExecutions(Transport& transport, const HostedFolder& folder, const OwnLogs& own, ToldExecutions& told);

}  // namespace longpole
