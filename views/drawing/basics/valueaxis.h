// SPDX-License-Identifier: GPL-3.0-or-later
// A linear or logarithmic axis of durations, counts, bytes or shares: where a value lies on it, where its ticks are and
// what they say. (Instants have timeaxis.h.)
#pragma once

#include <QString>

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

enum class ValueUnit : std::uint8_t { Count, Time /*ns*/, Bytes, Share /*0..1*/ };

QString valueText(double value, ValueUnit unit);  // "1 204", "12.5 us", "80.0 KB", "42.1 %"

// From `low` to `high`, low < high; if it is logarithmic, 0 < low.
struct ValueAxis {
    double low = 0;
    double high = 1;
    bool isLog = false;
    ValueUnit unit = ValueUnit::Count;

    double position(double of) const;  // 0 at low, 1 at high; values outside are drawn at the ends
    double value(double position) const;
    friend bool operator==(const ValueAxis&, const ValueAxis&) = default;
};

// An axis that can be drawn whatever the figures are: ends that are equal, in the wrong order or not finite are moved
// apart. A logarithmic one whose low end is not above zero begins nine decades below its high end, but at 1 or more
// where the high end is above 1.
ValueAxis valueAxis(double low, double high, bool isLog, ValueUnit unit);

// The axis that shows all finite ones of `values`: from 0 or the least negative value, or if it is logarithmic from the
// least positive one, to the largest. O(n).
ValueAxis axisOf(std::span<const double> values, bool isLog, ValueUnit unit);

struct ValueTick {
    double value = 0;
    double position = 0;  // 0..1
    QString label;        // empty: a tick between labelled ones
};

// In order, at most about `most` of them labelled: multiples of 1, 2 or 5 times a power of ten; on a logarithmic axis
// the powers of ten, and where these are few also 2 and 5 times them.
std::vector<ValueTick> valueTicks(const ValueAxis& axis, int most);

}  // namespace longpole
