// SPDX-License-Identifier: GPL-3.0-or-later
// Read-only SQL over the trace: an editor for the statement and a table of its rows.
#pragma once

#include "analysis/results/results.h"
#include "core/base/result.h"
#include "views/state/latestjob.h"
#include "views/state/viewstate.h"

#include <QString>
#include <QStringList>
#include <QVariant>
#include <QWidget>

#include <cstddef>
#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace longpole {

class TableView;

// The rows of a query, in memory.
struct SqlTable {
    QStringList columns;
    std::vector<std::vector<QVariant>> rows;
    bool isCut = false;  // there were more rows than the limit, which are left out
};

// Runs one read-only statement. Errors: SQL that is wrong or writes, damaged chunks, cancelled.
Result<SqlTable> runSql(const std::shared_ptr<Results>& results, const QString& sql, std::size_t limit,
                        const Progress& progress);

class SqlPanel : public QWidget {
    Q_OBJECT
public:
    explicit SqlPanel(ViewState& state, QWidget* parent = nullptr);

    QPlainTextEdit& editor() { return *m_editor; }
    TableView& table() { return *m_table; }
    QString message() const;
    bool isRunning() const { return m_running.isRunning(); }
    void run();  // runs the editor's statement, after stopping one that still runs
    void cancel();

Q_SIGNALS:
    void exportFailed(const longpole::Error& error);
    void finished();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void createWidgets();
    void showTable(SqlTable table);
    void showError(const Error& error);
    void setMessage(const QString& text, bool isError);

    ViewState& m_state;
    QPlainTextEdit* m_editor = nullptr;
    QComboBox* m_examples = nullptr;
    QPushButton* m_run = nullptr;
    QPushButton* m_export = nullptr;
    QLabel* m_message = nullptr;
    TableView* m_table = nullptr;
    LatestJob<Result<SqlTable>> m_running;
};

}  // namespace longpole
