// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/entrybins.h"

#include "core/base/timerange.h"

#include "core/base/shares.h"

#include <algorithm>
#include <utility>

namespace longpole {
namespace {

constexpr std::size_t mostRows = std::size_t{1} << 18;
constexpr std::size_t fewRows = 4096;  // finished bins may have as many, however few tasks there are
constexpr std::int64_t tasksPerRow = 8;
constexpr std::uint32_t nearIds = 1u << 16;  // entry methods of programs have smaller ones

}  // namespace

void EntryBins::add(std::uint32_t inBin, EntryId entryId, TimeNs exclusive, std::int64_t begun)
{
    bin.push_back(inBin);
    entry.push_back(entryId);
    time.push_back(exclusive);
    tasks.push_back(begun);
}

EntryBinBuilder::EntryBinBuilder(TimeRange run, int finest)
    : m_run{run.begin, std::max(run.begin, run.end)}, m_level(finest)
{
}

// The bin of `time`, one of the first 1024 of the run.
std::int64_t EntryBinBuilder::binAt(TimeNs time)
{
    if (m_rows.size() >= m_compactAt) compact(mostRows);
    while ((time >> m_level) - (m_run.begin >> m_level) >= mostEntryBins) widen();
    return time >> m_level;
}

EntryBinBuilder::OpenEntry& EntryBinBuilder::openOf(EntryId entry)
{
    if (index(entry) >= nearIds) return m_openFarAway[index(entry)];
    return m_open[index(entry)];
}

void EntryBinBuilder::addTime(OpenEntry& open, std::int64_t bin, EntryId entry, TimeNs time)
{
    if (open.time.bin != bin) {
        if (open.time.sum != 0) m_rows.push_back({open.time.bin, entry, open.time.sum, 0});
        open.time = {bin, 0};
    }
    addSaturating(open.time.sum, time);
}

void EntryBinBuilder::busy(TimeNs begin, TimeNs end, EntryId innermost)
{
    const TimeRange part = intersection({begin, end}, m_run);
    if (part.isEmpty()) return;
    const std::int64_t last = binAt(part.end - 1);  // may widen the bins, so it comes first
    OpenEntry& open = openOf(innermost);
    TimeNs from = part.begin;
    for (std::int64_t bin = from >> m_level; bin < last; ++bin) {
        const TimeNs to = (bin + 1) << m_level;
        addTime(open, bin, innermost, to - from);
        from = to;
    }
    addTime(open, last, innermost, part.end - from);
}

void EntryBinBuilder::addTasks(OpenEntry& open, std::int64_t bin, EntryId entry, std::int64_t tasks)
{
    if (open.tasks.bin != bin) {
        if (open.tasks.sum != 0) m_rows.push_back({open.tasks.bin, entry, 0, open.tasks.sum});
        open.tasks = {bin, 0};
    }
    addSaturating(open.tasks.sum, tasks);
    addSaturating(m_tasks, tasks);
}

void EntryBinBuilder::task(TimeNs begin, EntryId entry)
{
    const std::int64_t bin = binAt(std::clamp(begin, m_run.begin, std::max(m_run.begin, m_run.end - 1)));
    addTasks(openOf(entry), bin, entry, 1);
}

void EntryBinBuilder::share(TimeRange interval, EntryId entry, TimeNs time, std::int64_t tasks)
{
    TimeRange part = intersection(interval, m_run);
    if (part.isEmpty()) {
        part.begin = std::clamp(interval.begin, m_run.begin, std::max(m_run.begin, m_run.end - 1));
        part.end = part.begin + 1;
    }
    const std::int64_t last = binAt(part.end - 1);
    OpenEntry& open = openOf(entry);
    Shares times(time, part.length());
    Shares counts(tasks, part.length());
    for (std::int64_t bin = part.begin >> m_level; bin <= last; ++bin) {
        const TimeNs begin = std::max(part.begin, bin << m_level);
        const TimeNs length = (bin == last ? part.end : (bin + 1) << m_level) - begin;
        addTime(open, bin, entry, times.next(length));
        addTasks(open, bin, entry, counts.next(length));
    }
}

void EntryBinBuilder::closeAll()
{
    const auto close = [this](std::uint32_t entry, OpenEntry& open) {
        const auto [time, tasks] = std::exchange(open, {});
        if (time.sum != 0) m_rows.push_back({time.bin, EntryId{entry}, time.sum, 0});
        if (tasks.sum != 0) m_rows.push_back({tasks.bin, EntryId{entry}, 0, tasks.sum});
    };
    m_open.forEach(close);
    for (auto& [entry, open] : m_openFarAway) close(entry, open);
}

// One row per bin and entry, in order.
void EntryBinBuilder::mergeRows()
{
    const auto key = [](const Row& row) { return std::pair(row.bin, row.entry); };
    std::ranges::sort(m_rows, {}, key);
    std::size_t kept = 0;
    for (const Row& row : m_rows) {
        if (kept > 0 && key(m_rows[kept - 1]) == key(row)) {
            addSaturating(m_rows[kept - 1].time, row.time);
            addSaturating(m_rows[kept - 1].tasks, row.tasks);
        } else {
            m_rows[kept++] = row;
        }
    }
    m_rows.resize(kept);
}

void EntryBinBuilder::compact(std::size_t most)
{
    mergeRows();
    while (m_rows.size() > most && m_level < 62) {
        widen();
        mergeRows();
    }
    m_compactAt = std::max(m_compactAt, 2 * m_rows.size());
}

void EntryBinBuilder::widen()
{
    ++m_level;
    for (Row& row : m_rows) row.bin >>= 1;
    const auto widenOpen = [](OpenEntry& open) {
        open.time.bin >>= 1;
        open.tasks.bin >>= 1;
    };
    m_open.forEach([&](std::uint32_t, OpenEntry& open) { widenOpen(open); });
    for (auto& [entry, open] : m_openFarAway) widenOpen(open);
}

EntryBins EntryBinBuilder::finish()
{
    EntryBins bins;
    closeAll();
    compact(std::max(fewRows, static_cast<std::size_t>(m_tasks / tasksPerRow)));
    bins.level = m_level;
    if (!m_rows.empty()) bins.firstBin = m_rows.front().bin;
    for (const Row& row : m_rows)
        bins.add(static_cast<std::uint32_t>(row.bin - bins.firstBin), row.entry, row.time, row.tasks);
    m_rows.clear();
    return bins;
}

}  // namespace longpole
