// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/logview.h"

#include "analysis/base/naming.h"
#include "core/base/namedfile.h"
#include "core/trace/format.h"
#include "views/widgets/filedialog.h"
#include "views/widgets/notice.h"
#include "views/widgets/spoken.h"
#include "views/widgets/tableview.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <utility>

namespace longpole {

namespace {

constexpr int gap = 14;  // between columns
constexpr int margin = 12;
constexpr int swatch = 10;
constexpr std::int64_t mostSteps = 2'000'000'000;

bool isSenderNamed(const Record& record) { return record.ref.kind == ChunkKind::Task && record.source.isValid(); }

}  // namespace

LogView::LogView(QWidget* parent) : QAbstractScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    speakAs(*this, QAccessible::List);
    setAccessibleName(tr("Log"));
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
        const std::int64_t top = value == verticalScrollBar()->maximum() && m_list
                                     ? std::max<std::int64_t>(0, m_list->count() - rowsShown())
                                     : value * m_rowsPerStep;
        if (top == m_top || (m_rowsPerStep > 1 && m_top / m_rowsPerStep == value)) return;
        m_top = top;
        viewport()->update();
        request();
    });
}

void LogView::setList(std::shared_ptr<Results> results, std::shared_ptr<const RecordList> list, std::int64_t top)
{
    const bool isSameTrace = m_list && list && &m_list->store() == &list->store();
    m_loading.cancel();
    m_gathering.cancel();
    m_results = std::move(results);
    m_list = std::move(list);
    m_page = std::make_shared<const RecordPage>();
    if (!isSameTrace) m_reader = m_list ? std::make_shared<RecordReader>(m_list->sharedStore()) : nullptr;
    m_current = m_anchor = -1;
    m_currentRef.reset();
    m_toTell = false;
    m_top = m_list ? std::clamp<std::int64_t>(top, 0, std::max<std::int64_t>(0, m_list->count() - rowsShown())) : 0;
    arrange();
    request();
}

void LogView::setColours(Palette palette, std::optional<std::vector<bool>> matching)
{
    m_palette = std::move(palette);
    m_matching = std::move(matching);
    viewport()->update();
}

void LogView::setTaskFilter(std::optional<TaskFilter> filter)
{
    m_taskFilter = filter;
    viewport()->update();
}

bool LogView::isDim(const Record& record) const
{
    if (m_matching && (index(record.entry) >= m_matching->size() || !(*m_matching)[index(record.entry)])) return true;
    return m_taskFilter && record.ref.kind == ChunkKind::Task && !m_taskFilter->passes(record.exclusive);
}

void LogView::setNotice(const QString& text)
{
    m_notice = text;
    viewport()->update();
}

std::int64_t LogView::rowsShown() const { return std::max(1, (viewport()->height() - headHeight()) / rowHeight()); }

const Record* LogView::record(std::int64_t row) const
{
    const std::int64_t at = row - m_page->first;
    return at >= 0 && at < static_cast<std::int64_t>(m_page->records.size())
               ? &m_page->records[static_cast<std::size_t>(at)]
               : nullptr;
}

// Fits the scroll bar and the top row to the list and the size of the view.
void LogView::arrange()
{
    const std::int64_t last = m_list ? std::max<std::int64_t>(0, m_list->count() - rowsShown()) : 0;
    m_rowsPerStep = 1 + last / mostSteps;
    m_top = std::clamp<std::int64_t>(m_top, 0, last);
    const QSignalBlocker blocker(verticalScrollBar());
    verticalScrollBar()->setRange(0, static_cast<int>(last / m_rowsPerStep));
    verticalScrollBar()->setPageStep(static_cast<int>(rowsShown()));
    verticalScrollBar()->setValue(static_cast<int>(m_top / m_rowsPerStep));
    viewport()->update();
}

void LogView::scrollTo(std::int64_t top)
{
    m_top = top;
    arrange();
    request();
}

