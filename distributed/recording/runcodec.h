// SPDX-License-Identifier: GPL-3.0-or-later
// What processes tell each other of a recording before its records are read: the definitions in ranks' files, and the
// names and numbers that process 0 makes of them.
#pragma once

#include "distributed/exchange/pack.h"
#include "importers/common/importlog.h"
#include "importers/mpi/source.h"
#include "importers/recording/run.h"

namespace longpole {

// A rank's definitions. Of its chunks only what names need: the threads and the calls that were open.
void put(Packer& packer, const RecordedRank& rank);
void take(Unpacker& unpacker, RecordedRank& rank);

void put(Packer& packer, const MpiRunNames& names);
void take(Unpacker& unpacker, MpiRunNames& names);

void put(Packer& packer, const RecordingRegions& regions);
void take(Unpacker& unpacker, RecordingRegions& regions);

// The numbers of one rank.
void put(Packer& packer, const RecordingNumbers& numbers);
void take(Unpacker& unpacker, RecordingNumbers& numbers);

void put(Packer& packer, const TraceInfo& info);
void take(Unpacker& unpacker, TraceInfo& info);

void put(Packer& packer, const ImportLog& log);
void take(Unpacker& unpacker, ImportLog& log);

}  // namespace longpole
