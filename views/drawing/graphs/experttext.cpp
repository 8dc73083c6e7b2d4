// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/graphs/experttext.h"

#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>

namespace longpole {

QString shareText(double share, Digits digits)
{
    constexpr double decimalBelow = 0.0995;
    if (digits == Digits::All || share < decimalBelow) return formatShare(share);
    return QString::number(qRound(share * 100)) % QStringLiteral(" %");
}

QString comparisonText(const NodeTest& test, Digits digits)
{
    const bool isShare = test.kind == MetricKind::Share;
    const auto text = [&](double value, Digits wanted) {
        return isShare && std::isfinite(value) ? shareText(value, wanted) : metricText(test.kind, value);
    };
    if (text(test.value, digits) == text(test.threshold, digits)) digits = Digits::All;
    QString value = text(test.value, digits);
    const QString threshold = text(test.threshold, digits);
    const QString smaller = value == threshold ? QStringLiteral("≤") : QStringLiteral("<");
    const QString relation = test.value > test.threshold ? QStringLiteral(">") : smaller;
    // The unit stands once, behind the second figure, if both have the same.
    const qsizetype unit = value.lastIndexOf(QLatin1Char(' '));
    if (unit > 0 && threshold.endsWith(value.mid(unit))) value.truncate(unit);
    return QStringLiteral("%1 %2 %3").arg(value, relation, threshold);
}

QString testText(const NodeTest& test) { return test.metric % QStringLiteral(": ") % comparisonText(test); }

QString processorTime(Vocabulary vocabulary, TimeNs time)
{
    return vocabulary.say(tr("%1 of PE-time"), tr("%1 of rank-time")).arg(formatTime(time));
}

QString gainShare(double gain)
{
    const double percent = std::abs(gain) * 100;
    const QString figure = QString::number(percent, 'f', percent < 9.95 ? 1 : 0);
    const bool isNothing = figure.toDouble() == 0;
    const QString sign = isNothing ? QString() : (gain > 0 ? QStringLiteral("−") : QStringLiteral("+"));
    return sign % figure % QStringLiteral(" %");
}

QString gainText(const Advice& advice, TimeNs duration)
{
    if (isReplayed(advice)) {
        const QString least = gainShare(advice.prediction->gainLow);
        const QString most = gainShare(advice.prediction->gainHigh);
        if (least == most) return least;
        return QString(least).remove(QStringLiteral(" %")) % QStringLiteral(" … ") % most;
    }
    const auto limit = saidLimitOf(advice, duration);
    if (!limit || duration <= 0) return {};
    return tr("at most %1").arg(gainShare(static_cast<double>(*limit) / static_cast<double>(duration)));
}

namespace {

// Whether the text begins with a unit: "%", "ms", "PE-ms".
bool isUnit(QStringView text)
{
    qsizetype word = 0;
    while (word < text.size() && (text[word].isLetterOrNumber() || text[word] == QLatin1Char('_'))) ++word;
    if (word == 0)
        return text.startsWith(QLatin1Char('%')) && !text.mid(1, 1).startsWith(QLatin1Char('_'))
               && (text.size() == 1 || !text[1].isLetterOrNumber());
    if (word < text.size() && text[word] == QLatin1Char('-')) return isUnit(text.mid(word + 1));
    const QStringView unit = text.left(word);
    return unit == QLatin1String("s") || unit == QLatin1String("ms") || unit == QLatin1String("us")
           || unit == QLatin1String("ns");
}

}  // namespace

QString firstSentence(const QString& text)
{
    // A blank tells the full stop from the point in a figure or a name.
    const qsizetype end = text.indexOf(QStringLiteral(". "));
    return end < 0 ? text : text.left(end + 1);
}

QString unbroken(QString text)
{
    for (qsizetype at = 1; at < text.size(); ++at)
        if (text[at] == QLatin1Char(' ') && text[at - 1].isDigit() && isUnit(QStringView(text).mid(at + 1)))
            text[at] = QChar(QChar::Nbsp);
    return text;
}

QString placeText(Vocabulary vocabulary, const Evidence& evidence, TimeNs zero)
{
    const TimeNs resolution = std::max<TimeNs>(1, evidence.range.length() / 200);
    const QString begin = formatTimeAt(saturatingSubtract(evidence.range.begin, zero), resolution);
    const QString end = formatTimeAt(saturatingSubtract(evidence.range.end, zero), resolution);
    return vocabulary.say(tr("PE %1 · %2 … %3"), tr("Rank %1 · %2 … %3"))
        .arg(QString::number(index(evidence.pe)), begin, end);
}

}  // namespace longpole
