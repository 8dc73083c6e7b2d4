// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/rowbands.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double leastHeight = 1.0 / (1 << 20);

bool isPlaced(const TimelineRow& row) { return row.kind == RowKind::Processor && !row.pinned; }

}  // namespace

int bandExponent(double height)
{
    int exponent = 0;
    for (double pixels = std::max(height, leastHeight); pixels < leastRow; pixels *= 2) ++exponent;
    return exponent;
}

double usableHeight(double pixels)
{
    const int exponent = bandExponent(pixels);
    return std::ldexp(std::round(std::ldexp(std::max(pixels, leastHeight), exponent)), -exponent);
}

double nextHeight(double height, bool larger)
{
    const int exponent = bandExponent(height);
    const double band = std::round(std::ldexp(height, exponent));
    if (larger) return std::ldexp(band + 1, -exponent);
    return band > leastRow ? std::ldexp(band - 1, -exponent) : std::ldexp(2 * leastRow - 1, -exponent - 1);
}

std::vector<TimelineRow> bandedRows(std::span<const TimelineRow> rows, int exponent)
{
    const std::size_t most = std::size_t{1} << exponent;
    std::vector<TimelineRow> banded;
    std::size_t place = 0;
    const TimelineRow* last = nullptr;  // in the band that is open
    const auto close = [&] {
        if (last != nullptr && banded.back().members.size() > 1)
            banded.back().label = tr("%1 … %2").arg(banded.back().label, last->label);
        last = nullptr;
    };
    for (const TimelineRow& row : rows) {
        if (exponent == 0 || row.pinned || (row.kind == RowKind::Group && row.folded)) {
            close();
            banded.push_back(row);
            if (isPlaced(row)) banded.back().place = place++;
        } else if (isPlaced(row)) {
            if (place % most == 0) close();
            if (last == nullptr)
                banded.push_back(
                    {.kind = RowKind::Band, .track = row.track, .label = row.label, .hasLog = false, .place = place});
            banded.back().members.push_back(row.track);
            banded.back().hasLog = banded.back().hasLog || row.hasLog;
            last = &row;
            ++place;
        }
    }
    close();
    return banded;
}

}  // namespace longpole
