// SPDX-License-Identifier: GPL-3.0-or-later
// The locks of one window: who held which, what was accessed meanwhile, and which calls waited until another rank gave
// its own back (docs/algorithms.md 7.2).
#pragma once

#include "core/base/progress.h"
#include "importers/mpi/windows.h"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

constexpr std::uint32_t noWindowRow = 0xffffffffu;

// From MPI_Win_lock to MPI_Win_unlock, by their rows.
struct WindowLock {
    std::uint32_t row = 0;
    std::uint32_t unlock = noWindowRow;  // it was never given back
    bool isExclusive = false;
};

class WindowLocks {
public:
    // `rows`: of all windows; must outlive it.
    explicit WindowLocks(std::span<const WindowRow> rows) : m_rows(rows) {}

    // The steps of a rank in order, one rank after the other.
    void beginRank() { m_open.clear(); }
    void lock(std::uint32_t row);
    void unlock(std::uint32_t row);
    // False: no lock is held that it could be under.
    bool access(std::uint32_t row);

    // Calls meet(row, unlock, from) for each call that waited for a lock until the MPI_Win_unlock in row `unlock`; only
    // for ranks that isWanted(rank). O(n log n) for n steps. A lock of all ranks counts once for each target that
    // somebody locks for himself; if these are more than limits::windowLocks, locks of all ranks are left out.
    using IsWanted = std::function<bool(std::uint32_t)>;
    using Meet = std::function<void(std::uint32_t, std::uint32_t, TimeNs)>;
    void find(const IsWanted& isWanted, const Meet& meet, const Progress& progress) const;

private:
    std::span<const WindowRow> m_rows;
    std::vector<WindowLock> m_locks;
    std::multimap<std::int32_t, std::uint32_t> m_open;  // of the rank whose steps are being taken, by target
    std::map<std::pair<std::uint32_t, std::int32_t>, std::vector<std::uint32_t>> m_accesses;  // by rank and target
};

}  // namespace longpole
