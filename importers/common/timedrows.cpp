// SPDX-License-Identifier: GPL-3.0-or-later
// External sort of out-of-order rows: sorted runs of 8 MiB, merged with a heap of small read buffers.
#include "importers/common/timedrows.h"

#include "core/base/release.h"

#include <algorithm>
#include <queue>
#include <set>
#include <span>
#include <tuple>

namespace longpole {
namespace {

constexpr std::size_t runRows = 200'000;
constexpr std::size_t readRows = 2048;
constexpr std::size_t mostRoots = 65536;

auto key(const TimedRow& row) { return std::tuple(row.lane, row.begin, -row.duration); }

// Reads one sorted run from its start.
class RunReader {
public:
    RunReader(const Spill::Block& block, const Spill& spill) : m_block(block), m_spill(spill) { fill(); }
    bool isDone() const { return m_position == m_rows.size(); }
    const TimedRow& row() const { return m_rows[m_position]; }
    void advance()
    {
        if (++m_position == m_rows.size()) fill();
    }

private:
    void fill()
    {
        const std::size_t rows = std::min(readRows, m_block.size / sizeof(TimedRow) - m_read);
        m_rows.resize(rows);
        m_position = 0;
        if (!m_spill.read(m_block, m_read * sizeof(TimedRow), std::as_writable_bytes(std::span(m_rows))))
            m_rows.clear();
        m_read += rows;
    }

    const Spill::Block& m_block;
    const Spill& m_spill;
    std::vector<TimedRow> m_rows;
    std::size_t m_position = 0;
    std::size_t m_read = 0;
};

// The lowest level of a lane that is free at a row's begin; O(log levels). Rows come by lane and begin.
class Levels {
public:
    std::uint32_t place(const TimedRow& row)
    {
        if (row.lane != m_lane) *this = {};
        m_lane = row.lane;
        for (; !m_taken.empty() && m_taken.top().first <= row.begin; m_taken.pop()) m_free.insert(m_taken.top().second);
        const std::uint32_t level = m_free.empty() ? m_count++ : *m_free.begin();
        m_free.erase(level);
        m_taken.emplace(saturatingAdd(row.begin, row.duration), level);
        return level;
    }

private:
    using Taken = std::pair<TimeNs, std::uint32_t>;  // until when, level

    std::uint32_t m_lane = 0;
    std::uint32_t m_count = 0;
    std::set<std::uint32_t> m_free;
    std::priority_queue<Taken, std::vector<Taken>, std::greater<>> m_taken;
};

}  // namespace

void TimedRows::add(const TimedRow& row, Spill& spill)
{
    m_open.push_back(row);
    if (m_open.size() == runRows) storeRun(spill);
}

void TimedRows::addInterval(TimedRow row, Spill& spill)
{
    std::vector<std::pair<TimeNs, TimeNs>>& roots = m_roots[row.lane];
    const TimeNs end = saturatingAdd(row.begin, row.duration);
    TimeNs inside = 0;
    while (!roots.empty() && roots.back().first >= row.begin && roots.back().second <= end) {
        inside = saturatingAdd(inside, roots.back().second - roots.back().first);
        roots.pop_back();
    }
    if (roots.size() == mostRoots) roots.erase(roots.begin(), roots.begin() + mostRoots / 2);
    roots.emplace_back(row.begin, end);
    row.extra = std::min(inside, row.duration);
    add(row, spill);
}

void TimedRows::storeRun(Spill& spill)
{
    std::stable_sort(m_open.begin(), m_open.end(),
                     [](const TimedRow& a, const TimedRow& b) { return key(a) < key(b); });
    m_runs.push_back(spill.store(std::as_bytes(std::span(m_open))));
    m_open.clear();
}

void TimedRows::finish(Spill& spill)
{
    if (!m_open.empty()) storeRun(spill);
    release(m_open);
    release(m_roots);
}

void TimedRows::merge(const std::vector<const TimedRows*>& parts, const Spill& spill,
                      const std::function<void(const TimedRow& row, std::uint32_t depth)>& give)
{
    std::vector<RunReader> readers;
    for (const TimedRows* part : parts) {
        for (const Spill::Block& run : part->m_runs) readers.emplace_back(run, spill);
    }
    const auto later = [&readers](std::size_t a, std::size_t b) {
        return std::tuple_cat(key(readers[a].row()), std::tuple(a))
               > std::tuple_cat(key(readers[b].row()), std::tuple(b));
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> heap(later);
    for (std::size_t i = 0; i < readers.size(); ++i) {
        if (!readers[i].isDone()) heap.push(i);
    }
    Levels levels;
    while (!heap.empty()) {
        const std::size_t first = heap.top();
        heap.pop();
        const TimedRow row = readers[first].row();
        give(row, levels.place(row));
        readers[first].advance();
        if (!readers[first].isDone()) heap.push(first);
    }
}

}  // namespace longpole
