// SPDX-License-Identifier: GPL-3.0-or-later
// The calls, waits and messages of hosted ranks that the search for the causes of waits needs. A message is between two
// calls, each of which only the process of its rank can name; they tell each other.
#pragma once

#include "analysis/mpi/waitrecords.h"
#include "core/base/progress.h"
#include "distributed/recording/hostedtrace.h"
#include "distributed/transport/transport.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Numbers of messages between the processes, in the search for causes.
enum CausePassNumber : std::uint16_t {
    NameMessages = 340,
    TellMessages,
    AskMeetings,
    TellMeetings,
    BlameWaits,
    HandOn,
    ThreadsInTurn
};

struct CauseRecords {
    std::uint32_t first = 0;
    std::vector<WaitRank> ranks;       // hosted. Of their messages those in which the peer did not end its wait later
    std::vector<std::uint32_t> calls;  // of all ranks of the run: how many each has

    bool hosts(std::uint32_t rank) const { return rank >= first && rank - first < ranks.size(); }
    const WaitRank& rank(std::uint32_t number) const { return ranks[number - first]; }
    // Whether the run has the call that a wait was for.
    bool hasCulprit(const WaitCall& wait) const
    {
        return wait.culprit >= 0 && static_cast<std::size_t>(wait.culprit) < calls.size()
               && wait.culpritCall < calls[static_cast<std::size_t>(wait.culprit)];
    }
};

// All processes call it. Errors: damaged chunks, cancelled, at all of them.
Result<CauseRecords> causeRecords(Transport& transport, const HostedTrace& trace, const Progress& progress);

}  // namespace longpole
