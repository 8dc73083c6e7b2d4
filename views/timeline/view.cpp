// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/view.h"

#include "core/base/namedfile.h"
#include "core/trace/format.h"
#include "views/drawing/basics/font.h"
#include "views/drawing/basics/picture.h"
#include "views/drawing/basics/textscale.h"
#include "views/timeline/axisbar.h"
#include "views/timeline/canvas.h"
#include "views/timeline/filterbar.h"
#include "views/timeline/gestures.h"
#include "views/timeline/legendbar.h"
#include "views/timeline/locationlabels.h"
#include "views/timeline/minimap.h"
#include "views/timeline/slackbar.h"
#include "views/timeline/taskcard.h"

#include <QBuffer>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QSvgGenerator>

namespace longpole {

namespace {

constexpr int rightMargin = 12;  // the scroll bar's room

}  // namespace

TimelineView::TimelineView(ViewState* state, QWidget* parent)
    : QWidget(parent), m_state(state), m_rows(new RowModel(state->sharedStore(), this)),
      m_minimap(new Minimap(state, this)), m_axis(new AxisBar(state, this)), m_labels(new LocationLabels(m_rows, this)),
      m_canvas(new TimelineCanvas(state, m_rows, this)), m_scrollBar(new QScrollBar(Qt::Vertical, this)),
      m_slack(new SlackBar(*state, this)), m_legend(new LegendBar(*state, *m_canvas, this)),
      m_card(new TaskCard(*state, this)), m_filter(new FilterBar(*state, this)), m_chip(new QPushButton(this))
{
    setAutoFillBackground(true);
    setFocusProxy(m_canvas);
    m_scrollBar->setFocusPolicy(Qt::NoFocus);
    connect(m_scrollBar, &QScrollBar::valueChanged, m_rows, [this](int value) { m_rows->setScroll(value); });
    connect(m_rows, &RowModel::changed, this, &TimelineView::updateScrollBar);
    connect(m_slack, &SlackBar::wantedChanged, this, &TimelineView::arrange);
    m_chip->setObjectName(QStringLiteral("rowChip"));
    m_chip->setFocusPolicy(Qt::TabFocus);
    m_chip->hide();
    connect(m_chip, &QPushButton::clicked, state, [state] { state->setProcessors({}); });
    connect(state, &ViewState::processorsChanged, this, &TimelineView::followProcessors);
    connect(state, &ViewState::taskFilterChanged, this, &TimelineView::arrange);
    connect(state, &ViewState::colourChanged, this, &TimelineView::arrange);
    connect(m_axis, &AxisBar::heightChanged, this, &TimelineView::arrange);
    connect(state, &ViewState::revealed, this, &TimelineView::revealSelection);
    connect(m_canvas, &TimelineCanvas::hovered, this, &TimelineView::hovered);
    connect(m_canvas, &TimelineCanvas::damageMet, this, &TimelineView::damageMet);
    connect(&m_canvas->gestures(), &TimelineGestures::contextMenuRequested, this, &TimelineView::contextMenuRequested);
    connect(&m_canvas->gestures(), &TimelineGestures::cardRequested, this,
            [this](const Selection& thing, std::optional<TimeNs> slack, QPoint at, CardRole role) {
                m_card->showAt(thing, slack, m_canvas->mapTo(this, at), role);
            });
    connect(&m_canvas->gestures(), &TimelineGestures::pressed, m_card, &TaskCard::leaveIfHovering);
    connect(&m_canvas->gestures(), &TimelineGestures::cursorMoved, this,
            [this](QPoint at) { m_card->followCursor(m_canvas->mapTo(this, at)); });
    connect(&m_canvas->gestures(), &TimelineGestures::cursorLeft, this, [this] {
        if (!m_card->geometry().contains(mapFromGlobal(QCursor::pos()))) m_card->leave();
    });
    connect(m_labels, &LocationLabels::contextMenuRequested, this, &TimelineView::rowMenuRequested);
    m_rows->setTextScale(textScale(font()));
    setTheme(m_theme);
}

void TimelineView::setTheme(const Theme& theme)
{
    m_theme = theme;
    QPalette colours = palette();
    colours.setColor(QPalette::Window, theme.panel);
    setPalette(colours);
    m_minimap->setTheme(theme);
    m_axis->setTheme(theme);
    m_labels->setTheme(theme);
    m_canvas->setTheme(theme);
}

TimelineGestures& TimelineView::gestures() { return m_canvas->gestures(); }

void TimelineView::followProcessors()
{
    RowChoice choice = m_rows->choice();
    choice.only = m_state->processors();
    m_rows->setChoice(choice);
    arrange();
}

void TimelineView::setRowOrder(const std::vector<ProcessorId>& order)
{
    RowChoice choice = m_rows->choice();
    choice.order = order;
    m_rows->setChoice(choice);
}

void TimelineView::setMinimapShown(bool shown)
{
    m_minimap->setVisible(shown);
    arrange();
}

int TimelineView::minimapHeight() const { return m_minimap->isHidden() ? 0 : m_minimap->height(); }

void TimelineView::arrange()
{
    const int left = m_labels->wantedWidth();
    const int top = minimapHeight() + m_axis->height();
    m_minimap->setGeometry(0, 0, width(), m_minimap->height());
    m_axis->setGeometry(0, minimapHeight(), width(), m_axis->height());
    m_minimap->setMargins(left, rightMargin);
    m_axis->setMargins(left, rightMargin);
    int foot = 0;
    const auto placeAtFoot = [&](QWidget& strip, bool isWanted) {
        strip.setVisible(isWanted);
        if (!isWanted) return;
        foot += strip.sizeHint().height();
        strip.setGeometry(0, height() - foot, width(), strip.sizeHint().height());
    };
    placeAtFoot(*m_legend, m_legend->isWanted());
    placeAtFoot(*m_slack, m_slack->isWanted());
    placeAtFoot(*m_filter, m_state->taskFilter().has_value());
    placeChip(left);
    const int rowsHeight = std::max(0, height() - top - foot);
    m_labels->setGeometry(0, top, left, rowsHeight);
    m_canvas->setGeometry(left, top, std::max(1, width() - left - rightMargin), rowsHeight);
    m_scrollBar->setGeometry(width() - rightMargin, top, rightMargin, rowsHeight);
    updateScrollBar();
}

// The chip names the processors that show if it fits above the column of names, else it counts them.
void TimelineView::placeChip(int room)
{
    const std::vector<ProcessorId>& pes = m_state->processors();
    m_chip->setVisible(!pes.empty());
    if (pes.empty()) return;
    constexpr int sides = 18;
    const QString all = formatCount(m_state->store().info().processors);
    const QString names =
        m_state->store().words().say(tr("PEs %1 of %2 ×"), tr("Ranks %1 of %2 ×")).arg(formatProcessors(pes), all);
    const QString count = tr("%1 of %2 ×").arg(formatCount(static_cast<std::int64_t>(pes.size())), all);
    m_chip->setText(m_chip->fontMetrics().horizontalAdvance(names) + sides <= room ? names : count);
    m_chip->setToolTip(m_state->store()
                           .words()
                           .say(tr("Only PEs %1 of %2 show. Click to show all."),
                                tr("Only ranks %1 of %2 show. Click to show all."))
                           .arg(formatProcessors(pes), all));
    m_chip->setAccessibleName(tr("Show all rows"));
    m_chip->adjustSize();
    m_chip->move(3, minimapHeight() + (m_axis->axisHeight() - m_chip->height()) / 2);
}

void TimelineView::updateScrollBar()
{
    const QSignalBlocker blocker(m_scrollBar);
    m_scrollBar->setRange(0, static_cast<int>(m_rows->maxScroll()));
    m_scrollBar->setPageStep(std::max(1, m_canvas->height()));
    m_scrollBar->setSingleStep(static_cast<int>(m_rows->rowHeight()));
    m_scrollBar->setValue(static_cast<int>(m_rows->scroll()));
    m_scrollBar->setVisible(m_rows->maxScroll() > 0);
}

void TimelineView::revealSelection()
{
    const std::optional<SelectedPlace>& place = m_state->revealedPlace();
    if (!place) return;
    std::optional<std::size_t> row = place->track == noTrack ? std::nullopt : m_rows->rowOf(place->track);
    if (!row) row = m_rows->rowOf(place->pe);
    if (row) m_rows->scrollTo(*row);
}

void TimelineView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() != QEvent::FontChange) return;
    m_rows->setTextScale(textScale(font()));
    arrange();
}

