// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/rowmodel.h"

#include <algorithm>
#include <cmath>

namespace longpole {

RowModel::RowModel(std::shared_ptr<const TraceStore> store, QObject* parent)
    : QObject(parent), m_store(std::move(store))
{
    rebuild();
}

void RowModel::setChoice(const RowChoice& choice)
{
    m_choice = choice;
    rebuild();
    Q_EMIT changed();
}

void RowModel::toggleFold(TrackId track)
{
    if (m_choice.folded.erase(track) == 0) m_choice.folded.insert(track);
    rebuild();
    Q_EMIT changed();
}

void RowModel::togglePin(TrackId track)
{
    if (std::erase(m_choice.pinned, track) == 0) m_choice.pinned.push_back(track);
    rebuild();
    Q_EMIT changed();
}

void RowModel::rebuild()
{
    m_rows = timelineRows(m_store->tracks(), m_store->processors(), m_choice);
    markCutLogs(m_rows, *m_store);
    m_pinned = static_cast<std::size_t>(std::count_if(m_rows.begin(), m_rows.end(),
                                                      [](const TimelineRow& row) { return row.pinned; }));

    // A folded group is the row of all its members.
    std::vector<std::pair<TrackId, ProcessorId>> peOfTrack;
    std::size_t most = 0;
    for (const Processor& processor : m_store->processors()) {
        peOfTrack.emplace_back(processor.track, processor.pe);
        most = std::max<std::size_t>(most, std::size_t{index(processor.pe)} + 1);
    }
    std::sort(peOfTrack.begin(), peOfTrack.end());
    m_rowOfPe.assign(std::min<std::size_t>(most, mostIds), -1);
    const auto put = [this](ProcessorId pe, std::size_t row) {
        if (index(pe) < m_rowOfPe.size()) m_rowOfPe[index(pe)] = static_cast<std::int64_t>(row);
    };
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const TimelineRow& row = m_rows[i];
        if (row.kind == RowKind::Processor && row.pe) put(*row.pe, i);
        if (row.kind != RowKind::Group || !row.folded) continue;
        for (const TrackId member : row.members) {
            const auto found = std::lower_bound(peOfTrack.begin(), peOfTrack.end(), std::pair{member, ProcessorId{0}});
            if (found != peOfTrack.end() && found->first == member) put(found->second, i);
        }
    }
    layOut();
}

double RowModel::heightOf(const TimelineRow& row) const
{
    const double heading = std::round(22 * m_textScale);
    if (row.kind == RowKind::Group) return row.folded ? std::max(heading, m_rowHeight) : heading;
    if (row.kind == RowKind::Intervals) return std::max(4.0, std::round(m_rowHeight * 0.7));
    return m_rowHeight;
}

namespace {

// Of so many rows in a viewport. While labels have room they leave the foot free, where it is said what is not drawn.
double fittingHeight(double viewport, double rows, double textScale)
{
    constexpr double usual = 76;
    constexpr double foot = 8;
    const double note = 21 * textScale;
    const double least = std::round(14 * textScale);  // of a label
    const double withNote = std::floor((viewport - note) / rows);
    const double height = withNote >= least ? withNote : std::max(least, std::floor(viewport / rows));
    return height <= usual ? height : std::clamp(std::floor((viewport - foot) / rows), usual, 200.0);
}

}  // namespace

void RowModel::layOut()
{
    if (!m_heightIsChosen && m_viewport > 0 && !m_rows.empty())
        m_rowHeight = fittingHeight(m_viewport, static_cast<double>(m_rows.size()), m_textScale);
    m_tops.assign(1, 0.0);
    for (const TimelineRow& row : m_rows) m_tops.push_back(m_tops.back() + heightOf(row));
    m_scroll = std::clamp(m_scroll, 0.0, maxScroll());
}

void RowModel::setRowHeight(double pixels, double fixedY)
{
    const double height = std::clamp(std::round(pixels), 3.0, 200.0);
    if (height == m_rowHeight) return;
    const std::optional<std::size_t> row = rowAt(fixedY);
    const double share = row ? (fixedY - boxOf(*row).top) / heightOf(m_rows[*row]) : 0;
    m_rowHeight = height;
    m_heightIsChosen = true;
    layOut();
    if (row && *row >= m_pinned)
        m_scroll = std::clamp(std::round(m_tops[*row] + share * heightOf(m_rows[*row]) - fixedY), 0.0, maxScroll());
    Q_EMIT changed();
}

void RowModel::setViewportHeight(double pixels)
{
    if (pixels == m_viewport) return;
    m_viewport = pixels;
    layOut();
    Q_EMIT changed();
}

void RowModel::setTextScale(double scale)
{
    if (scale == m_textScale) return;
    m_textScale = scale;
    layOut();
    Q_EMIT changed();
}

double RowModel::maxScroll() const { return std::max(0.0, contentHeight() - m_viewport); }

void RowModel::setScroll(double pixels)
{
    const double scroll = std::round(std::clamp(pixels, 0.0, maxScroll()));
    if (scroll == m_scroll) return;
    m_scroll = scroll;
    Q_EMIT changed();
}

void RowModel::scrollTo(std::size_t row)
{
    if (row < m_pinned || row >= m_rows.size()) return;
    if (m_tops[row] - m_scroll < pinnedHeight()) setScroll(m_tops[row] - pinnedHeight());
    else if (m_tops[row + 1] - m_scroll > m_viewport) setScroll(m_tops[row + 1] - m_viewport);
}

RowBox RowModel::boxOf(std::size_t row) const
{
    const double top = row < m_pinned ? m_tops[row] : m_tops[row] - m_scroll;
    return rowBox(top, m_tops[row + 1] - m_tops[row]);
}

std::vector<PlacedRow> RowModel::placed() const
{
    std::vector<PlacedRow> placed;
    for (std::size_t row = 0; row < m_pinned && m_tops[row] < m_viewport; ++row) placed.push_back({row, boxOf(row)});
    const double from = m_scroll + pinnedHeight();
    const auto first = std::upper_bound(m_tops.begin() + static_cast<std::ptrdiff_t>(m_pinned), m_tops.end(), from);
    auto row = static_cast<std::size_t>(std::max<std::ptrdiff_t>(first - m_tops.begin() - 1,
                                                                 static_cast<std::ptrdiff_t>(m_pinned)));
    for (; row < m_rows.size() && m_tops[row] - m_scroll < m_viewport; ++row) placed.push_back({row, boxOf(row)});
    return placed;
}

std::optional<std::size_t> RowModel::rowAt(double y) const
{
    const double at = y < pinnedHeight() ? y : y + m_scroll;
    if (at < 0 || at >= contentHeight()) return {};
    const auto after = std::upper_bound(m_tops.begin(), m_tops.end(), at);
    return static_cast<std::size_t>(after - m_tops.begin() - 1);
}

std::optional<std::size_t> RowModel::rowOf(ProcessorId pe) const
{
    if (index(pe) >= m_rowOfPe.size() || m_rowOfPe[index(pe)] < 0) return {};
    return static_cast<std::size_t>(m_rowOfPe[index(pe)]);
}

std::optional<std::size_t> RowModel::rowOf(TrackId track) const
{
    const auto found = std::find_if(m_rows.begin(), m_rows.end(),
                                    [track](const TimelineRow& row) { return row.track == track; });
    if (found == m_rows.end()) return {};
    return static_cast<std::size_t>(found - m_rows.begin());
}

}  // namespace longpole
