// SPDX-License-Identifier: GPL-3.0-or-later
// How the program's table model looks and is handled: calm rows, swatches and bars, copy and export on the right
// button.
#pragma once

#include "views/drawing/basics/theme.h"
#include "views/widgets/tablemodel.h"

#include <QTableView>

#include <cstddef>

class QLineEdit;

namespace longpole {

// The theme a widget is shown in, told from its palette.
const Theme& themeOf(const QWidget& widget);

class TableView : public QTableView {
    Q_OBJECT
public:
    explicit TableView(QWidget* parent = nullptr);

    TableModel& table() { return *m_model; }
    void setContent(TableContent content);  // keeps the widths the user chose
    // Least width in pixels per column: each is as wide as its heading and cells need. The one that stretches, and
    // gives way by eliding, has 0; those that only exports show have -1.
    void setColumnWidths(const std::vector<int>& widths);
    // What all columns need, with a readable part of the one that stretches.
    int wantedWidth() const;
    // Selects a row of the content and scrolls to it without telling anyone; nothing if it is hidden.
    void showRow(std::size_t contentRow);

    void copyCell();
    void copyRows();
    void copyJson();
    void exportCsv();    // asks for a file
    void startFilter();  // a field at the lower edge; Esc leaves it and shows all rows again
    QLineEdit& filterField() { return *m_filter; }

Q_SIGNALS:
    // A click, Enter, or the arrow keys: the row of the content and the column.
    void rowChosen(std::size_t contentRow, int column);
    void rowActivated(std::size_t contentRow, int column);  // double-click or Enter
    void exportFailed(const longpole::Error& error);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    std::vector<int> selectedRows() const;
    void measureColumns();
    int measuredWidth(int column) const;
    void layoutColumns();
    void placeFilter();

    TableModel* m_model;
    QLineEdit* m_filter;
    std::vector<int> m_widths;
    std::vector<int> m_wanted;  // by column: what heading and cells need
    std::vector<int> m_chosen;  // by column: what the user dragged it to, or 0
    bool m_arranging = false;
    bool m_quiet = false;  // showRow is at work
};

}  // namespace longpole
