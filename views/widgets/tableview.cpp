// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/tableview.h"

#include "analysis/base/cells.h"
#include "analysis/base/naming.h"
#include "core/base/namedfile.h"
#include "views/widgets/filedialog.h"
#include "views/widgets/notice.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPainterPath>
#include <QStyledItemDelegate>

#include <algorithm>
#include <numeric>

namespace longpole {

namespace {

constexpr int rowPadding = 9;
constexpr int swatchRoom = 18;  // before the text of a cell
constexpr int leastBars = 48;   // the width of bars beside their figures, where there is room
constexpr int cellSides = 18;
constexpr int leastLetters = 18;  // that show of a name

class CellDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Theme& theme = themeOf(*option.widget);
        painter->save();
        if (option.state & QStyle::State_Selected) painter->fillRect(option.rect, theme.raised);
        QRect area = option.rect.adjusted(8, 0, -8, 0);
        const QVariant first = index.data(TableModel::BarsRole);
        if (first.isValid()) {
            const QString text = index.data().toString();
            const int room = QFontMetrics(option.font).horizontalAdvance(text) + 10;
            const QColor colour = index.data(TableModel::PathBarRole).toBool() ? theme.accent : theme.utilization;
            if (area.width() > room)
                paintBars(painter, area.adjusted(0, 0, -room, 0), {colour, theme.faintText}, first.toDouble(),
                          index.data(TableModel::SecondBarRole).toDouble());
            painter->setPen(theme.text);
            painter->drawText(area, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, text);
            painter->restore();
            return;
        }
        const QVariant swatch = index.data(TableModel::SwatchRole);
        if (swatch.isValid()) {
            painter->setRenderHint(QPainter::Antialiasing);
            painter->setPen(swatchOutline(swatch.value<QColor>(), theme));
            painter->setBrush(swatch.value<QColor>());
            painter->drawRoundedRect(QRectF(area.left(), area.center().y() - 4.5, 10, 10), 2, 2);
            area.setLeft(area.left() + swatchRoom);
        }
        QFont font = option.font;
        font.setUnderline(index.data(TableModel::LinkRole).toBool());
        painter->setFont(font);
        painter->setPen(theme.text);
        const auto alignment = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>();
        const QString text = shown(index.data().toString(), QFontMetrics(font), area.width(), option, index);
        painter->drawText(area, static_cast<int>(alignment) | Qt::TextSingleLine, text);
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const int swatch = index.data(TableModel::SwatchRole).isValid() ? swatchRoom : 0;
        return QStyledItemDelegate::sizeHint(option, index) + QSize(18 + swatch, 0);
    }

private:
    // A name that is too long is shown without the prefix that all names of its column share, then without its scope
    // if that is the shorter part and all else fits, else without its middle.
    static QString shown(QString text, const QFontMetrics& metrics, int width, const QStyleOptionViewItem& option,
                         const QModelIndex& index)
    {
        if (metrics.horizontalAdvance(text) <= width) return text;
        const auto* table = qobject_cast<const TableView*>(option.widget);
        const QString prefix = table ? table->sharedPrefix(index.column()) : QString();
        if (!prefix.isEmpty() && text.startsWith(prefix)) text.remove(0, prefix.size());
        const qsizetype scope = text.lastIndexOf(QLatin1String("::"));
        if (metrics.horizontalAdvance(text) > width && scope > 0 && scope + 2 < text.size() / 2) {
            const QString unscoped = QChar(0x2026) % QStringView(text).mid(scope + 2);
            if (metrics.horizontalAdvance(unscoped) <= width) return unscoped;
        }
        return metrics.elidedText(text, Qt::ElideMiddle, width);
    }

    static void paintBars(QPainter* painter, QRect area, const std::pair<QColor, QColor>& colours, double first,
                          double second)
    {
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        const auto bar = [&](double share, double y, const QColor& colour) {
            const double width = std::clamp(share, 0.0, 1.0) * area.width();
            painter->setBrush(colour);
            painter->drawRoundedRect(QRectF(area.left(), y, std::max(width, 1.5), 4.5), 2, 2);
        };
        bar(first, area.center().y() - 5.0, colours.first);
        bar(second, area.center().y() + 1.5, colours.second);
    }
};

}  // namespace

