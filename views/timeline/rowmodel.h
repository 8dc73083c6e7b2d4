// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the timeline: their order, folding, pins, heights and how far they are scrolled.
#pragma once

#include "core/store/tracestore.h"
#include "views/drawing/timeline/timelinegeometry.h"
#include "views/drawing/timeline/timelinerows.h"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

namespace longpole {

// A row and where it stands in the viewport.
struct PlacedRow {
    std::size_t row = 0;
    RowBox box;
};

class RowModel : public QObject {
    Q_OBJECT
public:
    explicit RowModel(std::shared_ptr<const TraceStore> store, QObject* parent = nullptr);

    const std::vector<TimelineRow>& rows() const { return m_rows; }
    const RowChoice& choice() const { return m_choice; }
    void setChoice(const RowChoice& choice);
    void toggleFold(TrackId track);
    void togglePin(TrackId track);

    // Pixels of a processor; where that are less than three, rows are bands of several (rowbands.h). Until somebody
    // sets it rows share the viewport, with 18 to 76 pixels each.
    double rowHeight() const { return m_rowHeight; }
    void setRowHeight(double pixels, double fixedY);  // the row at fixedY stays there
    void setViewportHeight(double pixels);
    void setTextScale(double scale);  // of the names, for which rows of the usual height need room (textscale.h)
    double viewportHeight() const { return m_viewport; }

    double contentHeight() const { return m_tops.empty() ? 0 : m_tops.back(); }
    double scroll() const { return m_scroll; }
    double maxScroll() const;
    void setScroll(double pixels);
    void scrollTo(std::size_t row);  // as far as is needed to show all of it

    // The rows that show, from top to bottom. Pinned rows come first and do not scroll. O(rows shown + log rows).
    std::vector<PlacedRow> placed() const;
    RowBox boxOf(std::size_t row) const;  // in the viewport's pixels, also of rows that do not show
    std::optional<std::size_t> rowAt(double y) const;
    // The row of a processor or, if that is folded away, of its group.
    std::optional<std::size_t> rowOf(ProcessorId pe) const;
    std::optional<std::size_t> rowOf(TrackId track) const;  // O(rows)
    QString shortLabel(const TimelineRow& row) const;       // of a band the name of its first processor
    // Tells what a row shows from what any other row has shown since this model was made.
    std::uint64_t keyOf(const TimelineRow& row) const;
    // Keys of rows that show a processor of this one in a wider or narrower band, the most similar first.
    std::vector<std::uint64_t> standInsOf(const TimelineRow& row) const;
    double pinnedHeight() const { return m_pinned == 0 ? 0 : m_tops[m_pinned]; }

Q_SIGNALS:
    void changed();  // rows, heights or scroll position

private:
    void rebuild();
    void gather();  // rows into bands
    void layOut();
    double heightOf(const TimelineRow& row) const;
    double leastHeight() const;
    bool isPlaced(std::size_t row) const;
    std::optional<double> placeAt(std::size_t row, double share) const;
    void scrollToPlace(double place, double y);
    std::uint64_t keyOfBand(std::size_t place, int exponent) const;

    std::shared_ptr<const TraceStore> m_store;
    RowChoice m_choice;
    std::vector<TimelineRow> m_single;  // rows as they are without bands
    std::vector<TimelineRow> m_rows;
    std::size_t m_processors = 0;                              // of the single rows that can be in a band
    std::vector<std::pair<TrackId, ProcessorId>> m_peOfTrack;  // by track
    int m_exponent = 0;                                        // of the bands; 0: none
    std::uint64_t m_order = 0;                                 // counts the choices of rows
    std::vector<double> m_tops;                                // of all rows, unscrolled, and the end of the last
    std::vector<std::int64_t> m_rowOfPe;                       // by PE; -1: none
    std::size_t m_pinned = 0;
    double m_rowHeight = 56;
    double m_textScale = 1;
    bool m_heightIsChosen = false;
    double m_viewport = 0;
    double m_scroll = 0;
};

}  // namespace longpole
