// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank's tiles get after its tasks, kept by itself: idle time and messages of a run that grows, whose tasks are
// not all known yet.
#pragma once

#include "core/store/tiles.h"

#include <cstdint>
#include <vector>

namespace longpole {

// Its bins are never wider than those of a TileBuilder that was fed the same tasks and may spare as many, so that they
// add up to those. Memory: 24 bytes for each of at most `spare` bins, and one more for 32 tasks.
class LaterTiles {
public:
    // Of fewer tasks a builder takes what comes as it comes: these are not known to fit.
    static constexpr std::uint32_t fewestTasks = 256;

    // From the run's begin on; what is before counts in the first bin or, if it is time, not at all.
    explicit LaterTiles(TimeNs runBegin = 0, std::int64_t spare = TileBuilder::spareBins);

    // `tasks`: how many the builder had been fed when its newest one began, or more.
    void idle(TimeRange range, std::int64_t tasks);
    void message(TimeNs sent, std::int64_t bytes, std::int64_t tasks);

    // False: the pyramid is finer.
    bool addTo(TilePyramid& pyramid) const;

private:
    struct Bin {
        TimeNs idle = 0;
        std::int64_t messages = 0;
        std::int64_t bytes = 0;
        void add(const Bin& other);
    };
    struct Level {
        int level = 0;  // as those of a TileLevel
        std::int64_t firstBin = 0;
        std::vector<Bin> bins;
    };
    static void widen(Level& level);
    Bin& binAt(TimeNs time, std::int64_t tasks);

    TimeNs m_begin;
    std::int64_t m_spare;
    Level m_sums;
};

}  // namespace longpole
