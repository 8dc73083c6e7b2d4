// SPDX-License-Identifier: GPL-3.0-or-later
// An axis of values that are no instants - durations, counts, bytes, shares - linear or logarithmic: where a value lies
// on it, and where its ticks are and what they say.
#pragma once

#include <QString>

#include <cstdint>
#include <vector>

namespace longpole {

enum class ValueUnit : std::uint8_t { Count, Time /*ns*/, Bytes, Share /*0..1*/ };

QString valueText(double value, ValueUnit unit);  // "1 204", "12.5 us", "80.0 KB", "42.1 %"

// From `low` to `high`, low < high; 0 < low on a logarithmic one.
struct ValueAxis {
    double low = 0;
    double high = 1;
    bool isLog = false;
    ValueUnit unit = ValueUnit::Count;

    double position(double value) const;  // 0 at low, 1 at high; values outside are drawn at the ends
    double value(double position) const;
    friend bool operator==(const ValueAxis&, const ValueAxis&) = default;
};

// An axis that can be drawn whatever the figures: ends that are equal, in the wrong order or not finite are moved
// apart; a logarithmic one whose low end is not above zero begins nine decades below its high end, at 1 where there is
// one.
ValueAxis valueAxis(double low, double high, bool isLog, ValueUnit unit);

struct ValueTick {
    double value = 0;
    double position = 0;  // 0..1
    QString label;        // empty: a tick between labelled ones
};

// About `most` labelled ticks at most, in order: multiples of 1, 2 or 5 times a power of ten; on a logarithmic axis the
// powers of ten, and 2 and 5 times them where there are few.
std::vector<ValueTick> valueTicks(const ValueAxis& axis, int most);

}  // namespace longpole