// Asks for the rows in view and a screenful on either side, unless those in view are loaded.
void LogView::request()
{
    if (!m_list || m_list->count() == 0) return;
    const std::int64_t shown = rowsShown() + 1;
    const std::int64_t end = std::min(m_list->count(), m_top + shown);
    if (record(m_top) && record(end - 1)) return;
    const std::int64_t first = std::max<std::int64_t>(0, m_top - shown);
    m_loading.ask(m_results, {m_list->choice(), first, 3 * shown, m_reader},
                  [this](const Result<std::shared_ptr<const RecordPage>>& page) { accept(page); });
}

void LogView::accept(const Result<std::shared_ptr<const RecordPage>>& page)
{
    if (!page.ok()) {
        setNotice(longpole::toText(page.error()));
        Q_EMIT failed(page.error());
        return;
    }
    m_page = *page;
    viewport()->update();
    request();  // the user may have scrolled on
    noteCurrent();
    tell();
    Q_EMIT loaded();
}

void LogView::noteCurrent()
{
    if (const Record* current = record(m_current)) m_currentRef = current->ref;
}

void LogView::tell()
{
    const Record* chosenRecord = m_toTell ? record(m_current) : nullptr;
    if (!chosenRecord) return;
    m_toTell = false;
    Q_EMIT chosen(Record(*chosenRecord));
}

void LogView::showRow(std::int64_t row)
{
    if (!m_list || row < 0 || row >= m_list->count()) return;
    m_current = m_anchor = row;
    m_currentRef.reset();
    m_toTell = false;
    if (row < m_top || row >= m_top + rowsShown()) scrollTo(row - rowsShown() / 2);
    noteCurrent();
    viewport()->update();
}

void LogView::chooseRow(std::int64_t row, bool extend)
{
    if (!m_list || m_list->count() == 0) return;
    m_current = std::clamp<std::int64_t>(row, 0, m_list->count() - 1);
    m_currentRef.reset();
    if (!extend || m_anchor < 0) m_anchor = m_current;
    if (m_current < m_top) scrollTo(m_current);
    else if (m_current >= m_top + rowsShown()) scrollTo(m_current - rowsShown() + 1);
    viewport()->update();
    m_toTell = !extend;
    noteCurrent();
    tell();
}

std::int64_t LogView::rowAt(const QPoint& at) const
{
    if (at.y() < headHeight()) return -1;
    const std::int64_t row = m_top + (at.y() - headHeight()) / rowHeight();
    return m_list && row < m_list->count() ? row : -1;
}

bool LogView::event(QEvent* event)
{
    // Keys of the list win over the window's: Home is the list's begin here.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool isPlain = (key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier;
        const int keys[] = {Qt::Key_Up, Qt::Key_Down, Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_Home, Qt::Key_End};
        if ((isPlain && std::find(std::begin(keys), std::end(keys), key->key()) != std::end(keys))
            || key->matches(QKeySequence::Copy))
            event->accept();
    }
    return QAbstractScrollArea::event(event);
}

void LogView::keyPressEvent(QKeyEvent* event)
{
    const bool extend = event->modifiers() & Qt::ShiftModifier;
    const std::int64_t from = m_current < 0 ? m_top - 1 : m_current;
    switch (event->key()) {
    case Qt::Key_Up: return chooseRow(from - 1, extend);
    case Qt::Key_Down: return chooseRow(from + 1, extend);
    case Qt::Key_PageUp: return chooseRow(from - rowsShown(), extend);
    case Qt::Key_PageDown: return chooseRow(from + rowsShown(), extend);
    case Qt::Key_Home: return chooseRow(0, extend);
    case Qt::Key_End: return chooseRow(m_list ? m_list->count() - 1 : 0, extend);
    default: break;
    }
    if (event->matches(QKeySequence::Copy)) copyRows();
    else event->ignore();
}

// The sender that a task's row names, if that is there.
std::optional<TaskId> LogView::linkAt(const QPoint& at) const
{
    const std::int64_t row = rowAt(at);
    const Record* there = row < 0 ? nullptr : record(row);
    if (!there || !isSenderNamed(*there)) return {};
    const std::vector<int> widths = columnWidths();
    int left = margin;
    for (const LogColumn column : logColumns) {
        const int width = widths[static_cast<std::size_t>(column)];
        if (column == LogColumn::Peer && at.x() >= left && at.x() < left + width - gap) return there->source;
        left += width;
    }
    return {};
}

