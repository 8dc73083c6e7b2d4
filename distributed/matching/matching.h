// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the partners of the ranks that a process hosts, together with the processes that host the others: what
// matchMpi() finds when it has all ranks in memory.
#pragma once

#include "distributed/matching/hosting.h"
#include "distributed/transport/transport.h"
#include "importers/common/importlog.h"
#include "importers/mpi/partners.h"
#include "importers/mpi/taskbegins.h"

#include <memory>
#include <span>

namespace longpole {

// The ranks of one process. `begins` is empty or by rank; all must outlive the partners.
struct HostedRanks {
    const MpiRunNames& names;
    const Hosting& hosting;
    std::span<const MpiRank> ranks;
    std::span<const TaskBegins> begins;
};

// Soft errors, in the order in which matchMpi() notes them if each of them is merged over all processes in turn.
struct MatchingLogs {
    ImportLog collectives;  // of the run, at process 0
    ImportLog strangers;
    ImportLog leftovers;
};

// All processes call it. Error: the transport failed, or another process told what cannot be.
Result<std::unique_ptr<MpiPartners>> exchangePartners(Transport& transport, const HostedRanks& hosted,
                                                      MatchingLogs& logs);

}  // namespace longpole
