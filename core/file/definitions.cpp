// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/definitions.h"

#include "core/base/checked.h"
#include "core/trace/columns.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace longpole {
namespace {

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

// Keys with where they were are moved, as entries of the directory are large.
void sortDirectory(Definitions& definitions)
{
    std::vector<ChunkRef>& directory = definitions.directory;
    struct Key {
        std::uint64_t place;
        std::int64_t firstRow;
        std::size_t from;
        auto operator<=>(const Key&) const = default;
    };
    std::vector<Key> keys;
    keys.reserve(directory.size());
    for (const ChunkRef& ref : directory)
        keys.push_back({placeInDirectory(ref.kind, ref.track, ref.level), ref.firstRow, keys.size()});
    if (std::ranges::is_sorted(keys)) return;
    std::ranges::sort(keys);
    for (std::size_t start = 0; start < keys.size(); ++start) {  // each cycle of entries that change places
        if (keys[start].from == start) continue;
        const ChunkRef first = directory[start];
        std::size_t at = start;
        while (keys[at].from != start) {
            const std::size_t next = keys[at].from;
            directory[at] = directory[next];
            keys[at].from = at;
            at = next;
        }
        directory[at] = first;
        keys[at].from = at;
    }
}

}  // namespace longpole
