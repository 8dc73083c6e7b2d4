// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/format.h"

#include "core/base/translate.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace longpole {
namespace {

struct Unit10 {
    const char* name;
    TimeNs ns;
    int digits;  // of a whole unit after the point
};
constexpr std::array timeUnits = {Unit10{"ns", 1, 0}, Unit10{"us", 1'000, 3}, Unit10{"ms", 1'000'000, 6},
                                  Unit10{"s", 1'000'000'000, 9}};

std::uint64_t magnitude(TimeNs ns)
{
    return ns < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
}

constexpr std::uint64_t powerOfTen(int exponent)
{
    std::uint64_t power = 1;
    while (exponent-- > 0) power *= 10;
    return power;
}

// |ns| in `unit` with `decimals` digits after the point, rounded half up.
QString fixedPoint(std::uint64_t ns, const Unit10& unit, int decimals)
{
    const std::uint64_t step = powerOfTen(unit.digits - decimals);
    const std::uint64_t steps = ns / step + (ns % step >= step - step / 2 ? 1 : 0);
    const std::uint64_t scale = powerOfTen(decimals);
    QString text = QString::number(steps / scale);
    if (decimals > 0)
        text += QLatin1Char('.') + QString::number(steps % scale).rightJustified(decimals, QLatin1Char('0'));
    return text + QLatin1Char(' ') + QLatin1String(unit.name);
}

std::size_t unitOf(std::uint64_t ns)
{
    std::size_t unit = 0;
    while (unit + 1 < timeUnits.size() && ns >= static_cast<std::uint64_t>(timeUnits[unit + 1].ns)) ++unit;
    return unit;
}

QString signOf(TimeNs ns) { return ns < 0 ? QStringLiteral("-") : QString(); }

struct TimeUnit {
    const char* name;
    TimeNs ns;
};
constexpr std::array inputUnits = {
    TimeUnit{"ns", 1},         TimeUnit{"us", 1'000},        TimeUnit{"\u00b5s", 1'000},    TimeUnit{"\u03bcs", 1'000},
    TimeUnit{"ms", 1'000'000}, TimeUnit{"s", 1'000'000'000}, TimeUnit{"m", 60'000'000'000}, TimeUnit{"", 1}};

Error badTime(const QString& part, const QString& text, const QString& why)
{
    return Error{.what = tr("\"%1\" is not a time: %2.").arg(part, why),
                 .where = text,
                 .hint = tr("Write numbers with ns, us, ms, s or m, for example 12us 3ms or 1.5s.")};
}

bool isDigit(QChar c) { return c >= QLatin1Char('0') && c <= QLatin1Char('9'); }

// value * 10 + digit; nothing beyond int64.
std::optional<std::int64_t> withDigit(std::int64_t value, QChar digit)
{
    std::int64_t scaled = 0;
    if (__builtin_mul_overflow(value, 10, &scaled)) return {};
    if (__builtin_add_overflow(scaled, digit.unicode() - u'0', &scaled)) return {};
    return scaled;
}

// Nanoseconds of a fraction's digits; nothing if they are finer than a nanosecond.
std::optional<TimeNs> fractionOf(QStringView digits, TimeNs unit)
{
    TimeNs sum = 0;
    for (const QChar digit : digits) {
        const bool fits = unit % 10 == 0;
        unit = fits ? unit / 10 : unit;
        if (digit == QLatin1Char('0')) continue;
        if (!fits) return {};
        sum += unit * (digit.unicode() - u'0');
    }
    return sum;
}

// One "1.5ms" at `position`, which moves behind it and the blanks that follow.
Result<TimeNs> parseTimePart(const QString& text, qsizetype& position)
{
    const qsizetype start = position;
    const bool negative = position < text.size() && text[position] == QLatin1Char('-');
    if (negative) ++position;
    const qsizetype wholeBegin = position;
    while (position < text.size() && isDigit(text[position])) ++position;
    const QStringView whole = QStringView(text).mid(wholeBegin, position - wholeBegin);
    QStringView fraction;
    if (position < text.size() && text[position] == QLatin1Char('.')) {
        const qsizetype fractionBegin = ++position;
        while (position < text.size() && isDigit(text[position])) ++position;
        fraction = QStringView(text).mid(fractionBegin, position - fractionBegin);
    }
    const qsizetype unitBegin = position;
    while (position < text.size() && !isDigit(text[position]) && !text[position].isSpace()
           && text[position] != QLatin1Char('-') && text[position] != QLatin1Char('.'))
        ++position;
    const QString unitName = text.mid(unitBegin, position - unitBegin);
    const QString part = text.mid(start, std::max<qsizetype>(position - start, 1));
    while (position < text.size() && text[position].isSpace()) ++position;

    if (whole.isEmpty() && fraction.isEmpty()) return badTime(part, text, tr("a number is missing"));
    const auto unit = std::ranges::find_if(inputUnits,
                                           [&](const TimeUnit& u) { return unitName == QString::fromUtf8(u.name); });
    if (unit == inputUnits.end()) return badTime(part, text, tr("there is no unit \"%1\"").arg(unitName));
    std::optional<std::int64_t> units = 0;
    for (const QChar digit : whole)
        if (units) units = withDigit(*units, digit);
    std::int64_t ns = 0;
    if (!units || __builtin_mul_overflow(*units, unit->ns, &ns)) return badTime(part, text, tr("it is too long"));
    const std::optional<TimeNs> rest = fractionOf(fraction, unit->ns);
    if (!rest) return badTime(part, text, tr("it is finer than a nanosecond"));
    if (__builtin_add_overflow(ns, *rest, &ns)) return badTime(part, text, tr("it is too long"));
    return negative ? -ns : ns;
}

Error badProcessors(const QString& part, const QString& text, const QString& why)
{
    return Error{.what = tr("\"%1\" is no list of numbers: %2.").arg(part, why),
                 .where = text,
                 .hint = tr("Write numbers and ranges from-to or from-to:step, for example 1,3-9:3,11.")};
}

// A number of digits only; nothing if it is none or beyond int64.
std::optional<std::int64_t> plainNumber(QStringView digits)
{
    if (digits.isEmpty()) return {};
    std::optional<std::int64_t> value = 0;
    for (const QChar digit : digits) {
        if (!isDigit(digit)) return {};
        if (value) value = withDigit(*value, digit);
    }
    return value;
}

struct ProcessorRange {
    std::int64_t from = 0, to = 0, step = 1;
};

Result<ProcessorRange> parseProcessorRange(const QString& part, const QString& text, std::int64_t processors)
{
    const qsizetype colon = part.indexOf(QLatin1Char(':'));
    const QString bounds = colon < 0 ? part : part.left(colon);
    const qsizetype dash = bounds.indexOf(QLatin1Char('-'));
    const auto from = plainNumber(QStringView(bounds).left(dash < 0 ? bounds.size() : dash).trimmed());
    const auto to = dash < 0 ? from : plainNumber(QStringView(bounds).mid(dash + 1).trimmed());
    const auto step = colon < 0 ? std::optional<std::int64_t>(1)
                                : plainNumber(QStringView(part).mid(colon + 1).trimmed());
    if (!from || !to || !step) return badProcessors(part, text, tr("a number is missing or too large"));
    if (colon >= 0 && dash < 0) return badProcessors(part, text, tr("a step needs a range"));
    if (*step == 0) return badProcessors(part, text, tr("the step is 0"));
    if (*to < *from) return badProcessors(part, text, tr("the range ends before it begins"));
    if (*to >= processors)
        return badProcessors(part, text,
                             processors > 0 ? tr("the last one is %1").arg(processors - 1) : tr("the trace has none"));
    return ProcessorRange{*from, *to, *step};
}

}  // namespace

QString formatTime(TimeNs ns)
{
    const std::uint64_t size = magnitude(ns);
    std::size_t unit = unitOf(size);
    const auto whole = static_cast<std::uint64_t>(timeUnits[unit].ns);
    if (size % whole == 0) return signOf(ns) + fixedPoint(size, timeUnits[unit], 0);
    const auto decimalsFor = [&](std::size_t u) {
        const std::uint64_t units = size / static_cast<std::uint64_t>(timeUnits[u].ns);
        return units >= 1000 ? 0 : units >= 100 ? 1 : units >= 10 ? 2 : 3;
    };
    QString text = fixedPoint(size, timeUnits[unit], decimalsFor(unit));
    // Rounding may need one digit more before the point: 9.9999 ms is 10.00 ms, 999.99 us is 1.000 ms.
    const std::uint64_t rounded = size + powerOfTen(timeUnits[unit].digits - decimalsFor(unit)) / 2;
    if (unitOf(rounded) > unit) return signOf(ns) + fixedPoint(rounded / 1000 * 1000, timeUnits[unit + 1], 3);
    const auto digitsBefore = [&](std::uint64_t value) { return QString::number(value / whole).size(); };
    if (digitsBefore(rounded) > digitsBefore(size) && decimalsFor(unit) > 0)
        text = fixedPoint(size, timeUnits[unit], decimalsFor(unit) - 1);
    return signOf(ns) + text;
}

QString formatTimeAt(TimeNs ns, TimeNs resolution)
{
    const std::uint64_t fine = std::max<std::uint64_t>(1, magnitude(resolution));
    const std::uint64_t size = magnitude(ns);
    const Unit10& unit = timeUnits[unitOf(std::max(size, fine))];
    int decimals = 0;
    while (decimals < unit.digits && powerOfTen(unit.digits - decimals) > fine) ++decimals;
    return signOf(ns) + fixedPoint(size, unit, decimals);
}

QString formatBytes(std::int64_t bytes)
{
    static constexpr std::array units = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    const std::uint64_t size = magnitude(bytes);
    if (size < 1000) return QString::number(bytes) + QStringLiteral(" B");
    std::size_t unit = 0;
    double value = static_cast<double>(size);
    while (value >= 999.95 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    return signOf(bytes) + QString::number(value, 'f', 1) + QLatin1Char(' ') + QLatin1String(units[unit]);
}

QString formatShare(double share)
{
    if (!std::isfinite(share)) return QStringLiteral("-");
    constexpr double leastShown = 0.0005;
    if (share > 0 && share < leastShown) return QStringLiteral("< 0.1 %");
    return QString::number(share * 100, 'f', 1) + QStringLiteral(" %");
}

QString formatSignedShare(double share)
{
    const QString text = formatShare(std::abs(share));
    return share < 0 && text.front().isDigit() && text != formatShare(0) ? QChar(0x2212) % text : text;
}

QString formatCount(std::int64_t count)
{
    QString digits = QString::number(magnitude(count));
    for (qsizetype at = digits.size() - 3; at > 0; at -= 3) digits.insert(at, QChar(0x2009));
    return signOf(count) + digits;
}

Result<TimeNs> parseTime(const QString& text)
{
    const QString trimmed = text.trimmed();
    if (trimmed.isEmpty()) return badTime(text, text, tr("it is empty"));
    TimeNs sum = 0;
    qsizetype position = 0;
    while (position < trimmed.size()) {
        const Result<TimeNs> part = parseTimePart(trimmed, position);
        if (!part) return part.error();
        if (__builtin_add_overflow(sum, *part, &sum)) return badTime(trimmed, text, tr("it is too long"));
    }
    return sum;
}

Result<TimeRange> parseRange(const QString& text, TimeRange whole)
{
    const qsizetype dots = text.indexOf(QLatin1String(".."));
    const auto bad = [&](const QString& why) {
        return Error{.what = tr("\"%1\" is not a range of time: %2.").arg(text, why),
                     .where = text,
                     .hint = tr("Write FROM..TO, for example 10ms..1.5s; either side may be empty.")};
    };
    if (dots < 0) return bad(tr("there is no \"..\""));
    const QString from = text.left(dots).trimmed();
    const QString to = text.mid(dots + 2).trimmed();
    TimeRange range = whole;
    if (!from.isEmpty()) {
        const Result<TimeNs> begin = parseTime(from);
        if (!begin) return begin.error();
        range.begin = saturatingAdd(whole.begin, *begin);
    }
    if (!to.isEmpty()) {
        const Result<TimeNs> end = parseTime(to);
        if (!end) return end.error();
        range.end = saturatingAdd(whole.begin, *end);
    }
    if (range.isEmpty()) return bad(tr("it ends before it begins"));
    return range;
}

Result<std::vector<ProcessorId>> parseProcessors(const QString& text, std::int64_t processors)
{
    processors = std::min<std::int64_t>(processors, 0xffffffff);
    std::vector<ProcessorId> pes;
    std::vector<ProcessorRange> ranges;
    for (const QString& part : text.split(QLatin1Char(','))) {
        const Result<ProcessorRange> range = parseProcessorRange(part.trimmed(), text, processors);
        if (!range) return range.error();
        for (std::int64_t pe = range->from; pe <= range->to; pe += std::min(range->step, processors))
            pes.push_back(static_cast<ProcessorId>(pe));
        std::ranges::sort(pes);
        pes.erase(std::unique(pes.begin(), pes.end()), pes.end());
    }
    return pes;
}

QString formatProcessors(std::span<const ProcessorId> pes)
{
    const auto at = [pes](std::size_t i) { return std::int64_t{index(pes[i])}; };
    QString text;
    for (std::size_t i = 0; i < pes.size();) {
        std::size_t last = i;
        const std::int64_t step = i + 1 < pes.size() ? at(i + 1) - at(i) : 1;
        while (last + 1 < pes.size() && at(last + 1) - at(last) == step) ++last;
        if (last - i < 2) last = i;  // a range needs three
        if (!text.isEmpty()) text += QLatin1Char(',');
        text += QString::number(at(i));
        if (last > i) text += QLatin1Char('-') + QString::number(at(last));
        if (last > i && step != 1) text += QLatin1Char(':') + QString::number(step);
        i = last + 1;
    }
    return text;
}

}  // namespace longpole