namespace {

constexpr int mostMeasured = 256;  // letters of a cell: no window has room for more
constexpr int mostCells = 200;     // that are measured at the head of a table, and as many at its foot

// Up to and with the last "::" that all begin with.
QString prefixOf(const QStringList& names)
{
    if (names.size() < 2) return {};
    QString prefix = names.front();
    for (const QString& name : names) {
        const auto [mine, other] = std::mismatch(prefix.cbegin(), prefix.cend(), name.cbegin(), name.cend());
        prefix.truncate(mine - prefix.cbegin());
    }
    const qsizetype end = prefix.lastIndexOf(QLatin1String("::"));
    return end < 0 ? QString() : prefix.left(end + 2);
}

}  // namespace

const Theme& themeOf(const QWidget& widget)
{
    return widget.palette().color(QPalette::Window).lightness() < 128 ? darkTheme() : lightTheme();
}

TableView::TableView(QWidget* parent) : QTableView(parent), m_model(new TableModel(this)), m_filter(new QLineEdit(this))
{
    m_filter->setPlaceholderText(tr("Show rows with …"));
    m_filter->setAccessibleName(tr("Show rows with"));
    m_filter->hide();
    m_filter->installEventFilter(this);
    connect(m_filter, &QLineEdit::textChanged, m_model, &TableModel::setFilter);
    setModel(m_model);
    setItemDelegate(new CellDelegate(this));
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers);
    setHorizontalScrollMode(ScrollPerPixel);
    setWordWrap(false);
    setTabKeyNavigation(false);  // so that Tab leaves the table
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(fontMetrics().height() + rowPadding);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    horizontalHeader()->setSortIndicatorClearable(true);
    horizontalHeader()->setMinimumSectionSize(28);
    setSortingEnabled(true);
    connect(horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column, int, int width) {
        // A width that the user drags, or sets by a double-click on the edge, stays.
        if (!m_arranging && static_cast<std::size_t>(column) < m_chosen.size())
            m_chosen[static_cast<std::size_t>(column)] = width;
    });
    connect(this, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        Q_EMIT rowActivated(m_model->contentRow(index.row()), index.column());
    });
    connect(this, &QTableView::clicked, this,
            [this](const QModelIndex& index) { Q_EMIT rowChosen(m_model->contentRow(index.row()), index.column()); });
}

void TableView::setContent(TableContent content)
{
    m_quiet = true;
    m_model->setContent(std::move(content));
    m_quiet = false;
    measureColumns();
    layoutColumns();
    Q_EMIT measured();
}

void TableView::setColumnWidths(const std::vector<int>& widths)
{
    if (widths.size() != m_widths.size()) m_chosen.assign(widths.size(), 0);
    m_widths = widths;
    measureColumns();
    layoutColumns();
    Q_EMIT measured();
}

int TableView::headingWidth(int column) const
{
    constexpr int arrow = 12;
    const QString title = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    return QFontMetrics(font()).horizontalAdvance(title) + arrow + cellSides;
}

// The width of the heading with its sorting arrow or of the widest cell. Of a long table only the first and the last
// rows are measured.
int TableView::measuredWidth(int column) const
{
    constexpr int padding = cellSides;
    const QFontMetrics metrics(font());
    int widest = headingWidth(column) - padding;
    const int rows = m_model->rowCount();
    for (int row = 0; row < rows; row = row + 1 == mostCells ? std::max(row + 1, rows - mostCells) : row + 1) {
        const QModelIndex cell = m_model->index(row, column);
        int width = metrics.horizontalAdvance(cell.data().toString().left(mostMeasured));
        if (cell.data(TableModel::SwatchRole).isValid()) width += swatchRoom;
        if (cell.data(TableModel::BarsRole).isValid()) width += leastBars;
        widest = std::max(widest, width);
    }
    return widest + padding;
}

