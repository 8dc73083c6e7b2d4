// SPDX-License-Identifier: GPL-3.0-or-later
// Samples sorted by key, then folded.
#include "analysis/scheduling/sharedaccesstable.h"

#include <algorithm>
#include <utility>

namespace longpole {

std::vector<TableEntry> tableEntries(std::span<const SharedSample> samples)
{
    std::vector<std::pair<double, std::uint32_t>> order;  // by key, then as recorded
    order.reserve(samples.size());
    for (std::uint32_t i = 0; i < samples.size(); ++i) order.emplace_back(samples[i].value, i);
    std::sort(order.begin(), order.end());
    std::vector<TableEntry> entries;
    std::vector<std::uint32_t> finders;
    const auto countFinders = [&] {
        if (entries.empty()) return;
        std::ranges::sort(finders);
        entries.back().finders = std::unique(finders.begin(), finders.end()) - finders.begin();
        finders.clear();
    };
    for (const auto& [key, i] : order) {
        const SharedSample& sample = samples[i];
        if (entries.empty() || entries.back().key != sample.value) {
            countFinders();
            entries.push_back({.key = sample.value});
        }
        TableEntry& entry = entries.back();
        if (sample.user >= 0) entry.home = sample.user;
        if (sample.operation == SharedOperation::Insert && !entry.isInserted) {
            entry.isInserted = true;
            entry.inserter = sample.pe;
        }
        if (sample.operation != SharedOperation::Find) continue;
        if (entry.finds++ == 0) entry.finder = sample.pe;
        if (entry.home >= 0 && entry.home != sample.pe) ++entry.remoteFinds;
        finders.push_back(sample.pe);
    }
    countFinders();
    return entries;
}

}  // namespace longpole
