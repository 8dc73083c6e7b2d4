// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/scheduling/advice.h"

namespace longpole {

bool ranksBefore(const Advice& a, const Advice& b)
{
    const double first = static_cast<double>(a.severity) * a.confidence;
    const double second = static_cast<double>(b.severity) * b.confidence;
    if (first != second) return first > second;
    return a.id < b.id;
}

}  // namespace longpole
