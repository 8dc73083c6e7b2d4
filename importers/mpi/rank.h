// SPDX-License-Identifier: GPL-3.0-or-later
// What matching needs to know of one rank: its MPI calls, and what each of them sent, received and synchronized.
#pragma once

#include "core/base/timerange.h"
#include "importers/mpi/callkind.h"
#include "importers/mpi/source.h"

#include <cstdint>
#include <vector>

namespace longpole {

constexpr std::uint32_t noCall = 0xffffffffu;
constexpr std::uint32_t noPiece = 0xffffffffu;

// One MPI call of a rank. Tasks are the code outside of MPI: `piece` is the row of the task that ends where the call
// begins, `after` that of the task that begins where it ends. If another thread than the rank's own makes the call,
// `piece` is the task in which the rank is when the call begins (noPiece: it is in a call itself), and `after` is the
// first task that the rank begins once the call has ended.
struct MpiCall {
    TimeNs begin = 0;
    TimeNs end = 0;
    std::uint32_t region = 0;
    std::uint32_t location = 0;
    std::uint32_t piece = noPiece;
    std::uint32_t after = noPiece;
    std::uint32_t hub = noPiece;  // of a call in which every member waits for all: a task without length at `begin`,
                                  // between piece and after (the virtual node of docs/algorithms.md 1.2)
    std::uint32_t path = noCallPath;
    bool isOpen = false;     // had no end
    bool isPolling = false;  // begins with a loop of polls that found nothing
};

struct MpiSend {
    std::uint32_t call = noCall;        // the call that started it
    std::uint32_t completion = noCall;  // the call that completed it; noCall if none did
    std::uint32_t comm = noComm;
    std::uint32_t to = 0;
    std::int32_t tag = 0;
    bool isSynchronous = false;
    bool isCancelled = false;
    std::int64_t bytes = 0;
};

struct MpiReceive {
    std::uint32_t call = noCall;  // the call that posted it
    std::uint32_t completion = noCall;
    std::uint32_t comm = noComm;
    std::uint32_t from = 0;
    std::int32_t tag = 0;
    bool isCancelled = false;
    std::int64_t bytes = 0;
    bool isEmpty = false;    // from MPI_PROC_NULL: there never was a message; then isCancelled, too
    bool isMatched = false;  // MPI_Mrecv, MPI_Imrecv: of a message that a probe has taken
    bool isPlaced = false;  // it takes a message of this channel, also if nobody ever hears of that: no completion then
    bool isFreed = false;   // while it was open
};

struct MpiProbe {  // that found a message
    std::uint32_t call = noCall;
    std::uint32_t comm = noComm;
    std::uint32_t from = 0;
    std::int32_t tag = 0;
    bool takes = false;  // only an MPI_Mrecv or MPI_Imrecv can receive it then
};

struct MpiCollectivePart {
    std::uint32_t call = noCall;
    std::uint32_t completion = noCall;  // == call unless non-blocking
    std::uint32_t comm = noComm;
    CollectiveKind kind = CollectiveKind::None;
    std::int32_t root = noRank;
    MpiMoved moved{};
    bool isStarted = false;  // by MPI_Start: the call's name does not say what it is
};

struct MpiTransfer {  // of a one-sided or file call
    std::uint32_t call = noCall;
    std::uint32_t comm = noComm;
    std::int32_t peer = noRank;
    MpiMoved moved{};
};

struct MpiWindowStep {  // MpiEvents::atWindow
    std::uint32_t call = noCall;
    std::uint32_t comm = noComm;
    std::int32_t window = 0;
    WindowStep step{};
    std::int32_t peer = noRank;
    bool isExclusive = false;
};

// Calls in begin order (of several threads: merged); sends, receives, probes and parts in the order of their calls.
struct MpiRank {
    std::vector<MpiCall> calls;
    std::vector<MpiSend> sends;        // row number = MessageId::index
    std::vector<MpiReceive> receives;  // in order of posting
    std::vector<MpiProbe> probes;
    std::vector<MpiTransfer> transfers;
    std::vector<MpiWindowStep> windowSteps;
    std::vector<MpiCollectivePart> collectives;
};

}  // namespace longpole
