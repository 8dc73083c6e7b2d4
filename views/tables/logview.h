// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the log. Only those near the view are read, off the UI thread; rows that are not read yet are empty.
#pragma once

#include "views/drawing/basics/palette.h"
#include "views/drawing/timeline/rowfilter.h"
#include "views/state/watch.h"
#include "views/tables/logtext.h"
#include "views/tables/recordquestions.h"

#include <QAbstractScrollArea>

#include <functional>
#include <memory>
#include <optional>

namespace longpole {

class LogView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit LogView(QWidget* parent = nullptr);

    // Shows `list`, whose pages `results` is asked for, from row `top` on; nothing is selected. Null: shows no rows.
    void setList(std::shared_ptr<Results> results, std::shared_ptr<const RecordList> list, std::int64_t top);
    // `matching`, by entry id: records of other entry methods are dimmed; none are without it.
    void setColours(Palette palette, std::optional<std::vector<bool>> matching);
    void setTaskFilter(std::optional<TaskFilter> filter);  // tasks that it does not let through are dimmed
    void setNotice(const QString& text);                   // shows instead of rows; empty: no notice

    std::shared_ptr<const RecordList> list() const { return m_list; }
    std::int64_t top() const { return m_top; }
    std::int64_t current() const { return m_current; }  // -1: none
    // The current record, also if it is scrolled out of view; empty until it has been loaded.
    const std::optional<RecordRef>& currentRef() const { return m_currentRef; }
    std::int64_t rowsShown() const;
    // Null while the row is not loaded.
    const Record* record(std::int64_t row) const;

    // Selects a row and, if it is not in view, scrolls it to the middle. Does not emit chosen().
    void showRow(std::int64_t row);
    // Selects a row as a click does, with `extend` up to it: emits chosen(), unless it extends, once the row is loaded.
    void chooseRow(std::int64_t row, bool extend = false);
    void copyRows();   // the selected ones, else those in view
    void exportCsv();  // asks for a file; writes the selected rows if they are several, else those in view
    // Writes those rows once they are read; emits failed() if they cannot be read or written.
    void writeCsv(const QString& path);

Q_SIGNALS:
    void chosen(const longpole::Record& record);
    void taskFollowed(longpole::TaskId task);  // a click on the task that sent a task's message
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
    std::optional<TaskId> linkAt(const QPoint& at) const;
    void paintHead(QPainter& painter, const std::vector<int>& widths) const;
    void paintRow(QPainter& painter, std::int64_t row, int y, const std::vector<int>& widths) const;
    void gather(bool isCsv, std::function<void(const LogRowsText&)> use);
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
    std::int64_t m_rowsPerStep = 1;  // of the scroll bar, whose values are of 32 bits: a log may have more rows
    std::int64_t m_current = -1;
    std::optional<RecordRef> m_currentRef;
    std::int64_t m_anchor = -1;  // the selection's other end
    bool m_toTell = false;       // chosen() is to be emitted when the current row is loaded
    Watch<RecordPageQuestion> m_loading;
    Watch<LogRowsQuestion> m_gathering;
};

}  // namespace longpole
