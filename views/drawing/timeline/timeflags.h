// SPDX-License-Identifier: GPL-3.0-or-later
// Bookmarks as flags on a time axis: a staff where each begins, its number and as much of its note as has room, and a
// line to where it ends.
#pragma once

#include "core/base/timerange.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/basics/timecoordinates.h"

#include <QPainter>
#include <QString>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace longpole {

struct TimeFlag {
    TimeRange range;
    int number = 0;  // 0: none
    QString note;
    friend bool operator==(const TimeFlag&, const TimeFlag&) = default;
};

struct FlagMark {
    double x0 = 0, x1 = 0;  // pixels, within the axis
    double room = 0;        // for its text, from x0 to the next flag or the end of the axis
    std::size_t flag = 0;   // of the flags that were given
    bool begins = false;    // its begin is in view
    friend bool operator==(const FlagMark&, const FlagMark&) = default;
};

// The flags that reach into the view, by begin.
std::vector<FlagMark> flagMarks(std::span<const TimeFlag> flags, const TimeCoordinates& at);
// The flag whose text or staff lies under the pixel; of several the one that begins last.
std::optional<std::size_t> flagAt(std::span<const FlagMark> marks, double x);
void paintFlags(QPainter& painter, std::span<const TimeFlag> flags, std::span<const FlagMark> marks, double top,
                double height, const Theme& theme);

}  // namespace longpole
