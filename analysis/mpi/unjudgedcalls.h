// SPDX-License-Identifier: GPL-3.0-or-later
// Calls that may wait for others without the trace saying for whom: one-sided communication whose partners are not
// known (MpiCallFlag::Judged), and files.
#pragma once

#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace longpole {

enum class UnjudgedCall : std::uint8_t {
    None,
    OneSided,  // MPI_Put ..., MPI_Win_lock, MPI_Win_start ... unless they are judged; not fences and what makes
               // windows, where all meet
    File       // MPI_File_...
};
// Of "MPI_Win_lock", "mpi_file_open_" ...
UnjudgedCall unjudgedCall(const QString& name);

// Time in such calls.
struct UnjudgedTime {
    TimeNs oneSided = 0;
    TimeNs files = 0;
    UnjudgedTime& operator+=(const UnjudgedTime& other);
    friend bool operator==(const UnjudgedTime&, const UnjudgedTime&) = default;
};

// What to say of each kind that occurs; a sentence each.
std::vector<QString> unjudgedSentences(const UnjudgedTime& time, TimeNs totalTime);

}  // namespace longpole
