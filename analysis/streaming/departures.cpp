// SPDX-License-Identifier: GPL-3.0-or-later
// Turns the edges that lead into tasks round.
#include "analysis/streaming/departures.h"

#include "core/store/rows.h"

#include <algorithm>
#include <tuple>

namespace longpole {

namespace {

bool isBefore(const Departure& a, const Departure& b) { return std::tie(a.row, a.offset) < std::tie(b.row, b.offset); }
bool isSame(const Departure& a, const Departure& b) { return a.row == b.row && a.offset == b.offset; }

// Equal ones become one, with the receivers of all.
void join(std::vector<Departure>& departures)
{
    std::sort(departures.begin(), departures.end(), isBefore);
    auto last = departures.begin();
    for (auto next = last; next != departures.end(); ++next) {
        if (next == last) continue;
        if (isSame(*last, *next)) last->receivers += next->receivers;
        else *++last = *next;
    }
    if (last != departures.end()) departures.erase(last + 1, departures.end());
    departures.shrink_to_fit();
}

}  // namespace

Result<Departures> Departures::read(const TraceStore& store, const Progress& progress)
{
    Departures departures;
    departures.m_ofRank.resize(store.processors().size());
    const auto add = [&](const auto& row) {
        const std::size_t place = placeOf(store, index(row.sourcePe()));
        if (place < departures.m_ofRank.size() && row.sourceNumber() >= 0)
            departures.m_ofRank[place].push_back({static_cast<std::uint32_t>(row.sourceNumber()), 1, row.offset()});
    };
    auto sources = store.rows<TaskSourceRow>(TaskSourceRow::Link | TaskSourceRow::Source | TaskSourceRow::Offset);
    for (const TaskSourceRow& row : sources)
        if (row.link() == Link::Message || row.link() == Link::Collective) add(row);
    if (Result<> read = sources.result(); !read) return read.error();
    if (progress.isCancelled()) return cancelledError();
    auto merges = store.rows<MergeRow>(MergeRow::All);
    for (const MergeRow& row : merges)
        if (row.link() != Link::Rendezvous) add(row);
    if (Result<> read = merges.result(); !read) return read.error();
    for (std::vector<Departure>& ofRank : departures.m_ofRank) {
        if (progress.isCancelled()) return cancelledError();
        join(ofRank);
    }
    return departures;
}

std::uint32_t Departures::find(std::size_t place, std::uint32_t row, TimeNs offset) const
{
    const Departure wanted{.row = row, .receivers = 0, .offset = offset};
    const std::vector<Departure>& all = m_ofRank[place];
    const auto found = std::lower_bound(all.begin(), all.end(), wanted, isBefore);
    if (found == all.end() || !isSame(*found, wanted)) return none;
    return static_cast<std::uint32_t>(found - all.begin());
}

std::size_t placeOf(const TraceStore& store, std::uint32_t pe)
{
    const std::span<const Processor> processors = store.processors();
    if (pe < processors.size() && index(processors[pe].pe) == pe) return pe;
    const auto found = std::lower_bound(processors.begin(), processors.end(), pe,
                                        [](const Processor& a, std::uint32_t wanted) { return index(a.pe) < wanted; });
    if (found == processors.end() || index(found->pe) != pe) return processors.size();
    return static_cast<std::size_t>(found - processors.begin());
}

}  // namespace longpole
