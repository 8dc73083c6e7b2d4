// SPDX-License-Identifier: GPL-3.0-or-later
// Compares names by their edit distance.
#include "core/base/nearestnames.h"

#include "core/base/translate.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace longpole {

namespace {

// Edits (insert, remove, replace, swap of neighbours) between two names. O(a b).
int editDistance(const QString& a, const QString& b)
{
    const auto width = static_cast<std::size_t>(b.size()) + 1;
    std::vector<int> before(width), above(width), row(width);
    std::iota(above.begin(), above.end(), 0);
    for (qsizetype i = 1; i <= a.size(); ++i) {
        row[0] = static_cast<int>(i);
        for (qsizetype j = 1; j <= b.size(); ++j) {
            const auto at = static_cast<std::size_t>(j);
            row[at] = std::min({above[at] + 1, row[at - 1] + 1, above[at - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[at] = std::min(row[at], before[at - 2] + 1);
        }
        before.swap(above);
        above.swap(row);
    }
    return above.back();
}

}  // namespace

QStringList nearestNames(const QString& typed, const QStringList& names)
{
    std::vector<std::pair<int, QString>> near;
    for (const QString& name : names) {
        const bool starts = typed.size() >= 2 && name.startsWith(typed, Qt::CaseInsensitive);
        const int distance = starts ? 0 : editDistance(typed.toLower(), name.toLower());
        if (distance <= std::max<qsizetype>(1, typed.size() / 3)) near.emplace_back(distance, name);
    }
    std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    QStringList result;
    for (const auto& [distance, name] : near)
        if (result.size() < 3) result << name;
    return result;
}

QString suggestion(const QString& typed, const QStringList& names)
{
    const QStringList near = nearestNames(typed, names);
    return near.isEmpty() ? QString() : tr("; did you mean %1?").arg(near.join(tr(" or ")));
}

}  // namespace longpole
