// SPDX-License-Identifier: GPL-3.0-or-later
// std::lower_bound for searches each of which ends near the last one: in steps that double from a place on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace longpole {

// The first in [first, last) that is not less than `value`. O(log of the distance to `near`, a place in [first, last]).
template <typename Iterator, typename Value, typename Less = std::less<>>
Iterator lowerBoundNear(Iterator first, Iterator last, Iterator near, const Value& value, const Less& isLess = {})
{
    std::ptrdiff_t step = 1;
    if (near != last && isLess(*near, value)) {
        Iterator from = near + 1;
        while (step < last - from && isLess(from[step - 1], value)) {
            from += step;
            step *= 2;
        }
        return std::lower_bound(from, from + std::min(step, last - from), value, isLess);
    }
    Iterator to = near;
    while (step < to - first && !isLess(*(to - step), value)) {
        to -= step;
        step *= 2;
    }
    return std::lower_bound(to - std::min(step, to - first), to, value, isLess);
}

}  // namespace longpole
