// SPDX-License-Identifier: GPL-3.0-or-later
// A table of calls as rows: text in, numbers out, and which request each row starts or completes (calltable.h).
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "importers/common/importlog.h"
#include "importers/mpi/callkind.h"
#include "importers/mpi/source.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace longpole {

enum class CallRole : std::uint8_t {
    None,
    Send,
    Receive,
    SendReceive,
    StartSend,
    StartReceive,
    Collective,
    StartCollective,
    CompleteOne,  // Wait, Waitany, Test, Testany
    CompleteSome,
    CompleteAll,
};

struct CallName {
    CallRole role = CallRole::None;
    CollectiveKind kind = CollectiveKind::None;
    bool isSynchronous = false;
};
CallName callName(std::string_view name);  // "MPI_Isend"

struct CallRow {
    TimeNs begin = 0;
    TimeNs end = 0;
    TimeNs before = 0;  // this and the next two as the table has them
    TimeNs execution = 0;
    TimeNs after = 0;
    std::int64_t line = 0;
    std::uint32_t region = 0;
    std::uint32_t comm = noComm;
    std::int32_t peer = noRank;  // destination, source or root
    std::int32_t tag = 0;
    std::int32_t from = noRank;  // source of a Sendrecv
    std::int32_t fromTag = 0;
    std::uint32_t firstDone = 0;  // the requests that it completes: doneRows[firstDone ..] of its rank
    std::uint32_t doneCount = 0;
    std::uint32_t thread = 0;
    std::uint32_t firstNamed = 0;  // the requests that a Wait names: named[firstNamed ..] of its rank
    std::uint32_t namedCount = 0;
    bool hasWaits = false;
};

// A request that the row of a Wait names.
struct NamedRequest {
    std::int32_t peer = noRank;
    std::int32_t tag = 0;
    bool isSend = false;
};

struct CallTableRank {
    std::vector<CallRow> rows;  // by begin
    std::vector<NamedRequest> named;
    std::vector<std::uint32_t> doneRows;  // the rows that started completed requests
    std::uint32_t threads = 1;
    std::vector<std::uint32_t> byThread;       // the rows of thread 0 in order, then those of thread 1 ...
    std::vector<std::uint32_t> firstOfThread;  // in `byThread`; one more than threads
    std::span<const std::uint32_t> rowsOf(std::uint32_t thread) const
    {
        return std::span(byThread).subspan(firstOfThread[thread], firstOfThread[thread + 1] - firstOfThread[thread]);
    }
};

struct CallTable {
    std::vector<QByteArray> regions;  // names of calls
    std::vector<CallName> calls;      // by region
    std::vector<MpiCommunicator> communicators;
    std::vector<CallTableRank> ranks;
    std::int64_t rowCount = 0;
};

// Whether a first line is that of a table of calls.
bool isCallTableHead(std::string_view line);

// Errors: no such head, no row that can be read, cancelled.
Result<CallTable> readCallTable(std::string_view text, const QString& path, ImportLog& log, const Progress& progress);

}  // namespace longpole
