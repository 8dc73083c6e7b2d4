// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/comparisonwords.h"

#include "analysis/base/cells.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr std::size_t namesShown = 5;

QString amountIn(std::int64_t value, CellKind kind)
{
    if (kind == CellKind::Time) return formatTime(value);
    return kind == CellKind::Bytes ? formatBytes(value) : formatCount(value);
}

// "27.7 % less", "3.1 % more", "28.2 times as much".
QString lessOrMore(std::int64_t a, std::int64_t b)
{
    if (a == b) return tr("the same");
    if (a == 0) return tr("more than nothing");
    const double ratio = double(b) / double(a);
    if (ratio >= 2) return tr("%1 times as much").arg(QString::number(ratio, 'f', 1));
    const QString share = formatShare(std::abs(ratio - 1));
    return b < a ? tr("%1 less").arg(share) : tr("%1 more").arg(share);
}

}  // namespace

QString relativeText(double a, double b)
{
    const auto change = relativeChange(a, b);
    if (!change) return QStringLiteral("–");
    constexpr double shown = 0.0005;
    if (*change != 0 && std::abs(*change) < shown)
        return *change > 0 ? QStringLiteral("< +0.1 %") : QStringLiteral("> -0.1 %");
    return *change > 0 ? QLatin1Char('+') + formatShare(*change) : formatShare(*change);
}

QString signedText(std::int64_t value, CellKind kind)
{
    const QString text = amountIn(value, kind);
    return value > 0 ? QLatin1Char('+') + text : text;
}

QString methodName(const MethodFigures& method)
{
    if (method.name.isEmpty()) return tr("entry %1").arg(index(method.entry));
    return onOneLine(entryName({.name = method.name, .chare = method.chare}));
}

QString patternText(const Comparison& comparison)
{
    QStringList names;
    const auto& pattern = comparison.phase->pattern;
    for (std::size_t i = 0; i < std::min(pattern.size(), namesShown); ++i)
        names << methodName(comparison.a.methods[pattern[i]]);
    if (pattern.size() > namesShown)
        names << tr("and %1 more").arg(formatCount(std::int64_t(pattern.size() - namesShown)));
    return names.join(QStringLiteral(", "));
}

QString durationSentence(const Comparison& c)
{
    return tr("B took %1 instead of %2: %3.")
        .arg(formatTime(c.b.duration()), formatTime(c.a.duration()), lessOrMore(c.a.duration(), c.b.duration()));
}

TimeNs together(const std::vector<TimeRange>& spans)
{
    TimeNs sum = 0;
    for (const TimeRange& span : spans) sum = saturatingAdd(sum, span.length());
    return sum;
}

QString iterationSentence(const Comparison& c)
{
    if (!c.phase) return {};
    const InstanceDurations &a = c.phase->a.durations, &b = c.phase->b.durations;
    QStringList sentences{tr("An iteration took %1 instead of %2 at the median: %3.")
                              .arg(formatTime(b.median), formatTime(a.median), lessOrMore(a.median, b.median))};
    if (a.median != b.median)
        sentences << (*c.isWithinSpread() ? tr("That is within the spread of the iterations.")
                                          : tr("That is more than the spread of the iterations."));
    const TimeNs ofA = together(c.phase->a.spans), ofB = together(c.phase->b.spans);
    sentences << tr("A has %1 iterations with a spread of %2, B has %3 with %4.")
                     .arg(formatCount(std::int64_t(c.phase->a.spans.size())), formatTime(a.spread),
                          formatCount(std::int64_t(c.phase->b.spans.size())), formatTime(b.spread));
    if (c.phase->a.spans.size() == c.phase->b.spans.size())  // else the sums are not of the same work
        sentences << tr("All of them together took %1 instead of %2: %3.")
                         .arg(formatTime(ofB), formatTime(ofA), lessOrMore(ofA, ofB));
    else sentences << tr("All of them together took %1 and %2.").arg(formatTime(ofA), formatTime(ofB));
    sentences << tr("They run %1.").arg(patternText(c));
    return sentences.join(QLatin1Char(' '));
}

}  // namespace longpole
