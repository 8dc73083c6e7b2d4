// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/tiles.h"

#include "core/base/release.h"
#include "core/base/shares.h"
#include "core/base/timerange.h"
#include "core/store/addedbins.h"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

constexpr std::int64_t eventsPerBin = 32;
constexpr std::int64_t fewBins = 512;             // a finished pyramid may have as many, however few events there are
constexpr std::int64_t littleBins = 4 * fewBins;  // spare ones where few calls feed it
constexpr std::size_t littleCalls = 256;

// Room for bins that a builder of this thread no longer needs, for the next one: the pages of some megabytes for each
// of thousands of ranks take longer than what is done with them.
std::vector<TileBin>& sparedRoom()
{
    thread_local std::vector<TileBin> room;
    return room;
}

std::int64_t binsFor(std::int64_t events, std::int64_t least) { return std::max(least, events / eventsPerBin); }

// The bin's time goes to the entry that has most of it; ties go to the smaller id.
void chooseDominant(TileBin& bin, std::span<const std::pair<EntryId, TimeNs>> times)
{
    bin.entry = noEntry;
    bin.entryTime = 0;
    for (const auto& [entry, time] : times) {
        if (entry == noEntry || time <= 0) continue;
        if (time > bin.entryTime || (time == bin.entryTime && entry < bin.entry)) {
            bin.entry = entry;
            bin.entryTime = time;
        }
    }
}

void addSums(TileBin& sum, const TileBin& part)
{
    sum.busy = saturatingAdd(sum.busy, part.busy);
    sum.idle = saturatingAdd(sum.idle, part.idle);
    addSaturating(sum.tasks, part.tasks);
    addSaturating(sum.messages, part.messages);
    sum.bytes = saturatingAdd(sum.bytes, part.bytes);
    sum.pack = saturatingAdd(sum.pack, part.pack);
}

TileBin parentOf(std::span<const TileBin> children)
{
    TileBin parent;
    std::array<std::pair<EntryId, TimeNs>, 4> times;
    std::size_t entries = 0;
    for (const TileBin& child : children) {
        addSums(parent, child);
        if (child.entry == noEntry) continue;
        std::size_t i = 0;
        while (i < entries && times[i].first != child.entry) ++i;
        if (i == entries) times[entries++] = {child.entry, 0};
        times[i].second = saturatingAdd(times[i].second, child.entryTime);
    }
    chooseDominant(parent, {times.data(), entries});
    return parent;
}

}  // namespace

TileBuilder::TileBuilder(TimeRange run, int finest, std::int64_t spare)
    : m_run{run.begin, std::max(run.begin, run.end)}, m_level(finest), m_mostSpare(spare),
      m_firstBin(run.begin >> m_level)
{
}

void TileBuilder::widen()
{
    closeOpenBin();
    TileLevel fine{m_level, m_firstBin, std::move(m_bins)};
    TileLevel wide = coarser(fine);
    if (m_openBin >= 0) openBin(((m_firstBin + m_openBin) >> 2) - wide.firstBin, wide.bins);
    m_level = wide.level;
    m_firstBin = wide.firstBin;
    fine.bins.assign(wide.bins.begin(), wide.bins.end());
    m_bins = std::move(fine.bins);
}

void TileBuilder::closeOpenBin()
{
    if (m_openBin >= 0) {
        TileBin& bin = m_bins[static_cast<std::size_t>(m_openBin)];
        chooseDominant(bin, m_openEntries);
        bin.entryTime = std::min(bin.entryTime, bin.busy);  // an interval gives both, each rounded for itself
        if (bin.entryTime == 0) bin.entry = noEntry;
    }
    m_openEntries.clear();
    m_placeOfEntry.clear();
}

void TileBuilder::openBin(std::int64_t position, const std::vector<TileBin>& bins)
{
    m_openBin = position;
    const TileBin& bin = bins[static_cast<std::size_t>(position)];
    if (bin.entry != noEntry) m_openEntries.emplace_back(bin.entry, bin.entryTime);
}

