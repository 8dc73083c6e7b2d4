// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/definitions.h"

#include "core/base/checked.h"
#include "core/trace/columns.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace longpole {
namespace {

auto directoryKey(const ChunkRef& ref) { return std::tuple(ref.kind, ref.track, ref.level, ref.firstRow); }

template <typename T, typename Key>
void keepFirst(std::vector<T>& rows, Key key)
{
    if (!std::ranges::is_sorted(rows, {}, key)) std::ranges::stable_sort(rows, {}, key);
    const auto sameKey = [key](const T& a, const T& b) { return std::invoke(key, a) == std::invoke(key, b); };
    rows.erase(std::unique(rows.begin(), rows.end(), sameKey), rows.end());
}

}  // namespace

void normalize(Definitions& d)
{
    keepFirst(d.tracks, &Track::id);
    keepFirst(d.processors, &Processor::pe);
    keepFirst(d.chares, &Chare::id);
    keepFirst(d.entries, &Entry::id);
    keepFirst(d.regions, &Region::id);
    keepFirst(d.callPaths, &CallPath::id);
    keepFirst(d.texts, &std::pair<std::int64_t, QString>::first);

    const auto keyOf = [](const ProfileRow& row) { return std::pair(row.pe, row.entry); };
    if (!std::ranges::is_sorted(d.profile, {}, keyOf)) std::ranges::stable_sort(d.profile, {}, keyOf);
    std::size_t kept = 0;
    for (const ProfileRow& row : d.profile) {
        if (kept == 0 || keyOf(d.profile[kept - 1]) != keyOf(row)) {
            d.profile[kept++] = row;
            continue;
        }
        ProfileRow& sum = d.profile[kept - 1];
        addSaturating(sum.count, row.count);
        addSaturating(sum.time, row.time);
        addSaturating(sum.exclusive, row.exclusive);
        addSaturating(sum.messages, row.messages);
        addSaturating(sum.bytes, row.bytes);
    }
    d.profile.resize(kept);

    std::map<std::pair<QString, QString>, std::int64_t> issues;
    for (const Issue& issue : d.issues) addSaturating(issues[{issue.kind, issue.place}], issue.count);
    d.issues.clear();
    for (const auto& [key, count] : issues) d.issues.push_back({key.first, count, key.second});

    std::vector<RecordCount> counts;
    for (const RecordCount& added : d.counts) {
        const auto known = std::ranges::find(counts, added.kind, &RecordCount::kind);
        if (known == counts.end()) counts.push_back(added);
        else addSaturating(known->count, added.count);
    }
    d.counts = std::move(counts);
}

void sortDirectory(Definitions& definitions) { std::ranges::sort(definitions.directory, {}, directoryKey); }

}  // namespace longpole
