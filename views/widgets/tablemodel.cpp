// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/tablemodel.h"

#include "core/trace/format.h"
#include "views/widgets/notice.h"

#include <QStringList>

#include <algorithm>
#include <numeric>

namespace longpole {

namespace {

// Empty cells come last in ascending order, whatever the kind.
bool less(const QVariant& a, const QVariant& b)
{
    if (!a.isValid() || !b.isValid()) return a.isValid() && !b.isValid();
    const QPartialOrdering order = QVariant::compare(a, b);
    return order == QPartialOrdering::Less;
}

constexpr qsizetype mostCellLetters = 1024;  // more take long to measure, and no column has room for them

QString beginOf(const QString& text, qsizetype most)
{
    return text.size() <= most ? text : QString(QStringView(text).left(most) % QChar(0x2026));
}

}  // namespace

PanelColumn& TableContent::operator[](const char* key)
{
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [key](const PanelColumn& column) { return column.key == QLatin1String(key); });
    Q_ASSERT_X(found != columns.end(), "TableContent", key);
    return *found;
}

TableModel::TableModel(QObject* parent) : QAbstractTableModel(parent) {}

void TableModel::setContent(TableContent content)
{
    beginResetModel();
    const bool sameColumns = content.columns.size() == m_content.columns.size()
                             && std::equal(content.columns.begin(), content.columns.end(), m_content.columns.begin(),
                                           [](const PanelColumn& a, const PanelColumn& b) { return a.key == b.key; });
    m_content = std::move(content);
    if (!sameColumns) m_sortColumn = -1;
    chooseRows();
    endResetModel();
}

void TableModel::setFilter(const QString& text)
{
    if (text == m_filter) return;
    beginResetModel();
    m_filter = text;
    chooseRows();
    endResetModel();
}

QString TableModel::textOf(const PanelColumn& column, std::size_t row, qsizetype most) const
{
    if (column.text) return beginOf(column.text(row), most);
    QVariant value = column.value(row);
    for (const Word& word : column.words)
        if (word.word == rawValue(value).toString()) return word.title;
    if (value.typeId() == QMetaType::QString) value = beginOf(value.toString(), most);  // before all letters are read
    return beginOf(cellText(value, column.kind, m_content.store.get()), most);
}

int TableModel::rowOf(std::size_t row) const { return row < m_position.size() ? m_position[row] : -1; }

void TableModel::chooseRows()
{
    m_shown.clear();
    const auto matches = [this](std::size_t row) {
        return std::any_of(m_content.columns.begin(), m_content.columns.end(), [&](const PanelColumn& column) {
            return textOf(column, row).contains(m_filter, Qt::CaseInsensitive);
        });
    };
    for (std::size_t row = 0; row < m_content.rows; ++row)
        if (m_filter.isEmpty() || matches(row)) m_shown.push_back(row);

    if (m_sortColumn >= 0 && m_sortColumn < columnCount()) {
        const PanelColumn& column = m_content.columns[static_cast<std::size_t>(m_sortColumn)];
        std::vector<QVariant> keys(m_content.rows);  // so that value() is called once per row, not per comparison
        const bool byName = column.kind == CellKind::Entry || column.kind == CellKind::Code;
        for (const std::size_t row : m_shown) {
            keys[row] = rawValue(column.value(row));
            if (byName && !keys[row].isNull()) keys[row] = textOf(column, row);
        }
        const bool ascending = m_sortOrder == Qt::AscendingOrder;
        std::stable_sort(m_shown.begin(), m_shown.end(), [&](std::size_t a, std::size_t b) {
            return ascending ? less(keys[a], keys[b]) : less(keys[b], keys[a]);
        });
    }
    indexRows();
}

void TableModel::indexRows()
{
    m_position.assign(m_content.rows, -1);
    for (std::size_t i = 0; i < m_shown.size(); ++i) m_position[m_shown[i]] = static_cast<int>(i);
}

int TableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int TableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_content.columns.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const PanelColumn& column = m_content.columns[static_cast<std::size_t>(index.column())];
    const std::size_t row = contentRow(index.row());
    switch (role) {
    case Qt::DisplayRole: return textOf(column, row, mostCellLetters);
    case Qt::ToolTipRole: return isRightAligned(column.kind) ? QVariant() : textOf(column, row, mostCellLetters);
    case WholeTextRole: return textOf(column, row);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(isRightAligned(column.kind) && !column.bars
                                       ? Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter)
                                       : Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
    case SwatchRole: return column.swatch ? QVariant(column.swatch(row)) : QVariant();
    case BarsRole: return column.bars ? QVariant(column.bars(row).first) : QVariant();
    case SecondBarRole: return column.bars ? QVariant(column.bars(row).second) : QVariant();
    case PathBarRole: return column.ofPath;
    case LinkRole: return column.isLink && column.isLink(row);
    case RawRole: return rawValue(column.value(row));
    default: return {};
    }
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const PanelColumn& column = m_content.columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::ToolTipRole && !column.meaning.isEmpty()) return column.meaning;
    // What is sought in figures is the largest.
    if (role == Qt::InitialSortOrderRole && isRightAligned(column.kind) && column.kind != CellKind::Number
        && column.kind != CellKind::Instant)
        return QVariant::fromValue(Qt::DescendingOrder);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(isRightAligned(column.kind) && !column.bars
                                       ? Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter)
                                       : Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
    return {};
}

void TableModel::sort(int column, Qt::SortOrder order)
{
    if (column == m_sortColumn && order == m_sortOrder) return;
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    const QModelIndexList before = persistentIndexList();
    std::vector<std::size_t> rows;
    for (const QModelIndex& index : before) rows.push_back(contentRow(index.row()));
    m_sortColumn = column;
    m_sortOrder = order;
    chooseRows();
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i)
        after.append(createIndex(rowOf(rows[static_cast<std::size_t>(i)]), before[i].column()));
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

namespace {

std::vector<int> allIfEmpty(std::vector<int> rows, int count)
{
    if (!rows.empty()) return rows;
    rows.resize(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

}  // namespace

QString TableModel::toText(const std::vector<int>& rows) const
{
    QString text;
    for (const int row : allIfEmpty(rows, rowCount())) {
        QStringList cells;
        for (const PanelColumn& column : m_content.columns) cells.append(pastedCell(textOf(column, contentRow(row))));
        text += cells.join(QLatin1Char('\t')) % QLatin1Char('\n');
    }
    return text;
}

std::vector<Column> TableModel::heads() const
{
    std::vector<Column> heads;
    for (const PanelColumn& column : m_content.columns)
        if (column.isExported) heads.emplace_back(column.key, column.title, column.kind);
    return heads;
}

std::vector<QVariant> TableModel::cells(int row) const
{
    std::vector<QVariant> values;
    for (const PanelColumn& column : m_content.columns)
        if (column.isExported) values.push_back(column.value(contentRow(row)));
    return values;
}

QByteArray TableModel::toCsv(const std::vector<int>& rows) const
{
    const std::vector<Column> columns = heads();
    QByteArray csv = csvHeads(columns).toUtf8() + "\r\n";
    for (const int row : allIfEmpty(rows, rowCount()))
        csv += csvRow(cells(row), columns, m_content.store.get()).toUtf8() + "\r\n";
    return csv;
}

JsonValue TableModel::toJson(const std::vector<int>& rows) const
{
    const std::vector<Column> columns = heads();
    JsonValue list = JsonValue::array();
    for (const int row : allIfEmpty(rows, rowCount()))
        list.push_back(rowJson(cells(row), columns, m_content.store.get()));
    return list;
}

}  // namespace longpole
