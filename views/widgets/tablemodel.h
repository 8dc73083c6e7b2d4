// SPDX-License-Identifier: GPL-3.0-or-later
// The model of all tables in the window. Columns are functions of a row, so that any result shows, sorts, filters,
// copies and exports in the same way without being turned into strings first.
#pragma once

#include "analysis/base/table.h"
#include "core/base/result.h"

#include <QAbstractTableModel>
#include <QByteArray>
#include <QColor>
#include <QString>
#include <QVariant>

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace longpole {

struct PanelColumn {
    QString key;  // in JSON and CSV
    QString title;
    CellKind kind = CellKind::Text;
    // The raw value of a row, by which it is sorted and as which it is exported. An invalid QVariant is an empty cell.
    std::function<QVariant(std::size_t row)> value;
    std::function<QColor(std::size_t row)> swatch = {};                   // small square before the text
    std::function<std::pair<double, double>(std::size_t row)> bars = {};  // two shares, drawn before the text
    std::function<bool(std::size_t row)> isLink = {};                     // drawn as something to click
    bool ofPath = true;  // the first bar has the critical path's colour, else that of figures
    std::function<QString(std::size_t row)> text = {};  // what is shown, if not the usual text of the kind
    QString meaning = {};                               // the heading's tooltip
    std::vector<Word> words = {};                       // the values of an enumeration
    bool isExported = true;                             // not what another column says in another way
};

struct TableContent {
    // The column with that key, which must be there; to give it a swatch, bars or a link.
    PanelColumn& operator[](const char* key);

    std::vector<PanelColumn> columns;
    std::size_t rows = 0;
    std::shared_ptr<const TraceStore> store = {};  // names entries; held so that columns may read it
};

// The content for a table of an answer. `at` gives its rows and must own them.
template <typename Row>
TableContent contentOf(const Table<Row>& table, std::size_t rows, std::function<const Row&(std::size_t)> at,
                       std::shared_ptr<const TraceStore> store)
{
    TableContent content{{}, rows, std::move(store)};
    for (const TableColumn<Row>& column : table.columns) {
        if (column.kind == CellKind::Rows) continue;
        content.columns.push_back({.key = column.key,
                                   .title = column.title,
                                   .kind = column.kind,
                                   .value = [cell = column.cell, at](std::size_t row) -> QVariant {
                                       return cell(at(row));
                                   },
                                   .meaning = column.meaning,
                                   .words = column.words});
    }
    return content;
}
template <typename Row>
TableContent contentOf(const Table<Row>& table, std::shared_ptr<const std::vector<Row>> rows,
                       std::shared_ptr<const TraceStore> store)
{
    const std::size_t count = rows->size();
    return contentOf<Row>(
        table, count, [rows = std::move(rows)](std::size_t row) -> const Row& { return (*rows)[row]; },
        std::move(store));
}

class TableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    // What shows, and the tooltip, is cut after some lines' worth of letters; WholeTextRole is not.
    enum Role { SwatchRole = Qt::UserRole, BarsRole, SecondBarRole, PathBarRole, LinkRole, RawRole, WholeTextRole };

    explicit TableModel(QObject* parent = nullptr);

    // Functions must stay callable until the next setContent: they own what they read (shared_ptr).
    void setContent(TableContent content);
    const TableContent& content() const { return m_content; }

    // Shows only rows of which a cell contains the text (case-insensitive); all for an empty one. O(cells).
    void setFilter(const QString& text);
    QString filter() const { return m_filter; }

    // Convert a row of the model, as sorted and filtered, to a row of the content and back. rowOf: -1 if the filter
    // hides the row. O(1).
    std::size_t contentRow(int row) const { return m_shown[static_cast<std::size_t>(row)]; }
    int rowOf(std::size_t contentRow) const;

    // What is shown, in the order shown; `rows` are rows of the model (all if empty).
    QString toText(const std::vector<int>& rows = {}) const;    // tab-separated, as shown
    QByteArray toCsv(const std::vector<int>& rows = {}) const;  // raw values, RFC 4180
    JsonValue toJson(const std::vector<int>& rows = {}) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

private:
    // No more than the first `most` letters and an ellipsis.
    QString textOf(const PanelColumn& column, std::size_t row,
                   qsizetype most = std::numeric_limits<qsizetype>::max()) const;
    std::vector<Column> heads() const;
    std::vector<QVariant> cells(int row) const;
    void chooseRows();  // m_shown from filter and sort order
    void indexRows();   // m_position from m_shown

    TableContent m_content;
    std::vector<std::size_t> m_shown;  // content rows in the order shown
    std::vector<int> m_position;       // by content row: its row in the model, -1 if hidden
    QString m_filter;
    int m_sortColumn = -1;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

}  // namespace longpole
