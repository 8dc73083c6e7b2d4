// How the program's table model looks and is handled: calm rows, swatches and bars, copy and export on the right button.
#pragma once

#include "views/drawing/theme.h"
#include "views/tablemodel.h"

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
    // Width in pixels per column; the one that stretches has 0, those that only exports show have -1.
    void setColumnWidths(const std::vector<int>& widths);
    // Selects a row of the content and scrolls to it without telling anyone; nothing if it is hidden.
    void showRow(std::size_t contentRow);

    void copyCell();
    void copyRows();
    void copyJson();
    void exportCsv();  // asks for a file
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
    void layoutColumns();
    void placeFilter();

    TableModel* m_model;
    QLineEdit* m_filter;
    std::vector<int> m_widths;
    bool m_quiet = false;  // showRow is at work
};

}  // namespace longpole