void TimelineView::resizeEvent(QResizeEvent*) { arrange(); }
void TimelineView::showEvent(QShowEvent*) { arrange(); }

namespace {

constexpr int titleHeight = 34;
constexpr int pictureMargin = 12;

}  // namespace

// The names with their shares.
std::vector<LegendItem> TimelineView::pictureItems()
{
    if (!m_legend->isWanted()) return {};
    std::vector<LegendItem> items = legendItems(m_canvas->shownGeometry(), m_state->store(), 12);
    for (LegendItem& item : items) item.name = tr("%1  %2").arg(item.name, formatShare(item.share));
    return items;
}

QSize TimelineView::pictureSize()
{
    const double legend = paintLegend(nullptr, pictureItems(), width() - 2 * pictureMargin, m_canvas->colours(),
                                      m_theme, {m_state->store().info().hasRanks(), m_state->path() != nullptr});
    return {width(), titleHeight + m_canvas->geometry().bottom() + static_cast<int>(legend) + 2 * pictureMargin};
}

void TimelineView::paintPicture(QPainter& painter, bool vector)
{
    painter.fillRect(QRect(QPoint(0, 0), pictureSize()), m_theme.panel);
    painter.setFont(timelineFont(13));
    painter.setPen(m_theme.text);
    drawElided(painter, QRectF(pictureMargin, 6, width() - 2 * pictureMargin, titleHeight - 6), m_title);
    const auto at = [&painter](const QPoint& place, const auto& paint) {
        painter.save();
        painter.translate(place);
        paint();
        painter.restore();
    };
    const QPoint top(0, titleHeight);
    if (!m_minimap->isHidden()) at(top + m_minimap->pos(), [&] { m_minimap->paintPicture(painter); });
    at(top + m_axis->pos(), [&] { m_axis->paintPicture(painter); });
    at(top + m_labels->pos(), [&] { m_labels->paintPicture(painter); });
    at(top + m_canvas->pos(), [&] { m_canvas->paintPicture(painter, vector); });
    at(top + QPoint(pictureMargin, m_canvas->geometry().bottom() + pictureMargin), [&] {
        paintLegend(&painter, pictureItems(), width() - 2 * pictureMargin, m_canvas->colours(), m_theme,
                    {m_state->store().info().hasRanks(), m_state->path() != nullptr});
    });
}

QImage TimelineView::picture()
{
    m_canvas->loadNow();
    const double scale = std::max(2.0, devicePixelRatioF());
    QImage image((QSizeF(pictureSize()) * scale).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    QPainter painter(&image);
    paintPicture(painter, false);
    return image;
}

Result<> TimelineView::saveImage(const QString& path)
{
    const QImage image = picture();
    return writeNamedFile(path, [&](QIODevice& file) -> Result<> {
        if (image.save(&file, "PNG")) return Unit{};
        return Error{tr("The picture could not be written: %1.").arg(file.errorString()), path, {}};
    });
}

Result<> TimelineView::saveSvg(const QString& path)
{
    m_canvas->loadNow();
    QBuffer bytes;
    bytes.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&bytes);
    generator.setSize(pictureSize());
    generator.setViewBox(QRect(QPoint(0, 0), pictureSize()));
    generator.setResolution(96);
    QPainter painter(&generator);
    paintPicture(painter, true);
    painter.end();
    return writeNamedFile(path, allowedInXml(bytes.data()));
}

}  // namespace longpole