void LogView::mousePressEvent(QMouseEvent* event)
{
    const std::int64_t row = rowAt(event->pos());
    if (row < 0) return;
    if (event->button() == Qt::LeftButton && event->modifiers() == Qt::NoModifier)
        if (const std::optional<TaskId> sender = linkAt(event->pos())) {
            Q_EMIT taskFollowed(*sender);
            return;
        }
    const bool isInside = row >= std::min(m_anchor, m_current) && row <= std::max(m_anchor, m_current);
    if (event->button() == Qt::LeftButton || !isInside) chooseRow(row, event->modifiers() & Qt::ShiftModifier);
}

void LogView::mouseMoveEvent(QMouseEvent* event)
{
    if (!(event->buttons() & Qt::LeftButton)) return;
    const std::int64_t row = m_top + (event->pos().y() - headHeight()) / rowHeight();
    if (row != m_current) chooseRow(row, true);
}

void LogView::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addAction(tr("Copy rows"), QKeySequence::Copy, this, &LogView::copyRows);
    menu.addAction(tr("Export CSV …"), this, &LogView::exportCsv);
    menu.exec(event->globalPos());
}

// Asks for the text of the selected rows if they are several, else of those in view; a selection may be longer than
// what is loaded.
void LogView::gather(bool isCsv, std::function<void(const LogRowsText&)> use)
{
    if (!m_list) return;
    std::int64_t first = std::min(m_anchor, m_current);
    std::int64_t end = std::max(m_anchor, m_current) + 1;
    if (end - first < 2) {
        first = m_top;
        end = std::min(m_list->count(), m_top + rowsShown());
    }
    m_gathering.ask(m_results, {m_list->choice(), first, end - first, isCsv},
                    [this, use = std::move(use)](const Watch<LogRowsQuestion>::Answer& rows) {
                        if (rows.ok()) use(**rows);
                        else Q_EMIT failed(rows.error());
                    });
}

void LogView::copyRows()
{
    if (!m_list) return;
    if (const Record* only = m_current == m_anchor ? record(m_current) : nullptr) {
        copyText(*this, logRows(m_list->store(), std::span(only, 1)), tr("1 row"));
        return;
    }
    gather(false, [this](const LogRowsText& rows) {
        copyText(*this, QString::fromUtf8(rows.text), counted("%1 rows", "%1 row", rows.rows));
    });
}

void LogView::exportCsv()
{
    const QString path = askFileToSave(this, tr("Export rows of the log"), QStringLiteral("log.csv"),
                                       tr("Comma-separated values (*.csv)"));
    if (!path.isEmpty()) writeCsv(path);
}

void LogView::writeCsv(const QString& path)
{
    gather(true, [this, path](const LogRowsText& rows) {
        if (const Result<> written = writeNamedFile(path, rows.text); !written) Q_EMIT failed(written.error());
        else longpole::tell(*this, tr("The rows are in %1.").arg(path), path);
    });
}

// Columns are as wide as usual contents; names and texts share the rest. A width of 0 hides a column.
std::vector<int> LogView::columnWidths() const
{
    const char* samples[] = {"0000.000000 ms", "00000",    "broadcast",     "", "Chare[000,000]",
                             "0000.0 ms",      "00000000", "← 0000:000000", ""};
    const QFontMetrics metrics = fontMetrics();
    std::vector<int> widths;
    int left = viewport()->width() - 2 * margin + gap;
    for (const LogColumn column : logColumns) {
        const QString sample = QString::fromUtf8(samples[static_cast<std::size_t>(column)]);
        widths.push_back(sample.isEmpty()
                             ? 0
                             : std::max(metrics.horizontalAdvance(sample),
                                        metrics.horizontalAdvance(logTitle(m_list->store().words(), column)))
                                   + gap);
        left -= widths.back();
    }
    // In little room the columns that say least are hidden.
    for (const LogColumn column : {LogColumn::Bytes, LogColumn::Object, LogColumn::Peer}) {
        if (left >= 240) break;
        left += std::exchange(widths[static_cast<std::size_t>(column)], 0);
    }
    widths[static_cast<std::size_t>(LogColumn::Name)] = std::max(100, left * 9 / 20);
    widths[static_cast<std::size_t>(LogColumn::Text)] = std::max(40, left * 11 / 20);
    return widths;
}