void TableView::measureColumns()
{
    const int columns = m_model->columnCount();
    m_wanted.assign(static_cast<std::size_t>(columns), 0);
    m_prefixes.assign(static_cast<std::size_t>(columns), QString());
    m_bars.assign(static_cast<std::size_t>(columns), false);
    m_same.assign(static_cast<std::size_t>(columns), false);
    if (static_cast<int>(m_widths.size()) != columns) return;
    for (int column = 0; column < columns; ++column) {
        const auto at = static_cast<std::size_t>(column);
        if (m_widths[at] < 0) continue;
        m_wanted[at] = std::max(m_widths[at], measuredWidth(column));
        QStringList names;
        for (int row = 0; row < std::min(mostCells, m_model->rowCount()); ++row) {
            const QModelIndex cell = m_model->index(row, column);
            if (cell.data(TableModel::BarsRole).isValid()) m_bars[at] = true;
            names << cell.data().toString();
        }
        names.removeDuplicates();
        m_same[at] = names.size() == 1 && m_model->rowCount() > 1;
        m_prefixes[at] = prefixOf(names);
    }
}

QString TableView::sharedPrefix(int column) const
{
    const auto at = static_cast<std::size_t>(column);
    return at < m_prefixes.size() ? m_prefixes[at] : QString();
}

int TableView::leastNameWidth() const
{
    return leastLetters * fontMetrics().averageCharWidth() + cellSides + swatchRoom;
}

// What a column of bars can give away of its width without cutting its heading or numbers.
int TableView::spare(int column) const
{
    const auto at = static_cast<std::size_t>(column);
    return m_bars[at] ? std::clamp(m_wanted[at] - headingWidth(column), 0, leastBars) : 0;
}

int TableView::wantedWidth() const
{
    int sum = 2 * frameWidth() + 10;  // of the scroll bar
    for (std::size_t column = 0; column < m_wanted.size() && column < m_widths.size(); ++column)
        sum += m_widths[column] == 0 ? std::min(m_wanted[column], leastNameWidth())
                                     : m_wanted[column] - spare(int(column));
    return sum;
}

int TableView::wholeWidth() const
{
    return 2 * frameWidth() + 10 + std::accumulate(m_wanted.begin(), m_wanted.end(), 0);  // 10: of the scroll bar
}

void TableView::layoutColumns()
{
    const int columns = m_model->columnCount();
    if (m_widths.empty() || static_cast<int>(m_widths.size()) != columns) return;
    if (static_cast<int>(m_wanted.size()) != columns) return;
    m_arranging = true;
    int rest = viewport()->width();
    int stretching = -1;
    std::vector<int> giving;  // columns of bars, which have their widths last
    for (int column = 0; column < columns; ++column) {
        const auto at = static_cast<std::size_t>(column);
        setColumnHidden(column, m_widths[at] < 0);
        if (m_widths[at] < 0) continue;
        const int chosen = m_chosen[at];
        if (m_widths[at] == 0 && chosen == 0) {
            stretching = column;
            continue;
        }
        if (chosen == 0 && m_bars[at]) giving.push_back(column);
        const int width = chosen > 0 ? chosen : m_wanted[at];
        setColumnWidth(column, width);
        rest -= width;
    }
    if (stretching >= 0) {
        const int least = std::min(leastNameWidth(), m_wanted[static_cast<std::size_t>(stretching)]);
        // A column that says the same in every row gives way first, then the bars.
        for (int column = columns - 1; column > stretching && rest < least; --column) {
            const auto at = static_cast<std::size_t>(column);
            if (m_widths[at] < 0 || m_chosen[at] > 0 || m_bars[at] || !m_same[at]) continue;
            setColumnHidden(column, true);
            rest += m_wanted[at];
        }
        for (const int column : giving) {
            const int given = std::clamp(least - rest, 0, spare(column));
            setColumnWidth(column, m_wanted[static_cast<std::size_t>(column)] - given);
            rest += given;
        }
        setColumnWidth(stretching, std::max(rest, least));
    }
    m_arranging = false;
}

