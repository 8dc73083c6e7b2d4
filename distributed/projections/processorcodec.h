// SPDX-License-Identifier: GPL-3.0-or-later
// What the definitions of a trace take of the PEs of all processes, as bytes.
#pragma once

#include "distributed/exchange/pack.h"
#include "importers/projections/processor.h"

namespace longpole {

// Totals, profile, names and texts. Not what is matched, nor the calls of AMPI's ranks.
void put(Packer& packer, const ProcessorResult& result);
void take(Unpacker& unpacker, ProcessorResult& result);

}  // namespace longpole
