// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the log: only those that show are read, off the UI thread; what is not there yet stays empty for a
// moment.
#pragma once

#include "views/drawing/basics/palette.h"
#include "views/drawing/timeline/rowfilter.h"
#include "views/state/watch.h"
#include "views/tables/logtext.h"
#include "views/tables/recordquestions.h"

#include <QAbstractScrollArea>

#include <memory>
#include <optional>

namespace longpole {

class LogView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit LogView(QWidget* parent = nullptr);

    // Null: none. Its pages are asked for. `top` comes to the upper edge; nothing is selected.
    void setList(std::shared_ptr<Results> results, std::shared_ptr<const RecordList> list, std::int64_t top);
    void setColours(Palette palette, std::optional<std::vector<bool>> matching);  // others are dimmed
    void setTaskFilter(std::optional<TaskFilter> filter);  // tasks that it does not let through are dimmed
    void setNotice(const QString& text);                   // instead of rows; empty: none

    std::shared_ptr<const RecordList> list() const { return m_list; }
    std::int64_t top() const { return m_top; }
    std::int64_t current() const { return m_current; }  // -1: none
    // The current record, also when it is scrolled away; nothing while it was never loaded.
    const std::optional<RecordRef>& currentRef() const { return m_currentRef; }
    std::int64_t rowsShown() const;
    // Nothing while the row is not loaded.
    const Record* record(std::int64_t row) const;

    // Selects a row and brings it into the middle, if it does not show. Tells no one.
    void showRow(std::int64_t row);
    // As the hand does it: told by `chosen` once it is loaded.
    void chooseRow(std::int64_t row, bool extend = false);
    void copyRows();   // the selected ones that are loaded, else those that show
    void exportCsv();  // asks for a file; writes the selected rows, or those that show
    // Errors: not writable.
    Result<> writeCsv(const QString& path) const;

Q_SIGNALS:
    void chosen(const longpole::Record& record);
    void loaded();
    void failed(const longpole::Error& error);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void arrange();
    void scrollTo(std::int64_t top);
    void request();
    void accept(const Result<std::shared_ptr<const RecordPage>>& page);
    void noteCurrent();
    void tell();
    bool isDim(const Record& record) const;
    std::int64_t rowAt(const QPoint& at) const;
    std::vector<int> columnWidths() const;
    void paintHead(QPainter& painter, const std::vector<int>& widths) const;
    void paintRow(QPainter& painter, std::int64_t row, int y, const std::vector<int>& widths) const;
    Result<std::vector<Record>> selectedRecords() const;
    int rowHeight() const { return fontMetrics().height() + 7; }
    int headHeight() const { return fontMetrics().height() + 9; }

    std::shared_ptr<Results> m_results;
    std::shared_ptr<const RecordList> m_list;
    std::shared_ptr<RecordReader> m_reader;
    std::shared_ptr<const RecordPage> m_page = std::make_shared<const RecordPage>();
    Palette m_palette;
    std::optional<std::vector<bool>> m_matching;
    std::optional<TaskFilter> m_taskFilter;
    QString m_notice;
    std::int64_t m_top = 0;
    std::int64_t m_rowsPerStep = 1;  // of the scroll bar, whose numbers end at two thousand millions
    std::int64_t m_current = -1;
    std::optional<RecordRef> m_currentRef;
    std::int64_t m_anchor = -1;  // the selection's other end
    bool m_toTell = false;
    Watch<RecordPageQuestion> m_loading;
};

}  // namespace longpole