void TileBuilder::openBin(std::size_t position)
{
    if (static_cast<std::int64_t>(position) == m_openBin) return;
    closeOpenBin();
    openBin(static_cast<std::int64_t>(position), m_bins);
}

// Most bins have few entries, the last of which comes again; where they are many, each is found by its number.
void TileBuilder::addEntry(EntryId entry, TimeNs time)
{
    constexpr std::size_t few = 64;
    if (m_openEntries.size() >= few) {
        if (m_placeOfEntry.empty())
            for (std::size_t i = 0; i < m_openEntries.size(); ++i) m_placeOfEntry.emplace(m_openEntries[i].first, i);
        const auto [place, isNew] = m_placeOfEntry.try_emplace(entry, m_openEntries.size());
        if (isNew) m_openEntries.emplace_back(entry, time);
        else addSaturating(m_openEntries[place->second].second, time);
        return;
    }
    const auto known = std::find_if(m_openEntries.rbegin(), m_openEntries.rend(),
                                    [entry](const auto& e) { return e.first == entry; });
    if (known != m_openEntries.rend()) addSaturating(known->second, time);
    else m_openEntries.emplace_back(entry, time);
}

// The index of the bin of `time`, which is made if it is missing. Amortised O(1): each widening divides the bins by
// four.
std::size_t TileBuilder::binAt(TimeNs time)
{
    while ((time >> m_level) - m_firstBin >= m_spare + m_events / eventsPerBin) widen();
    const auto position = static_cast<std::size_t>((time >> m_level) - m_firstBin);
    if (position >= m_bins.capacity()) m_bins.reserve(position + position / 4 + 64);
    if (position >= m_bins.size()) m_bins.resize(position + 1);
    return position;
}

template <typename Add>
void TileBuilder::spread(TimeRange part, Add add)
{
    binAt(part.end - 1);  // may widen the bins, so it comes first
    TimeNs from = part.begin;
    while (from < part.end) {
        const std::int64_t bin = from >> m_level;
        const TimeNs binEnd = bin >= maxTime >> m_level ? maxTime : (bin + 1) << m_level;
        const TimeNs to = std::min(binEnd, part.end);
        add(static_cast<std::size_t>(bin - m_firstBin), to - from);
        from = to;
    }
}

void TileBuilder::busy(TimeNs begin, TimeNs end, EntryId innermost)
{
    feed({.kind = Fed::Kind::Busy, .range = {begin, end}, .entry = innermost});
}
void TileBuilder::idle(TimeNs begin, TimeNs end) { feed({.kind = Fed::Kind::Idle, .range = {begin, end}}); }
void TileBuilder::pack(TimeNs begin, TimeNs end) { feed({.kind = Fed::Kind::Pack, .range = {begin, end}}); }
void TileBuilder::task(TimeNs begin) { feed({.kind = Fed::Kind::Task, .range = {begin, begin}}); }
void TileBuilder::message(TimeNs sent, std::int64_t bytes)
{
    feed({.kind = Fed::Kind::Message, .range = {sent, sent}, .bytes = bytes});
}

void TileBuilder::feed(const Fed& fed)
{
    if (m_spare != 0) return add(fed);
    m_waiting.push_back(fed);
    if (m_waiting.size() >= littleCalls) settle(m_mostSpare);
}

void TileBuilder::settle(std::int64_t spare)
{
    if (m_spare != 0) return;
    m_spare = spare;
    if (spare > littleBins) {
        m_bins = std::exchange(sparedRoom(), {});
        m_bins.clear();
    }
    for (const Fed& fed : m_waiting) add(fed);
    release(m_waiting);
}

