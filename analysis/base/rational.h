// SPDX-License-Identifier: GPL-3.0-or-later
// Exact fractions p/q, which are the factors of a what-if, and how lengths that were computed times q are rounded.
#pragma once

#include "core/base/result.h"
#include "core/base/timerange.h"

#include <QString>

#include <cstdint>

namespace longpole {

struct Rational {
    std::int64_t numerator = 0;
    std::int64_t denominator = 1;  // > 0
    friend bool operator==(const Rational&, const Rational&) = default;
};

// In lowest terms; the denominator must be > 0.
Rational lowestTerms(Rational value);

// Exact: p/q < r/s. Both denominators must be > 0.
bool isLess(Rational a, Rational b);

// Reads "1/2", "0.5", "50%" or "2" as a fraction in lowest terms. Errors: not such a number, below zero, more digits
// than 64 bits hold.
Result<Rational> parseRational(const QString& text);

QString toText(Rational value);  // "1/2", "2"

// time / denominator, rounded half to even: how lengths that were computed times the denominator are shown.
TimeNs roundedQuotient(TimeNs time, std::int64_t denominator);

// fixed + slope x factor, rounded half to even, clamped where it overflows; the factor's denominator must be > 0.
TimeNs lineAt(TimeNs fixed, TimeNs slope, Rational factor);

}  // namespace longpole
