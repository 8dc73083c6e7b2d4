// SPDX-License-Identifier: GPL-3.0-or-later
// Read-only SQL over the trace: an editor for the statement, its tables to choose from, and its rows as a table or a
// plot.
#pragma once

#include "analysis/results/results.h"
#include "core/base/result.h"
#include "views/state/latestjob.h"
#include "views/state/viewstate.h"
#include "views/tables/sqlresult.h"

#include <QString>
#include <QStringList>
#include <QWidget>

#include <cstddef>
#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QMenu;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;

namespace longpole {

class TableView;

// Runs one read-only statement. Errors: SQL that is wrong or writes, damaged chunks, cancelled.
Result<SqlTable> runSql(const std::shared_ptr<Results>& results, const QString& sql, std::size_t limit,
                        const Progress& progress);

// The tables that can be asked, each with its columns, but for those that hold packed rows.
struct SqlTableColumns {
    QString table{};
    QStringList columns{};
};
Result<std::vector<SqlTableColumns>> sqlTables(const std::shared_ptr<Results>& results);

class SqlPanel : public QWidget {
    Q_OBJECT
public:
    explicit SqlPanel(ViewState& state, QWidget* parent = nullptr);

    QPlainTextEdit& editor() { return *m_editor; }
    TableView& table() { return *m_table; }
    Plot& plot() { return *m_plot; }
    QMenu& tables() { return *m_tables; }  // of the trace, to be put into the statement
    bool isRunning() const { return m_running.isRunning(); }
    void setPlotShown(bool shown);
    void run();  // runs the editor's statement, after stopping one that still runs
    void cancel();

Q_SIGNALS:
    void exportFailed(const longpole::Error& error);
    void timelineRequested();  // a part of the run was chosen, which it shows
    void finished();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* createQuestion(QWidget* parent);
    QWidget* createAnswer(QWidget* parent);
    void fillTables();
    void choose(std::size_t row, int column);
    void showRange(std::size_t row);
    void offerColumns();
    void showPlot();
    void showTable(SqlTable result);
    void showError(const Error& error);
    void setMessage(const QString& text, bool isError);

    ViewState& m_state;
    QPlainTextEdit* m_editor = nullptr;
    QComboBox* m_examples = nullptr;
    QPushButton* m_run = nullptr;
    QPushButton* m_export = nullptr;
    QLabel* m_message = nullptr;
    QMenu* m_tables = nullptr;
    QPushButton* m_plotted = nullptr;  // checked while the plot shows instead of the table
    QStackedWidget* m_pages = nullptr;
    TableView* m_table = nullptr;
    QComboBox* m_x = nullptr;  // of the plot; the first entry is the number of the row
    QComboBox* m_y = nullptr;
    Plot* m_plot = nullptr;
    std::shared_ptr<const SqlTable> m_result;
    std::vector<std::size_t> m_columns;  // of the query, by column of the table
    LatestJob<Result<std::vector<SqlTableColumns>>> m_listing;
    LatestJob<Result<SqlTable>> m_running;
};

}  // namespace longpole