void TileBuilder::add(const Fed& fed)
{
    const TimeRange part = intersection(fed.range, m_run);
    const bool isCount = fed.kind == Fed::Kind::Task || fed.kind == Fed::Kind::Message;
    if (part.isEmpty() && !isCount) return;
    if (fed.kind != Fed::Kind::Task && fed.kind != Fed::Kind::Pack) ++m_events;
    switch (fed.kind) {
    case Fed::Kind::Busy:
        return spread(part, [&](std::size_t bin, TimeNs time) {
            openBin(bin);
            addSaturating(m_bins[bin].busy, time);
            addEntry(fed.entry, time);
        });
    case Fed::Kind::Idle:
        return spread(part, [&](std::size_t bin, TimeNs time) { addSaturating(m_bins[bin].idle, time); });
    case Fed::Kind::Pack:
        return spread(part,
                      [&](std::size_t bin, TimeNs time) { m_bins[bin].pack = saturatingAdd(m_bins[bin].pack, time); });
    case Fed::Kind::Task: ++m_bins[binAt(clamped(fed.range.begin))].tasks; return;
    case Fed::Kind::Message: {
        TileBin& bin = m_bins[binAt(clamped(fed.range.begin))];
        ++bin.messages;
        bin.bytes = saturatingAdd(bin.bytes, fed.bytes);
    }
    }
}

TimeNs TileBuilder::clamped(TimeNs time) const
{
    return std::clamp(time, m_run.begin, std::max(m_run.begin, m_run.end - 1));
}

TileBin TileBuilder::share(TimeRange interval, const TileBin& sums)
{
    settle(m_mostSpare);
    TileBin counted{.tasks = sums.tasks, .messages = sums.messages, .bytes = sums.bytes};
    const TimeRange part = intersection(interval, m_run);
    m_events += eventsPerBin;  // as it is as wide as a bin
    if (part.isEmpty()) {
        addSums(m_bins[binAt(clamped(interval.begin))], counted);
        return counted;
    }
    Shares tasks(sums.tasks, part.length()), messages(sums.messages, part.length()), bytes(sums.bytes, part.length());
    // Busy rounds down, idle up: in an interval without anything else no bin has more than its width.
    Shares busy(sums.busy, interval.length()), pack(sums.pack, interval.length());
    Shares idle(sums.idle, interval.length(), Shares::Rounding::Up);
    for (Shares* times : {&busy, &idle, &pack}) times->next(part.begin - interval.begin);
    spread(part, [&](std::size_t bin, TimeNs time) {
        const TileBin share{.busy = busy.next(time),
                            .idle = idle.next(time),
                            .tasks = tasks.next(time),
                            .messages = messages.next(time),
                            .bytes = bytes.next(time),
                            .pack = pack.next(time)};
        addSaturating(counted.busy, share.busy);
        addSaturating(counted.idle, share.idle);
        addSaturating(counted.pack, share.pack);
        addSums(m_bins[bin], share);
    });
    return counted;
}

void TileBuilder::shareEntries(TimeRange interval, std::span<const std::pair<EntryId, TimeNs>> times)
{
    settle(m_mostSpare);
    const TimeRange part = intersection(interval, m_run);
    if (part.isEmpty()) return;
    std::vector<Shares> shares;
    for (const auto& [entry, time] : times) {
        shares.emplace_back(time, interval.length());
        shares.back().next(part.begin - interval.begin);
    }
    spread(part, [&](std::size_t bin, TimeNs time) {
        openBin(bin);
        for (std::size_t i = 0; i < shares.size(); ++i) addEntry(times[i].first, shares[i].next(time));
    });
}

void TileBuilder::shrink()
{
    while (static_cast<std::int64_t>(m_bins.size()) > binsFor(m_events, fewBins)) widen();
    std::vector<TileBin> kept(m_bins.begin(), m_bins.end());
    m_bins.swap(kept);
    if (kept.capacity() > sparedRoom().capacity() && kept.capacity() <= 2 * spareBins) sparedRoom() = std::move(kept);
}

