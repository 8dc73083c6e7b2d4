// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/valueaxis.h"

#include "core/trace/format.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

// The smallest of 1, 2 and 5 times a power of ten that is not below `least`.
double niceStepOf(double least)
{
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least * (1 - 1e-9)) return factor * power;
    return 10 * power;
}

std::vector<ValueTick> linearTicks(const ValueAxis& axis, int most)
{
    double step = niceStepOf((axis.high - axis.low) / most);
    if (axis.unit != ValueUnit::Share) step = std::max(step, 1.0);
    std::vector<ValueTick> ticks;
    const double first = std::ceil(axis.low / step - 1e-9);
    for (double number = first; number * step <= axis.high + step * 1e-9 && ticks.size() < 1000; ++number) {
        const double value = number * step;
        const bool isWholePercent = axis.unit == ValueUnit::Share && step > 0.0099;
        ticks.push_back({value, axis.position(value),
                         isWholePercent ? QStringLiteral("%1 %").arg(std::lround(100 * value))
                                        : valueText(value, axis.unit)});
    }
    return ticks;
}

std::vector<ValueTick> logTicks(const ValueAxis& axis, int most)
{
    const double decades = std::log10(axis.high / axis.low);
    const int every = std::max(1, static_cast<int>(std::ceil(decades / most)));
    const bool hasBetween = every == 1 && decades * 3 <= most;
    std::vector<ValueTick> ticks;
    const int last = static_cast<int>(std::ceil(std::log10(axis.high)));
    for (int decade = static_cast<int>(std::floor(std::log10(axis.low))); decade <= last; ++decade)
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double value = factor * std::pow(10.0, decade);
            if (value < axis.low * (1 - 1e-9) || value > axis.high * (1 + 1e-9)) continue;
            const bool isDecade = factor == 1.0 && decade % every == 0;
            if (!isDecade && every > 1) continue;
            ticks.push_back({value, axis.position(value),
                             isDecade || hasBetween ? valueText(value, axis.unit) : QString()});
        }
    return ticks;
}

}  // namespace

QString valueText(double value, ValueUnit unit)
{
    constexpr double largest = 9e18;
    const auto whole = static_cast<std::int64_t>(std::llround(std::clamp(value, -largest, largest)));
    switch (unit) {
    case ValueUnit::Time: return formatTime(whole);
    case ValueUnit::Bytes: return formatBytes(whole);
    case ValueUnit::Share: return formatShare(value);
    case ValueUnit::Count: break;
    }
    return formatCount(whole);
}

double ValueAxis::position(double of) const
{
    const double part = isLog ? (of <= low ? 0 : std::log(of / low) / std::log(high / low)) : (of - low) / (high - low);
    return std::clamp(part, 0.0, 1.0);
}

double ValueAxis::value(double position) const
{
    return isLog ? low * std::pow(high / low, position) : low + (high - low) * position;
}

ValueAxis valueAxis(double low, double high, bool isLog, ValueUnit unit)
{
    constexpr double widest = 1e9;
    if (!std::isfinite(low)) low = 0;
    if (!std::isfinite(high)) high = low + 1;
    if (isLog) {
        if (high <= 0) high = 1;
        if (low <= 0) low = high > 1 ? std::max(1.0, high / widest) : high / widest;
        if (high <= low) high = low * 10;
    } else if (high <= low) {
        high = low + std::max(1.0, std::abs(low) * 0.1);
    }
    return {low, high, isLog, unit};
}

ValueAxis axisOf(std::span<const double> values, bool isLog, ValueUnit unit)
{
    double least = 0, most = 0, leastPositive = 0;
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        least = std::min(least, value);
        most = std::max(most, value);
        if (value > 0 && (leastPositive == 0 || value < leastPositive)) leastPositive = value;
    }
    return valueAxis(isLog ? leastPositive : least, most, isLog, unit);
}

std::vector<ValueTick> valueTicks(const ValueAxis& axis, int most)
{
    most = std::max(most, 1);
    return axis.isLog ? logTicks(axis, most) : linearTicks(axis, most);
}

}  // namespace longpole
