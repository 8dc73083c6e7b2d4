// SPDX-License-Identifier: GPL-3.0-or-later
// What every transport must do, as functions that each process runs: for the tests, and for "longpole-mpi selftest" on
// a user's cluster.
#pragma once

#include "distributed/transport/transport.h"

#include <QString>

#include <span>

namespace longpole {

struct TransportCheck {
    const char* name;
    // What was wrong as this process saw it; empty: nothing. All processes call it.
    QString (*run)(Transport& transport);
};
std::span<const TransportCheck> transportChecks();

}  // namespace longpole