void TableView::showRow(std::size_t contentRow)
{
    const int row = m_model->rowOf(contentRow);
    if (row < 0) return;
    m_quiet = true;
    setCurrentIndex(m_model->index(row, std::max(0, currentIndex().column())));
    m_quiet = false;
    scrollTo(m_model->index(row, 0));
}

std::vector<int> TableView::selectedRows() const
{
    std::vector<int> rows;
    for (const QModelIndex& index : selectionModel()->selectedRows()) rows.push_back(index.row());
    std::sort(rows.begin(), rows.end());
    return rows;
}

void TableView::copyCell()
{
    if (!currentIndex().isValid()) return;
    copyText(*this, currentIndex().data(TableModel::WholeTextRole).toString(), currentIndex().data().toString());
}

// Without a selection all rows that show are copied.
QString TableView::copiedRows() const
{
    const std::size_t selected = selectedRows().size();
    return counted("%1 rows", "%1 row", std::int64_t(selected > 0 ? selected : std::size_t(m_model->rowCount())));
}

void TableView::copyRows() { copyText(*this, m_model->toText(selectedRows()), copiedRows()); }

void TableView::copyJson()
{
    copyText(*this, QString::fromUtf8(dump(m_model->toJson(selectedRows()))), tr("%1 as JSON").arg(copiedRows()));
}

void TableView::exportCsv()
{
    const QString path = askFileToSave(this, tr("Export table"), QStringLiteral("table.csv"),
                                       tr("Comma-separated values (*.csv)"));
    if (path.isEmpty()) return;
    if (const Result<> written = writeNamedFile(path, safeCsv(m_model->toCsv())); !written)
        Q_EMIT exportFailed(written.error());
    else tell(*this, tr("The table is in %1.").arg(path), path);
}

void TableView::startFilter()
{
    placeFilter();
    m_filter->show();
    m_filter->raise();
    m_filter->setFocus();
    m_filter->selectAll();
}

void TableView::placeFilter()
{
    const QSize size(std::min(240, width() - 16), m_filter->sizeHint().height());
    m_filter->setGeometry(QRect(QPoint(8, height() - size.height() - 8), size));
}

bool TableView::eventFilter(QObject* watched, QEvent* event)
{
    const bool isKey = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    if (watched == m_filter && isKey && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        if (event->type() == QEvent::KeyPress) {
            m_filter->clear();
            m_filter->hide();
            setFocus();
        }
        event->accept();
        return true;
    }
    return QTableView::eventFilter(watched, event);
}

void TableView::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    menu.addAction(tr("Copy cell"), this, &TableView::copyCell)->setEnabled(currentIndex().isValid());
    menu.addAction(tr("Copy rows"), QKeySequence::Copy, this, &TableView::copyRows);
    menu.addAction(tr("Copy as JSON"), this, &TableView::copyJson);
    menu.addSeparator();
    menu.addAction(tr("Filter rows …"), QKeySequence(Qt::Key_Slash), this, &TableView::startFilter);
    menu.addAction(tr("Export CSV …"), this, &TableView::exportCsv);
    menu.exec(event->globalPos());
}

void TableView::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy)) {
        copyRows();
        return;
    }
    if (event->key() == Qt::Key_Slash) {
        startFilter();
        return;
    }
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid()) {
        Q_EMIT rowActivated(m_model->contentRow(currentIndex().row()), currentIndex().column());
        return;
    }
    QTableView::keyPressEvent(event);
}

void TableView::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QTableView::currentChanged(current, previous);
    // Here the arrow keys emit rowChosen(); the mouse does on `clicked`.
    if (m_quiet || !current.isValid() || QApplication::mouseButtons() != Qt::NoButton || !hasFocus()) return;
    if (previous.isValid() && current.row() != previous.row())
        Q_EMIT rowChosen(m_model->contentRow(current.row()), current.column());
}

void TableView::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    layoutColumns();
    placeFilter();
}

}  // namespace longpole
