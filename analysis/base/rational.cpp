// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/base/rational.h"

#include "core/base/translate.h"
#include "core/base/wide.h"

#include <algorithm>
#include <numeric>

namespace longpole {

namespace {

// The quotient rounded half to even; the divisor must be > 0.
Wide rounded(Wide dividend, Wide divisor)
{
    Wide quotient = dividend / divisor;
    Wide rest = dividend % divisor;
    if (rest < 0) {
        rest += divisor;
        --quotient;
    }
    const Wide twice = 2 * rest;
    if (twice > divisor || (twice == divisor && quotient % 2 != 0)) ++quotient;
    return quotient;
}

Error noFactor(const QString& text, const QString& what)
{
    return {.what = what.arg(text), .where = QString(), .hint = tr("A factor is written 1/2, 0.5, 50% or 2.")};
}

// Reads "12.5" as 125/10; the denominator is 0 if the text is not such a number or too long.
Rational decimal(const QString& text)
{
    constexpr Rational none{0, 0};
    Rational value{0, 1};
    bool hasDigit = false, hasPoint = false;
    for (const QChar c : text) {
        if (c == QLatin1Char('.') && !hasPoint) {
            hasPoint = true;
            continue;
        }
        if (c < QLatin1Char('0') || c > QLatin1Char('9')) return none;
        hasDigit = true;
        if (__builtin_mul_overflow(value.numerator, 10, &value.numerator)
            || __builtin_add_overflow(value.numerator, c.unicode() - '0', &value.numerator)
            || (hasPoint && __builtin_mul_overflow(value.denominator, 10, &value.denominator)))
            return none;
    }
    return hasDigit ? value : none;
}

}  // namespace

Rational lowestTerms(Rational value)
{
    const std::int64_t common = std::gcd(value.numerator, value.denominator);
    return {value.numerator / common, value.denominator / common};
}

bool isLess(Rational a, Rational b) { return Wide{a.numerator} * b.denominator < Wide{b.numerator} * a.denominator; }

Result<Rational> parseRational(const QString& text)
{
    QString number = text.trimmed();
    if (number.startsWith(QLatin1Char('-'))) return noFactor(text, tr("The factor '%1' is below zero."));
    const bool isPercent = number.endsWith(QLatin1Char('%'));
    if (isPercent) number = number.chopped(1).trimmed();
    const qsizetype slash = number.indexOf(QLatin1Char('/'));
    const Rational over = decimal(slash < 0 ? number : number.left(slash).trimmed());
    const Rational under = slash < 0 ? Rational{1, 1} : decimal(number.mid(slash + 1).trimmed());
    if (over.denominator == 0 || under.denominator == 0 || under.numerator == 0)
        return noFactor(text, tr("'%1' is no factor, or has too many digits."));
    Rational value;
    if (__builtin_mul_overflow(over.numerator, under.denominator, &value.numerator)
        || __builtin_mul_overflow(over.denominator, under.numerator, &value.denominator)
        || (isPercent && __builtin_mul_overflow(value.denominator, 100, &value.denominator)))
        return noFactor(text, tr("'%1' is no factor, or has too many digits."));
    return lowestTerms(value);
}

QString toText(Rational value)
{
    const QString over = QString::number(value.numerator);
    return value.denominator == 1 ? over : QString(over % QLatin1Char('/') % QString::number(value.denominator));
}

TimeNs roundedQuotient(TimeNs time, std::int64_t denominator)
{
    return static_cast<TimeNs>(rounded(time, denominator));
}

TimeNs lineAt(TimeNs fixed, TimeNs slope, Rational factor)
{
    const Wide value = rounded(Wide{fixed} * factor.denominator + Wide{slope} * factor.numerator, factor.denominator);
    return static_cast<TimeNs>(std::clamp<Wide>(value, minTime, maxTime));
}

}  // namespace longpole