void LogView::paintHead(QPainter& painter, const std::vector<int>& widths) const
{
    const Theme& theme = themeOf(*this);
    painter.setPen(theme.mutedText);
    int x = margin;
    for (const LogColumn column : logColumns) {
        const int width = widths[static_cast<std::size_t>(column)];
        if (width == 0) continue;
        const auto align = static_cast<int>(Qt::AlignVCenter | (isFigure(column) ? Qt::AlignRight : Qt::AlignLeft));
        painter.drawText(QRect(x, 0, width - gap, headHeight()), align, logTitle(m_list->store().words(), column));
        x += width;
    }
}

void LogView::paintRow(QPainter& painter, std::int64_t row, int y, const std::vector<int>& widths) const
{
    const Theme& theme = themeOf(*this);
    const bool isSelected = m_current >= 0 && row >= std::min(m_anchor, m_current)
                            && row <= std::max(m_anchor, m_current);
    if (isSelected) painter.fillRect(0, y, viewport()->width(), rowHeight(), theme.raised);
    const Record* shown = record(row);
    if (!shown) return;
    const bool hasEntry = shown->entry != noEntry;
    const bool isFaint = isDim(*shown);
    int x = margin;
    for (const LogColumn column : logColumns) {
        const int width = widths[static_cast<std::size_t>(column)];
        if (width == 0) continue;
        QRect cell(x, y, width - gap, rowHeight());
        if (column == LogColumn::Name && (hasEntry || shown->region)) {
            const QColor colour(hasEntry ? m_palette.entry(shown->entry) : m_palette.region(*shown->region));
            painter.setPen(Qt::NoPen);
            painter.setBrush(isFaint ? theme.faintText : colour);
            painter.drawRoundedRect(QRectF(x, y + (rowHeight() - swatch) / 2.0, swatch, swatch), 2, 2);
            cell.setLeft(x + swatch + 7);
        }
        const bool isQuiet = column == LogColumn::Kind || column == LogColumn::Text || column == LogColumn::Peer;
        QFont letters = font();
        letters.setUnderline(column == LogColumn::Peer && isSenderNamed(*shown));  // a click leads there
        painter.setFont(letters);
        painter.setPen(isFaint ? theme.faintText : isQuiet ? theme.mutedText : theme.text);
        const auto align = static_cast<int>(Qt::AlignVCenter | (isFigure(column) ? Qt::AlignRight : Qt::AlignLeft));
        constexpr qsizetype mostLetters = 1024;  // more take long to measure, and no column has room for them
        const QString text = logText(m_list->store(), *shown, column, mostLetters);
        painter.drawText(cell, align | Qt::TextSingleLine,
                         fontMetrics().elidedText(text, Qt::ElideRight, cell.width()));
        x += width;
    }
}

void LogView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    const Theme& theme = themeOf(*this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(viewport()->rect(), theme.window);
    if (!m_notice.isEmpty() || !m_list) {
        painter.setPen(theme.mutedText);
        painter.drawText(viewport()->rect().adjusted(14, 14, -14, -14), Qt::TextWordWrap, m_notice);
        return;
    }
    const std::vector<int> widths = columnWidths();
    paintHead(painter, widths);
    const std::int64_t end = std::min(m_list->count(), m_top + rowsShown() + 1);
    for (std::int64_t row = m_top; row < end; ++row)
        paintRow(painter, row, headHeight() + static_cast<int>(row - m_top) * rowHeight(), widths);
}

void LogView::resizeEvent(QResizeEvent*)
{
    arrange();
    request();
}

void LogView::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) arrange();
}

}  // namespace longpole
