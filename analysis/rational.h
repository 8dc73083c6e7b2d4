// Factors of a what-if as exact fractions p/q.
#pragma once

#include "core/timerange.h"

#include <cstdint>

namespace longpole {

struct Rational {
    std::int64_t numerator = 0;
    std::int64_t denominator = 1;  // > 0
    friend bool operator==(const Rational&, const Rational&) = default;
};

// time / denominator, rounded half to even: how lengths that were computed times the denominator are shown.
TimeNs roundedQuotient(TimeNs time, std::int64_t denominator);

}  // namespace longpole
