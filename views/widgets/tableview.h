// SPDX-License-Identifier: GPL-3.0-or-later
// The view of a TableModel: paints swatches and bars, has a filter field, and copies and exports from its context menu.
#pragma once

#include "views/drawing/basics/theme.h"
#include "views/widgets/tablemodel.h"

#include <QTableView>

#include <cstddef>

class QLineEdit;

namespace longpole {

// The theme in which a widget is shown, which its palette tells.
const Theme& themeOf(const QWidget& widget);

class TableView : public QTableView {
    Q_OBJECT
public:
    explicit TableView(QWidget* parent = nullptr);

    TableModel& table() { return *m_model; }
    void setContent(TableContent content);  // keeps the widths the user chose
    // By column, the least width in pixels: a column is wider if its heading and cells need it. 0 is for the column
    // that takes the rest of the width and elides; -1 hides a column, which is only exported.
    void setColumnWidths(const std::vector<int>& widths);
    // The width that all columns need, where the one that takes the rest stays readable.
    int wantedWidth() const;
    int wholeWidth() const;  // that they need to show each name and bar whole
    // What all names of a column begin with, "Compute::" for instance: dropped where a name lacks room.
    QString sharedPrefix(int column) const;
    // Selects a row of the content and scrolls to it without emitting rowChosen(); does nothing if the row is hidden.
    void showRow(std::size_t contentRow);

    void copyCell();
    void copyRows();
    void copyJson();
    void exportCsv();    // asks for a file
    void startFilter();  // opens the field at the lower edge; Esc closes it and shows all rows again

Q_SIGNALS:
    // The user chose a row of the content by a click, Enter or the arrow keys.
    void rowChosen(std::size_t contentRow, int column);
    void rowActivated(std::size_t contentRow, int column);  // double-click or Enter
    void measured();                                        // wantedWidth() may have changed
    void exportFailed(const longpole::Error& error);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    std::vector<int> selectedRows() const;
    QString copiedRows() const;
    void measureColumns();
    int headingWidth(int column) const;
    int measuredWidth(int column) const;
    void layoutColumns();
    int spare(int column) const;
    int leastNameWidth() const;  // of the column that takes the rest
    void placeFilter();

    TableModel* m_model;
    QLineEdit* m_filter;
    std::vector<int> m_widths;
    std::vector<int> m_wanted;        // by column: the width that heading and cells need
    std::vector<int> m_chosen;        // by column: the width that the user dragged it to, or 0
    std::vector<QString> m_prefixes;  // by column
    std::vector<bool> m_bars;         // by column: its cells have bars beside their figures
    std::vector<bool> m_same;         // columns that say the same in every row
    bool m_arranging = false;
    bool m_quiet = false;  // showRow() is running: rowChosen() is not emitted
};

}  // namespace longpole
