// SPDX-License-Identifier: GPL-3.0-or-later
// What talking costs on the machine at hand: the constants of the model of how long an analysis takes.
#pragma once

#include "distributed/transport/transport.h"

namespace longpole {

// The slowest process' figures, the least of several repetitions; seconds. All 0 with one process.
struct TransportCosts {
    double hop = 0;          // from one process to the next and on: a message of 16 bytes
    double treeStep = 0;     // a reduction of 8 bytes for everybody, divided by its 2 ceil(log2 processes) steps
    double quietPass = 0;    // an exchange in which nobody sends
    double exchanged20 = 0;  // 20 bytes in an exchange in which everybody sends 4 MB to everybody
};
TransportCosts measureTransport(Transport& transport);

}  // namespace longpole
