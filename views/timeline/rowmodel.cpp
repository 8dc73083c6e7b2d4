// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/rowmodel.h"

#include "views/drawing/timeline/rowbands.h"

#include <algorithm>
#include <cmath>

namespace longpole {

RowModel::RowModel(std::shared_ptr<const TraceStore> store, QObject* parent)
    : QObject(parent), m_store(std::move(store))
{
    std::size_t most = 0;
    for (const Processor& processor : m_store->processors()) {
        m_peOfTrack.emplace_back(processor.track, processor.pe);
        most = std::max<std::size_t>(most, std::size_t{index(processor.pe)} + 1);
    }
    std::sort(m_peOfTrack.begin(), m_peOfTrack.end());
    m_rowOfPe.resize(std::min<std::size_t>(most, mostIds));
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
    m_single = timelineRows(m_store->tracks(), m_store->processors(), m_choice);
    markCutLogs(m_single, *m_store);
    m_processors = static_cast<std::size_t>(std::count_if(m_single.begin(), m_single.end(), [](const TimelineRow& row) {
        return row.kind == RowKind::Processor && !row.pinned;
    }));
    ++m_order;
    gather();
}

void RowModel::gather()
{
    m_exponent = bandExponent(m_rowHeight);
    m_rows = bandedRows(m_single, m_exponent);
    m_pinned = static_cast<std::size_t>(std::count_if(m_rows.begin(), m_rows.end(),
                                                      [](const TimelineRow& row) { return row.pinned; }));

    // A folded group and a band are the row of all their members.
    m_rowOfPe.assign(m_rowOfPe.size(), -1);
    const auto put = [this](ProcessorId pe, std::size_t row) {
        if (index(pe) < m_rowOfPe.size()) m_rowOfPe[index(pe)] = static_cast<std::int64_t>(row);
    };
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const TimelineRow& row = m_rows[i];
        if (row.kind == RowKind::Processor && row.pe) put(*row.pe, i);
        if (row.kind == RowKind::Group && !row.folded) continue;
        for (const TrackId member : row.members) {
            const auto found = std::lower_bound(m_peOfTrack.begin(), m_peOfTrack.end(),
                                                std::pair{member, ProcessorId{0}});
            if (found != m_peOfTrack.end() && found->first == member) put(found->second, i);
        }
    }
    layOut();
}

double RowModel::heightOf(const TimelineRow& row) const
{
    const double heading = std::round(22 * m_textScale);
    const double height = std::ldexp(m_rowHeight, m_exponent);
    if (row.kind == RowKind::Group) return row.folded ? std::max(heading, height) : heading;
    if (row.kind == RowKind::Intervals) return std::max(4.0, std::round(height * 0.7));
    return height;
}

// At which all processors have room, if they have less with rows of their own.
double RowModel::leastHeight() const
{
    double height = leastRow;
    while (height * static_cast<double>(m_processors) > std::max(m_viewport, 2 * leastRow))
        height = nextHeight(height, false);
    return height;
}

QString RowModel::shortLabel(const TimelineRow& row) const
{
    const Track* const track = row.kind == RowKind::Band ? m_store->track(row.track) : nullptr;
    return track != nullptr ? track->name : row.label;
}

std::uint64_t RowModel::keyOfBand(std::size_t place, int exponent) const
{
    return 1ull << 63 | m_order << 40 | static_cast<std::uint64_t>(exponent) << 32 | (place >> exponent) << exponent;
}

std::uint64_t RowModel::keyOf(const TimelineRow& row) const
{
    return row.kind == RowKind::Band ? keyOfBand(row.place, m_exponent) : index(row.track);
}

std::vector<std::uint64_t> RowModel::standInsOf(const TimelineRow& row) const
{
    std::vector<std::uint64_t> keys;
    if (row.pinned || (row.kind != RowKind::Band && row.kind != RowKind::Processor)) return keys;
    constexpr int mostExponents = 20;
    for (int exponent = m_exponent - 1; exponent > 0; --exponent) keys.push_back(keyOfBand(row.place, exponent));
    for (int exponent = m_exponent + 1; exponent <= mostExponents; ++exponent)
        keys.push_back(keyOfBand(row.place, exponent));
    if (row.kind == RowKind::Band) keys.push_back(index(row.track));
    return keys;
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
    const double least = std::min(leastHeight(), m_rowHeight);
    double height = usableHeight(std::clamp(pixels, least, 200.0));
    if (height == m_rowHeight && pixels != height) height = nextHeight(height, pixels > height);
    height = std::clamp(height, least, 200.0);
    if (height == m_rowHeight) return;
    // What stays where it is: a share of a row, or where processors change their rows one of them.
    const std::optional<std::size_t> row = rowAt(fixedY);
    const double share = row ? (fixedY - boxOf(*row).top) / heightOf(m_rows[*row]) : 0;
    const std::optional<double> place = row ? placeAt(*row, share) : std::nullopt;
    m_rowHeight = height;
    m_heightIsChosen = true;
    const bool regroups = bandExponent(height) != m_exponent;
    if (regroups) gather();
    else layOut();
    if (regroups && place) scrollToPlace(*place, fixedY);
    else if (!regroups && row && *row >= m_pinned)
        m_scroll = std::clamp(std::round(m_tops[*row] + share * heightOf(m_rows[*row]) - fixedY), 0.0, maxScroll());
    Q_EMIT changed();
}

bool RowModel::isPlaced(std::size_t row) const
{
    return row >= m_pinned && (m_rows[row].kind == RowKind::Processor || m_rows[row].kind == RowKind::Band);
}

// The processor at a share of a row's height, counted with a share of it; of another row the one above. O(rows).
std::optional<double> RowModel::placeAt(std::size_t row, double share) const
{
    const bool isItself = isPlaced(row);
    while (row > m_pinned && !isPlaced(row)) --row;
    if (!isPlaced(row)) return {};
    const auto processors = static_cast<double>(std::max<std::size_t>(1, m_rows[row].members.size()));
    return static_cast<double>(m_rows[row].place) + (isItself ? share * processors : 0);
}

// Scrolls so that the processor at `place`, counted with a share of it, stands at `y`. O(rows).
void RowModel::scrollToPlace(double place, double y)
{
    std::size_t row = m_rows.size();
    for (std::size_t i = m_pinned; i < m_rows.size(); ++i)
        if (isPlaced(i) && static_cast<double>(m_rows[i].place) <= place) row = i;
    if (row == m_rows.size()) return;
    const double within = place - static_cast<double>(m_rows[row].place);
    const double at = m_tops[row] + within * m_rowHeight;
    m_scroll = std::clamp(std::round(at - y), 0.0, maxScroll());
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
    RowBox box = rowBox(top, m_tops[row + 1] - m_tops[row]);
    if (m_rows[row].kind == RowKind::Band) {  // side by side: lines between rows so low would be all that one sees
        box.bodyTop = box.barTop = box.top;
        box.bodyHeight = box.height;
    }
    return box;
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
