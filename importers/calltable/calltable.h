// SPDX-License-Identifier: GPL-3.0-or-later
// Imports the recorder's table of calls (LONGPOLE_CALLS): CSV, one row per MPI call, with what it waited for.
//
// The first line names the columns, in any order: rank, call, start_ns and end_ns must be there; seq, comm, peer, tag,
// wait_before, execution, wait_after and imbalance may be. "-" or nothing: none. Ranks are those of MPI_COMM_WORLD. A
// Sendrecv has two peers and tags, "to;from"; a Wait has those of all requests that it completed, ">to" for sends and
// "-" for collective calls: "2;>3;-" and "7;7;-".
// A row does not say everything. What it leaves open follows these rules:
//  - A communicator's members are the ranks that have rows on it, in the order of the ranks; MPI_COMM_WORLD has all,
//    MPI_COMM_SELF one.
//  - What a Wait's row names is the oldest open receive of its rank with this peer and tag, else such a send (with ">"
//    only a send), or, for "-", the oldest request without a peer (collective calls, MPI_PROC_NULL); else the oldest. A
//    Wait, Waitany, Test or Testany that names nothing means one "-", the others all that are open: the recorder writes
//    none where there are too many.
//  - A non-blocking receive without a peer receives nothing. What Start and Startall start is not known.
//  - Rows of a rank that overlap are calls of several threads: each row goes to the first thread that is free by then.
//  - Bytes are unknown. Time zero is the end of the first MPI_Init, else the first row.
// Rows that cannot be read are left out and counted with their line. The parts of calls are computed from the times and
// compared with the table's: calls whose parts differ are counted.
#pragma once

#include "importers/common/importer.h"

namespace longpole {

bool probeCallTable(const QString& path);
Result<QString> fingerprintCallTable(const QString& path, FingerprintOf of);
Result<ImportReport> importCallTable(const QString& path, const QString& target, const ImportOptions& options,
                                     const Progress& progress);

}  // namespace longpole