TilePyramid TileBuilder::finish()
{
    TilePyramid pyramid;
    settle(littleBins);
    if (m_bins.empty()) return pyramid;
    shrink();
    closeOpenBin();
    pyramid.levels.push_back({m_level, m_firstBin, std::move(m_bins)});
    while (pyramid.levels.back().bins.size() > 4) pyramid.levels.push_back(coarser(pyramid.levels.back()));
    m_bins.clear();
    return pyramid;
}

TileLevel coarser(const TileLevel& level)
{
    TileLevel wide{level.level + 2, level.firstBin >> 2, {}};
    const auto skipped = static_cast<std::size_t>(level.firstBin & 3);
    wide.bins.reserve((skipped + level.bins.size() + 3) / 4);
    std::size_t from = 0;
    while (from < level.bins.size()) {
        const std::size_t room = from == 0 ? 4 - skipped : 4;
        const std::size_t count = std::min(room, level.bins.size() - from);
        wide.bins.push_back(parentOf({level.bins.data() + from, count}));
        from += count;
    }
    return wide;
}

namespace {

std::int64_t endOf(const TileLevel& level) { return level.firstBin + static_cast<std::int64_t>(level.bins.size()); }

// Bins from the begin of the first to the end of the last; both have some, of one width.
std::int64_t spanOf(const TileLevel& a, const TileLevel& b)
{
    return std::max(endOf(a), endOf(b)) - std::min(a.firstBin, b.firstBin);
}

// Adds `part` to `sum`, which is of the same level.
void addLevel(TileLevel& sum, const TileLevel& part)
{
    if (part.bins.empty()) return;
    if (sum.bins.empty()) {
        sum = part;
        return;
    }
    const std::int64_t first = std::min(sum.firstBin, part.firstBin);
    const std::int64_t end = std::max(endOf(sum), endOf(part));
    sum.bins.insert(sum.bins.begin(), static_cast<std::size_t>(sum.firstBin - first), TileBin{});
    sum.firstBin = first;
    sum.bins.resize(static_cast<std::size_t>(end - first));
    for (std::size_t i = 0; i < part.bins.size(); ++i)
        addBin(sum.bins[static_cast<std::size_t>(part.firstBin - first) + i], part.bins[i]);
}

}  // namespace

void addBin(TileBin& sum, const TileBin& bin)
{
    addSums(sum, bin);
    if (sum.entry == bin.entry) sum.entryTime = saturatingAdd(sum.entryTime, bin.entryTime);
    else if (bin.entryTime > sum.entryTime || (bin.entryTime == sum.entryTime && bin.entry < sum.entry))
        std::tie(sum.entry, sum.entryTime) = std::pair(bin.entry, bin.entryTime);
}

void addInto(TilePyramid& sum, const TilePyramid& part, std::size_t bins)
{
    const auto finestOf = [bins](const TilePyramid& pyramid) -> const TileLevel* {
        for (const TileLevel& level : pyramid.levels)
            if (level.bins.size() <= bins) return &level;
        return nullptr;
    };
    const TileLevel* mine = finestOf(sum);
    const TileLevel* other = finestOf(part);
    if (!other || other->bins.empty()) return;
    TileLevel level = *other;
    if (mine && !mine->bins.empty()) {
        TileLevel total = *mine;
        while (total.level < level.level) total = coarser(total);
        while (level.level < total.level) level = coarser(level);
        // What lies far apart would be mostly empty between.
        while (spanOf(total, level) > static_cast<std::int64_t>(std::max<std::size_t>(bins, 4))) {
            total = coarser(total);
            level = coarser(level);
        }
        addLevel(total, level);
        level = std::move(total);
    }
    while (level.bins.size() > bins && level.bins.size() > 4) level = coarser(level);
    sum.levels.clear();
    sum.levels.push_back(std::move(level));
    while (sum.levels.back().bins.size() > 4) sum.levels.push_back(coarser(sum.levels.back()));
}

}  // namespace longpole
