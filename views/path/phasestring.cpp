// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/path/phasestring.h"

#include "core/trace/format.h"
#include "views/drawing/basics/colourscale.h"
#include "views/widgets/spoken.h"
#include "views/widgets/tableview.h"

#include <QFontDatabase>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double margin = 10;

QFont symbolFont()
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPixelSize(14);
    return font;
}

}  // namespace

PhaseString::PhaseString(std::shared_ptr<const TraceStore> store, QWidget* parent)
    : QAbstractScrollArea(parent), m_store(std::move(store))
{
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    speakAs(*this, QAccessible::Chart);
    setAccessibleName(m_store->words().say(tr("Critical path as a string of entry methods"),
                                           tr("Critical path as a string of regions")));
    viewport()->setMouseTracking(true);
}

void PhaseString::setPhases(std::shared_ptr<const PathPhases> phases)
{
    m_phases = std::move(phases);
    m_letters = m_phases ? SymbolLetters(m_phases->alphabet) : SymbolLetters();
    m_run = std::make_shared<const CutRun>();
    m_hovered.reset();
    m_selected.reset();
    verticalScrollBar()->setValue(0);
    arrange();
}

void PhaseString::setPieces(std::shared_ptr<const CutRun> run, const QString& name)
{
    m_run = std::move(run);
    m_cutName = name;
    viewport()->update();
}

void PhaseString::setColours(std::shared_ptr<const Palette> palette)
{
    m_palette = std::move(palette);
    viewport()->update();
}

void PhaseString::setSelected(TaskId task, bool isShown)
{
    m_selected.reset();
    if (m_phases && task.isValid()) {
        const std::vector<TaskId>& tasks = m_phases->path.tasks;
        const auto found = std::find(tasks.begin(), tasks.end(), task);
        const std::vector<std::size_t>& begins = m_phases->searched.begins;
        if (found != tasks.end()) {
            const auto after = std::upper_bound(begins.begin(), begins.end(),
                                                static_cast<std::size_t>(found - tasks.begin()));
            m_selected = static_cast<std::size_t>(after - begins.begin()) - 1;
        }
    }
    if (m_selected && isShown) showSymbol(*m_selected);
    viewport()->update();
}

void PhaseString::showSymbol(std::size_t symbol)
{
    const QRectF cell = cellOf(symbol);
    if (cell.top() >= 0 && cell.bottom() <= viewport()->height()) return;
    verticalScrollBar()->setValue(static_cast<int>(m_grid.cellOf(symbol).center().y() - viewport()->height() / 3.0));
}

void PhaseString::arrange()
{
    const QFontMetricsF metrics(symbolFont());
    const double width = std::max(1.0, viewport()->width() - 2 * margin);
    m_grid = symbolGrid(m_phases ? m_phases->searched.symbols.size() : 0, width, metrics.horizontalAdvance(u'm') + 1,
                        std::ceil(metrics.height()) + 5);
    const double height = m_grid.height() + margin;
    verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(std::ceil(height)) - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(static_cast<int>(m_grid.line));
    viewport()->update();
}

QRectF PhaseString::cellOf(std::size_t symbol) const
{
    return m_grid.cellOf(symbol).translated(margin, margin / 2 - verticalScrollBar()->value());
}

std::optional<std::size_t> PhaseString::symbolAt(QPointF place) const
{
    return m_grid.at(place - QPointF(margin, margin / 2 - verticalScrollBar()->value()));
}

const PhasePiece* PhaseString::cutOf(std::size_t symbol) const
{
    const std::vector<PhasePiece>& cuts = m_run->pieces;
    const auto found = std::upper_bound(cuts.begin(), cuts.end(), symbol,
                                        [](std::size_t at, const PhasePiece& piece) { return at < piece.last; });
    return found != cuts.end() && found->first <= symbol ? &*found : nullptr;
}

TaskId PhaseString::taskOf(std::size_t symbol) const { return m_phases->path.tasks[m_phases->searched.begins[symbol]]; }

QString PhaseString::textOf(std::size_t symbol) const
{
    if (!m_phases || symbol >= m_phases->searched.symbols.size()) return {};
    const Entry* entry = m_store->entry(EntryId{m_phases->searched.symbols[symbol]});
    const TimeRange range = m_phases->rangeOf(symbol, symbol + 1);
    const std::size_t tasks = m_phases->searched.begins[symbol + 1] - m_phases->searched.begins[symbol];
    const QString first = longpole::toText(taskOf(symbol));
    const QString task = tasks == 1
                             ? tr("task %1").arg(first)
                             : tr("%1 tasks from %2 on").arg(formatCount(static_cast<std::int64_t>(tasks)), first);
    QString text = tr("%1\n%2\nat %3, %4")
                       .arg(entry ? entryName(*entry) : tr("(none)"), task,
                            formatTime(range.begin - m_store->info().begin), formatTime(range.length()));
    if (const PhasePiece* cut = cutOf(symbol))
        text += tr("\n%1 %2: %3")
                    .arg(m_cutName, formatCount(cut - m_run->pieces.data() + 1), formatTime(cut->range.length()));
    return text;
}

