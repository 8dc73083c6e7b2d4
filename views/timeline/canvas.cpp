// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/canvas.h"

#include "views/drawing/basics/textscale.h"
#include "views/drawing/timeline/timelinepainter.h"
#include "views/timeline/axisbar.h"
#include "views/timeline/gestures.h"
#include "views/timeline/hoverkeys.h"
#include "views/timeline/overlays.h"
#include "views/widgets/spoken.h"

#include <QElapsedTimer>
#include <QMouseEvent>
#include <QPainter>
#include <QTimer>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double coarseColumns = 1024;  // bins of the coarse data that every row keeps of the whole trace

}  // namespace

TimelineCanvas::TimelineCanvas(ViewState* state, RowModel* rows, QWidget* parent)
    : QWidget(parent), m_state(state), m_rows(rows), m_loader(*state->results()),
      m_gestures(std::make_unique<TimelineGestures>(*this, *state, *rows))
{
    setObjectName(QStringLiteral("timelineCanvas"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    speakAs(*this, QAccessible::Chart);
    setAccessibleName(tr("Timeline rows"));
    setMinimumSize(120, 60);
    rebuildPalette();
    for (const auto signal :
         {&ViewState::rangeChanged, &ViewState::filterChanged, &ViewState::pathChanged, &ViewState::secondPathChanged})
        connect(state, signal, this, &TimelineCanvas::invalidate);
    for (const auto signal : {&ViewState::selectionChanged, &ViewState::graphChanged, &ViewState::arrowsChanged})
        connect(state, signal, this, &TimelineCanvas::invalidateArrows);
    for (const auto signal : {&ViewState::markedChanged, &ViewState::phaseBandsChanged})
        connect(state, signal, this, qOverload<>(&QWidget::update));
    connect(state, &ViewState::colourChanged, this, &TimelineCanvas::rebuildPalette);
    connect(state, &ViewState::colourChanged, this, &TimelineCanvas::takeSlack);
    connect(state, &ViewState::slackChanged, this, &TimelineCanvas::takeSlack);
    connect(state, &ViewState::taskFilterChanged, this, &TimelineCanvas::invalidate);
    connect(rows, &RowModel::changed, this, &TimelineCanvas::invalidate);
    connect(state, &ViewState::rangeChanged, this, [this] { m_gestures->refresh(); });
    connect(rows, &RowModel::changed, this, [this] { m_gestures->refresh(); });
    new HoverKeys(*this);
    connect(&m_loader, &RowLoader::loaded, this, [this](const std::vector<RowLoader::Loaded>& loaded) {
        for (const RowLoader::Loaded& row : loaded) store(row);
        invalidate();
        m_gestures->refresh();
        Q_EMIT dataChanged();
    });
}

TimelineCanvas::~TimelineCanvas() = default;

void TimelineCanvas::setTheme(const Theme& theme)
{
    m_theme = theme;
    rebuildPalette();
}

void TimelineCanvas::rebuildPalette()
{
    m_palette = *m_state->palette(m_theme);
    invalidate();
}

void TimelineCanvas::takeSlack()
{
    const SlackView& slack = m_state->slack();
    m_slack = m_state->colour() == ColourMode::Slack || slack.most ? slack.layer : SlackLayer{};
    if (m_slack.pyramid) m_slackScale = SlackScale(m_slack.largest);
    invalidate();
}

void TimelineCanvas::invalidate()
{
    m_dirty = true;
    update();
}

SelectionMarksQuestion TimelineCanvas::marksQuestion() const
{
    return {m_state->selection(), m_state->arrows(), m_state->graph()};
}

void TimelineCanvas::invalidateArrows()
{
    m_marks = std::make_shared<const SelectionMarks>();
    if (m_state->selection().isValid())
        m_marking.ask(m_state->results(), marksQuestion(), [this](const Watch<SelectionMarksQuestion>::Answer& marks) {
            if (marks.ok()) m_marks = *marks;
            update();
        });
    else m_marking.cancel();
    invalidate();  // the arrow mode decides whether the path has connectors
}

TimeCoordinates TimelineCanvas::coordinates() const { return {m_state->range(), std::max(1.0, double(width()))}; }

double TimelineCanvas::resolution() const { return std::max(coordinates().perPixel() / devicePixelRatioF(), 1e-6); }

void TimelineCanvas::setOverlay(const TimelineOverlay& overlay)
{
    if (overlay == m_overlay) return;
    m_overlay = overlay;
    update();
}

std::shared_ptr<const RowData> TimelineCanvas::dataAt(std::uint64_t key) const
{
    const auto found = m_cache.find(key);
    if (found == m_cache.end()) return nullptr;
    const RowCache& cache = found->second;
    const TimeRange range = m_state->range();
    const auto covers = [range](const RowData& d) { return d.range.begin <= range.begin && d.range.end >= range.end; };
    if (cache.fine && covers(*cache.fine)) return cache.fine;
    return cache.coarse ? cache.coarse : cache.fine;
}

// Until a row's own data is there, that of a band which has some of its processors shows: zooming over rows does not
// flicker.
std::shared_ptr<const RowData> TimelineCanvas::dataOf(const TimelineRow& row) const
{
    if (std::shared_ptr<const RowData> own = dataAt(m_rows->keyOf(row))) return own;
    for (const std::uint64_t key : m_rows->standInsOf(row))
        if (std::shared_ptr<const RowData> other = dataAt(key)) return other;
    return nullptr;
}

RowRequest TimelineCanvas::requestFor(const TimelineRow& row, std::size_t beside) const
{
    // As much again on either side, so that panning finds its data.
    const TimeRange range = m_state->range();
    const TimeRange wide = intersection({saturatingSubtract(range.begin, range.length()),
                                         saturatingAdd(range.end, range.length())},
                                        m_state->limits());
    return {.track = row.track,
            .members = row.members,
            .range = wide,
            .resolution = resolution(),
            .tilesOnly = false,
            .slack = m_slack,
            .filter = m_state->taskFilter(),
            .beside = beside,
            .key = m_rows->keyOf(row)};
}

RowRequest TimelineCanvas::coarseRequestFor(const TimelineRow& row) const
{
    const TimeRange limits = m_state->limits();
    return {.track = row.track,
            .members = row.members,
            .range = limits,
            .resolution = static_cast<double>(limits.length()) / coarseColumns,
            .tilesOnly = true,
            .slack = m_slack,
            .filter = m_state->taskFilter(),
            .key = m_rows->keyOf(row)};
}

// Whether it lacks what is to be coloured or dimmed by.
bool TimelineCanvas::isStale(const RowData& row) const
{
    const std::optional<TaskFilter>& filter = m_state->taskFilter();
    return (m_slack.pyramid && row.slackVersion != m_slack.version) || (filter && row.grain != filter->grain);
}

// Whether the fine data covers the range with some margin and was made for about this resolution.
bool TimelineCanvas::isGoodEnough(const RowCache& cache) const
{
    if (!cache.fine || isStale(*cache.fine)) return false;
    const TimeRange range = m_state->range();
    const TimeRange limits = m_state->limits();
    const TimeNs margin = range.length() / 4;
    const TimeRange& have = cache.fine->range;
    if (have.begin > std::max(limits.begin, saturatingSubtract(range.begin, margin))) return false;
    if (have.end < std::min(limits.end, saturatingAdd(range.end, margin))) return false;
    const double ratio = cache.fine->resolution / resolution();
    return ratio < 1.05 && ratio > 0.3;
}

void TimelineCanvas::requestData(const std::vector<PlacedRow>& placed)
{
    std::vector<RowRequest> wanted;
    for (const PlacedRow& place : placed) {
        const TimelineRow& row = m_rows->rows()[place.row];
        const auto& coarse = m_cache[m_rows->keyOf(row)].coarse;
        if (hasData(row) && (!coarse || isStale(*coarse))) wanted.push_back(coarseRequestFor(row));
    }
    for (const PlacedRow& place : placed) {
        const TimelineRow& row = m_rows->rows()[place.row];
        if (hasData(row) && !isGoodEnough(m_cache[m_rows->keyOf(row)]))
            wanted.push_back(requestFor(row, placed.size()));
    }
    // Groups come last, so that nothing waits for the sums over all their members.
    std::stable_partition(wanted.begin(), wanted.end(), [](const RowRequest& r) { return r.members.empty(); });
    m_loader.request(std::move(wanted));
}

void TimelineCanvas::store(const RowLoader::Loaded& loaded)
{
    RowCache& cache = m_cache[loaded.request.key];
    cache.used = m_frame;
    if (loaded.request.tilesOnly) cache.coarse = loaded.data;
    else cache.fine = loaded.data;
    if (loaded.data->damaged) tellDamage(loaded.data->damage);
}

// Tells it later: a frame may be being made now.
void TimelineCanvas::tellDamage(const Error& error)
{
    if (m_damageTold) return;
    m_damageTold = true;
    QTimer::singleShot(0, this, [this, error] { Q_EMIT damageMet(error); });
}

void TimelineCanvas::loadNow()
{
    TileSource source(*m_state->results(), 1);
    const std::vector<PlacedRow> placed = m_rows->placed();
    for (const PlacedRow& place : placed) {
        const TimelineRow& row = m_rows->rows()[place.row];
        if (hasData(row) && !isGoodEnough(m_cache[m_rows->keyOf(row)])) {
            const RowRequest request = requestFor(row, placed.size());
            store({request, source.row(request)});
        }
    }
    if (m_marking.isRunning()) {
        m_marking.cancel();
        if (const auto marks = m_state->results()->ask(marksQuestion(), Progress{}); marks.ok()) m_marks = *marks;
    }
    invalidate();
}

void TimelineCanvas::dropUnused(std::size_t shown)
{
    const std::size_t most = 4 * shown + 256;
    if (m_cache.size() <= most) return;
    std::erase_if(m_cache, [this](const auto& entry) { return entry.second.used + 60 < m_frame; });
}

TimelineGeometry TimelineCanvas::geometryOf(const std::vector<PlacedRow>& placed)
{
    std::vector<std::shared_ptr<const RowData>> held;
    std::vector<RowInput> inputs;
    for (const PlacedRow& place : placed) {
        const TimelineRow& row = m_rows->rows()[place.row];
        held.push_back(hasData(row) ? dataOf(row) : nullptr);
        m_cache[m_rows->keyOf(row)].used = m_frame;
        inputs.push_back({&row, held.back().get(), place.box});
    }
    const auto& matching = m_state->matchingEntries();
    return timelineGeometry(inputs, coordinates(),
                            {.run = m_state->fullRange(),
                             .matching = matching ? &*matching : nullptr,
                             .columnsPerPixel = devicePixelRatioF(),
                             .slackScale = m_slack.pyramid ? &m_slackScale : nullptr,
                             .mostSlack = m_slack.pyramid ? m_state->slack().most : std::nullopt,
                             .grain = m_state->taskFilter() ? m_state->taskFilter()->grain : TimeRange{}});
}

PathGeometry TimelineCanvas::geometryOf(const CriticalPath& path, const PathPyramid* pyramid) const
{
    const auto bar = [this](ProcessorId pe) -> std::optional<double> {
        const std::optional<std::size_t> row = m_rows->rowOf(pe);
        if (!row) return {};
        return m_rows->boxOf(*row).barCentre();
    };
    return pathGeometry(path, coordinates(), height(), bar, pyramid);
}

void TimelineCanvas::buildFrame()
{
    QElapsedTimer timer;
    timer.start();
    ++m_frame;
    const std::vector<PlacedRow> placed = m_rows->placed();
    const double scale = devicePixelRatioF();
    const QSize size = (QSizeF(this->size()) * scale).toSize();
    if (m_image.size() != size) m_image = QImage(size, QImage::Format_RGB32);
    m_image.setDevicePixelRatio(scale);
    QPainter painter(&m_image);
    m_geometry = geometryOf(placed);
    paintLayers(painter, m_geometry, false);
    painter.end();
    requestData(placed);
    dropUnused(placed.size());
    m_dirty = false;
    Q_EMIT frameBuilt(static_cast<double>(timer.nsecsElapsed()) / 1e6);
}

void TimelineCanvas::paintLayers(QPainter& painter, const TimelineGeometry& geometry, bool vector)
{
    const PaintStyle style{.theme = &m_theme,
                           .palette = &m_palette,
                           .names = &m_state->store(),
                           .vector = vector,
                           .bySlack = m_state->colour() == ColourMode::Slack,
                           .textScale = textScale(font())};
    painter.fillRect(rect(), m_theme.rowBackground);
    const std::vector<AxisTick> ticks = screenTicks(*m_state, width(), font());
    const double rowsEnd = geometry.rows.empty() ? 0 : geometry.rows.back().box.bottom();
    paintGrid(painter, ticks, std::min<double>(height(), rowsEnd + 8), m_theme);
    if (m_rows->pinnedHeight() > 0) {
        // The other rows scroll below the pinned ones, which they must not cover.
        TimelineGeometry pinned = geometry;
        TimelineGeometry others = geometry;
        const auto count = static_cast<std::ptrdiff_t>(std::count_if(geometry.rows.begin(), geometry.rows.end(),
                                                                     [this](const RowGeometry& row) {
                                                                         return row.box.bottom()
                                                                                <= m_rows->pinnedHeight();
                                                                     }));
        pinned.rows.resize(static_cast<std::size_t>(count));
        others.rows.erase(others.rows.begin(), others.rows.begin() + count);
        painter.save();
        painter.setClipRect(QRectF(0, m_rows->pinnedHeight(), width(), height()));
        paintRows(painter, others, style);
        painter.restore();
        paintRows(painter, pinned, style);
        painter.fillRect(QRectF(0, m_rows->pinnedHeight() - 2, width(), 2), m_theme.line);
    } else {
        paintRows(painter, geometry, style);
    }
    const bool connectors = m_state->arrows() == ArrowMode::Critical;
    const PathGeometry critical = m_state->path() ? geometryOf(*m_state->path(), m_state->pathPyramid().get())
                                                  : PathGeometry{};
    if (const SecondPath& second = m_state->secondPath(); second.path)
        paintPath(painter, withoutShared(geometryOf(*second.path, nullptr), critical), m_theme, connectors,
                  PathRole::Second);
    paintPath(painter, critical, m_theme, connectors);
    m_leftOut = connectors ? connectorsLeftOut(critical) : 0;
}

void TimelineCanvas::paintPicture(QPainter& painter, bool vector)
{
    painter.save();
    painter.setClipRect(rect());
    paintLayers(painter, geometryOf(m_rows->placed()), vector);
    paintOverlays(painter);
    painter.restore();
}

void TimelineCanvas::paintEvent(QPaintEvent*)
{
    if (m_dirty) buildFrame();  // from data in memory: nothing is read or decoded here
    QPainter painter(this);
    painter.drawImage(QPointF(0, 0), m_image);
    paintOverlays(painter);
    if (hasFocus() && window()->testAttribute(Qt::WA_KeyboardFocusChange)) {  // who came by Tab sees where that led
        painter.setPen(m_theme.accent);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

QString TimelineCanvas::notDrawnText() const
{
    return OverlayPainter::notDrawnText(m_marks->arrows, *m_rows, m_leftOut);
}

void TimelineCanvas::paintOverlays(QPainter& painter)
{
    OverlayPainter overlays(painter, {*m_state, *m_rows, m_theme, coordinates(), static_cast<double>(height()),
                                      textScale(font())});
    overlays.paintPhaseBands();
    overlays.paintMarked();
    overlays.paintArrows(m_marks->arrows);
    overlays.paintNotDrawn(notDrawnText());
    if (m_marks->task) overlays.paintSelection(*m_marks->task);
    if (m_marks->call) overlays.paintSelection(*m_marks->call);
    if (m_overlay.ruler) overlays.paintRuler(*m_overlay.ruler);
    if (m_overlay.zoomBox) overlays.paintZoomBox(*m_overlay.zoomBox);
}

void TimelineCanvas::resizeEvent(QResizeEvent*)
{
    m_rows->setViewportHeight(height());
    invalidate();
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) { m_gestures->press(*event); }
void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) { m_gestures->move(*event); }
void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) { m_gestures->release(*event); }
void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event) { m_gestures->doubleClick(*event); }
void TimelineCanvas::wheelEvent(QWheelEvent* event) { m_gestures->wheel(*event); }
void TimelineCanvas::leaveEvent(QEvent*) { m_gestures->leave(); }
void TimelineCanvas::keyPressEvent(QKeyEvent* event)
{
    if (!m_gestures->key(*event)) QWidget::keyPressEvent(event);
}

void TimelineCanvas::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) invalidate();
}

bool TimelineCanvas::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        m_gestures->showToolTip(*static_cast<QHelpEvent*>(event));
        return true;
    }
    return QWidget::event(event);
}

}  // namespace longpole
