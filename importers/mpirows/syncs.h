// SPDX-License-Identifier: GPL-3.0-or-later
// Barriers of thread teams and synchronizations with devices: collected while a location is read, and what each thread
// waited in them once all of a rank's are known (docs/algorithms.md 7.5).
#pragma once

#include "core/base/timerange.h"
#include "core/trace/kinds.h"
#include "importers/mpi/source.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace longpole {

constexpr std::uint32_t noLocation = 0xffffffffu;

// A stretch in which a thread was in such a call and ran nothing of the program. A barrier in which it ran a task of
// the program has several: the first one and others that continue it.
struct MpiSync {
    TimeRange range;
    std::uint32_t region = noRegion;
    std::uint32_t location = noLocation;
    MpiSyncKind kind = MpiSyncKind::None;
    bool isContinued = false;
    bool hasTeam = false;
    std::uint64_t team = 0;
    std::uint32_t round = 0;   // how often the thread had been in the team before
    std::uint32_t number = 0;  // of the barrier in that round
    TimeNs teamBegin = 0;
};

// Those of one location, in order of time.
class MpiSyncs {
public:
    explicit MpiSyncs(std::uint32_t location) : m_location(location) {}

    void beginTeam(TimeNs time, std::uint64_t team);
    void endTeam();

    // One at a time. `depth`: of its region.
    void begin(TimeNs time, std::uint32_t region, MpiSyncKind kind, std::size_t depth);
    void pause(TimeNs time);   // the program goes on inside it
    void resume(TimeNs time);  // the program has paused
    void end(TimeNs time);
    bool isOpen() const { return m_open.has_value(); }
    bool isUnused() const { return m_done.empty() && !m_open && m_teams.empty() && m_rounds.empty(); }
    bool isHeld() const { return m_open && !m_isPaused; }  // and runs nothing of the program
    std::size_t depth() const { return m_depth; }
    std::uint32_t region() const { return m_open->region; }

    std::vector<MpiSync> take() { return std::move(m_done); }

private:
    struct Team {
        std::uint64_t id;
        std::uint32_t round;
        std::uint32_t barriers;
        TimeNs begin;
    };
    const std::uint32_t m_location;
    std::vector<Team> m_teams;  // nested, outermost first
    std::map<std::uint64_t, std::uint32_t> m_rounds;
    std::optional<MpiSync> m_open;
    std::size_t m_depth = 0;
    bool m_isPaused = false;
    std::vector<MpiSync> m_done;
};

// What a stream of a device did for a rank.
struct MpiDeviceWork {
    TimeNs end = 0;
    std::uint32_t location = noLocation;
};

struct MpiThreadWait {
    MpiSync sync;
    TimeNs wait = 0;  // from its begin on
    WaitPattern pattern = WaitPattern::None;
    std::uint32_t culprit = noLocation;
    std::int64_t instance = -1;  // -1: nothing says whom it waited for
};

// By location and time. A thread waits in a barrier until the last thread of its team has come, and in a
// synchronization until the last work on the rank's devices that ends in it has ended. O(n log n).
std::vector<MpiThreadWait> threadWaits(std::vector<MpiSync> syncs, std::vector<MpiDeviceWork> work);

}  // namespace longpole