void PhaseString::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), themeOf(*this).window);
    if (!m_phases) return;
    const double top = verticalScrollBar()->value() - margin / 2;
    painter.translate(margin, -top);
    paintPieces(painter, top);
    paintSymbols(painter, top);
}

void PhaseString::paintPieces(QPainter& painter, double top)
{
    const Theme& theme = themeOf(*this);
    const double bottom = top + viewport()->height();
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    for (const MarkedCells& cells : markedCells(m_grid, m_run->repeats, top, bottom)) {
        painter.setBrush(theme.bandLabel);
        painter.drawRoundedRect(cells.box.adjusted(cells.begins ? 0.5 : -4, 2, cells.ends ? -0.5 : 4, -2), 3, 3);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const MarkedCells& cells : markedCells(m_grid, m_run->pieces, top, bottom))
        if (cells.begins)
            painter.fillRect(QRectF(cells.box.left() - 1, cells.box.top() + 1, 1, m_grid.line - 2), theme.mutedText);
}

// Symbols of the phase are painted bold and strong, the others faint.
void PhaseString::paintSymbols(QPainter& painter, double top)
{
    const Theme& theme = themeOf(*this);
    const auto [first, last] = m_grid.within(top, top + viewport()->height());
    const std::vector<std::uint32_t>& symbols = m_phases->searched.symbols;
    QFont plain = symbolFont(), bold = symbolFont();
    bold.setBold(true);
    const std::vector<PhasePiece>& matches = m_run->repeats;
    auto match = std::upper_bound(matches.begin(), matches.end(), first,
                                  [](std::size_t at, const PhasePiece& piece) { return at < piece.last; });
    bool wasMatched = false;
    painter.setFont(plain);
    for (std::size_t i = first; i < last; ++i) {
        while (match != matches.end() && match->last <= i) ++match;
        const bool isMatched = match != matches.end() && match->first <= i;
        if (isMatched != wasMatched) painter.setFont(isMatched ? bold : plain);
        wasMatched = isMatched;
        const QRgb colour = m_palette->entry(EntryId{symbols[i]});
        painter.setPen(QColor(isMatched ? readable(colour, theme.bandLabel.rgb())
                                        : readable(mixed(colour, theme.window.rgb(), 0.35), theme.window.rgb(), 3)));
        painter.drawText(m_grid.cellOf(i), Qt::AlignCenter, m_letters.of(symbols[i]));
    }
    painter.setBrush(Qt::NoBrush);
    const auto frame = [&, from = first, to = last](std::optional<std::size_t> symbol, const QColor& colour) {
        if (!symbol || *symbol < from || *symbol >= to) return;
        painter.setPen(colour);
        painter.drawRect(m_grid.cellOf(*symbol).adjusted(-0.5, 1.5, -0.5, -2.5));
    };
    frame(m_hovered, theme.mutedText);
    frame(m_selected, theme.selection);
}

void PhaseString::hover(std::optional<std::size_t> symbol)
{
    if (symbol == m_hovered) return;
    m_hovered = symbol;
    viewport()->setCursor(symbol ? Qt::PointingHandCursor : Qt::ArrowCursor);
    viewport()->update();
}

void PhaseString::mouseMoveEvent(QMouseEvent* event) { hover(symbolAt(event->position())); }

void PhaseString::mousePressEvent(QMouseEvent* event)
{
    const auto symbol = symbolAt(event->position());
    if (event->button() == Qt::LeftButton && symbol) Q_EMIT symbolChosen(*symbol);
}

void PhaseString::mouseDoubleClickEvent(QMouseEvent* event)
{
    const auto symbol = symbolAt(event->position());
    const PhasePiece* cut = symbol ? cutOf(*symbol) : nullptr;
    if (cut) Q_EMIT pieceChosen(static_cast<std::size_t>(cut - m_run->pieces.data()));
}

bool PhaseString::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave) hover({});
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto symbol = symbolAt(help->pos());
        if (symbol) QToolTip::showText(help->globalPos(), textOf(*symbol), viewport());
        else QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void PhaseString::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    arrange();
}

}  // namespace longpole
