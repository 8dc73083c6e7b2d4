// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the timeline: keeps a picture of the visible rows and range, paints it, and asks for the data that it
// lacks.
#pragma once

#include "views/drawing/basics/palette.h"
#include "views/drawing/basics/theme.h"
#include "views/drawing/timeline/pathgeometry.h"
#include "views/drawing/timeline/timelinegeometry.h"
#include "views/state/viewstate.h"
#include "views/state/watch.h"
#include "views/timeline/rowloader.h"
#include "views/timeline/rowmodel.h"
#include "views/timeline/timelinequestions.h"

#include <QImage>
#include <QWidget>

#include <memory>
#include <optional>
#include <unordered_map>

namespace longpole {

class TimelineGestures;

// What lies over the rows while a gesture goes on.
struct TimelineOverlay {
    std::optional<TimeRange> ruler;
    std::optional<QRectF> zoomBox;
    friend bool operator==(const TimelineOverlay&, const TimelineOverlay&) = default;
};

class TimelineCanvas : public QWidget {
    Q_OBJECT
public:
    TimelineCanvas(ViewState* state, RowModel* rows, QWidget* parent = nullptr);
    ~TimelineCanvas() override;

    void setTheme(const Theme& theme);
    const Theme& theme() const { return m_theme; }
    const Palette& colours() const { return m_palette; }
    TimelineGestures& gestures() { return *m_gestures; }

    TimeCoordinates coordinates() const;
    // The best data there is of a row for the visible range; null while there is none.
    std::shared_ptr<const RowData> dataOf(const TimelineRow& row) const;
    // The arrows of what is selected; none before they have been found.
    const MessageArrows& arrows() const { return m_marks->arrows; }
    // What it says of arrows that are not drawn; empty: all are.
    QString notDrawnText() const;
    // Of the last frame.
    const TimelineGeometry& shownGeometry() const { return m_geometry; }
    void setOverlay(const TimelineOverlay& overlay);
    bool isLoading() const { return m_loader.isBusy() || m_marking.isRunning(); }
    // Loads on this thread what the visible range lacks, so that a picture can be saved.
    void loadNow();
    // Paints what shows; `vector`: as shapes instead of the cached image.
    void paintPicture(QPainter& painter, bool vector);

Q_SIGNALS:
    void hovered(const QString& text);
    void frameBuilt(double milliseconds);
    void dataChanged();
    void damageMet(const longpole::Error& error);  // once: something that should show cannot be read

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct RowCache {
        std::shared_ptr<const RowData> fine;
        std::shared_ptr<const RowData> coarse;  // tiles of the whole trace, good enough for any range at first
        std::uint64_t used = 0;                 // number of the last frame that used it
    };

    void invalidate();
    void invalidateArrows();
    SelectionMarksQuestion marksQuestion() const;
    void takeSlack();
    void buildFrame();
    void rebuildPalette();
    TimelineGeometry geometryOf(const std::vector<PlacedRow>& placed);
    PathGeometry geometryOf(const CriticalPath& path, const PathPyramid* pyramid) const;
    // A group has data only if it is folded; else it is a heading.
    static bool hasData(const TimelineRow& row) { return row.kind != RowKind::Group || row.folded; }
    void requestData(const std::vector<PlacedRow>& placed);
    bool isStale(const RowData& row) const;
    bool isGoodEnough(const RowCache& cache) const;
    std::shared_ptr<const RowData> dataAt(std::uint64_t key) const;
    RowRequest requestFor(const TimelineRow& row, std::size_t beside) const;  // so many rows in view
    RowRequest coarseRequestFor(const TimelineRow& row) const;
    void store(const RowLoader::Loaded& loaded);
    void tellDamage(const Error& error);
    void dropUnused(std::size_t shown);
    void paintLayers(QPainter& painter, const TimelineGeometry& geometry, bool vector);
    void paintOverlays(QPainter& painter);
    double resolution() const;  // ns per device pixel

    ViewState* m_state;
    RowModel* m_rows;
    RowLoader m_loader;
    std::unique_ptr<TimelineGestures> m_gestures;
    Theme m_theme = darkTheme();
    Palette m_palette;
    SlackLayer m_slack;  // null while nothing is coloured or dimmed by slack
    SlackScale m_slackScale;
    std::unordered_map<std::uint64_t, RowCache> m_cache;  // by RowModel::keyOf()
    std::int64_t m_leftOut = 0;                           // messages of the path whose arrows the frame lacks
    std::uint64_t m_frame = 0;
    TimelineGeometry m_geometry;
    QImage m_image;
    bool m_dirty = true;
    bool m_damageTold = false;
    std::shared_ptr<const SelectionMarks> m_marks = std::make_shared<const SelectionMarks>();
    Watch<SelectionMarksQuestion> m_marking;
    TimelineOverlay m_overlay;
};

}  // namespace longpole
