// SPDX-License-Identifier: GPL-3.0-or-later
// What makes a what-if question impossible to answer.
#pragma once

#include "analysis/base/rational.h"
#include "analysis/whatif/zeroing.h"
#include "core/base/result.h"
#include "core/base/translate.h"

#include <algorithm>
#include <optional>

namespace longpole {

// `run` is the duration of the run, which bounds the length of every path.
inline std::optional<Error> problemWith(const WhatIfModel& model, Rational factor, TimeNs run)
{
    if (model.mode == PathMode::Sweep)
        return Error{.what = tr("The sweep answers no what-if: its segments are an approximation."),
                     .where = QString(),
                     .hint = tr("Ask the work path or the elapsed path.")};
    if (factor.numerator < 0 || factor.denominator <= 0)
        return Error{.what = tr("%1 is no factor of time.").arg(toText(factor)),
                     .where = QString(),
                     .hint = tr("0 takes all time away, 1 leaves things as they are.")};
    TimeNs longest = 0;
    if (__builtin_mul_overflow(run, std::max(factor.numerator, factor.denominator), &longest))
        return Error{.what = tr("The factor %1 is too large, or too fine, for a run this long.").arg(toText(factor)),
                     .where = QString(),
                     .hint = tr("Choose one of fewer digits.")};
    return {};
}

}  // namespace longpole
