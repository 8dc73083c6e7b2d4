// SPDX-License-Identifier: GPL-3.0-or-later
// Sorting of many rows that ends soon when it is cancelled.
#pragma once

#include "core/base/progress.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace longpole {

// As std::stable_sort; once cancelled, the order is of no use.
template <typename Row, typename Less = std::less<>>
void sortRows(std::vector<Row>& rows, const Progress& progress, const Less& isLess = {})
{
    constexpr std::size_t block = 1 << 16;
    const auto at = [&rows](std::size_t i) {
        return rows.begin() + static_cast<std::ptrdiff_t>(std::min(i, rows.size()));
    };
    for (std::size_t i = 0; i < rows.size() && !progress.isCancelled(); i += block)
        std::stable_sort(at(i), at(i + block), isLess);
    for (std::size_t width = block; width < rows.size(); width *= 2)
        for (std::size_t i = 0; i + width < rows.size() && !progress.isCancelled(); i += 2 * width)
            std::inplace_merge(at(i), at(i + width), at(i + 2 * width), isLess);
}

}  // namespace longpole
