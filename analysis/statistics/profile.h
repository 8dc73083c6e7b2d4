// SPDX-License-Identifier: GPL-3.0-or-later
// Where the time of the run went: executions, time, messages and bytes by entry method, chare, PE or object, or
// by the MPI calls around it.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <array>
#include <cstdint>
#include <vector>

namespace longpole {

// Calls: of an MPI run, the code between two calls.
enum class ProfileBy : std::uint8_t { Entry, Chare, Pe, Object, Calls };

// What a profile line is about. By Entry: entry; by Chare: chare; by Pe: pe; by Object: chare and objectIndex; by
// Calls: the regions of both calls as objectIndex (analysis/mpi/callpairs.h).
struct ProfileKey {
    EntryId entry = noEntry;
    ChareId chare{0xffffffffu};
    ProcessorId pe{0xffffffffu};
    std::array<std::int64_t, 6> objectIndex{};
    friend auto operator<=>(const ProfileKey&, const ProfileKey&) = default;
};

// Times in ns: `time` is inclusive of nested executions, `exclusive` goes to the innermost; exclusive times over all
// lines add up to the run's busy time. share = exclusive / busy. messages and bytes are what the executions created.
struct ProfileLine {
    ProfileKey key;
    QString name;  // for people
    std::int64_t count = 0;
    TimeNs time = 0;
    TimeNs exclusive = 0;
    double share = 0;
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
};

// What a line is called.
QString profileName(const TraceStore& store, ProfileBy by, const ProfileKey& key);

// Most exclusive time first, then by key. O(profile table); by Object and Calls O(tasks + messages), decodes their
// chunks. Errors: damaged chunks; cancelled.
Result<std::vector<ProfileLine>> profile(const TraceStore& store, ProfileBy by, const Progress& progress);

}  // namespace longpole
