// SPDX-License-Identifier: GPL-3.0-or-later
// Hollingsworth's streaming critical path over the run or the marked range: the shares of the path by procedure as they
// were while the run went on, plotted over time, and at its end as a table with what each would gain.
#pragma once

#include "analysis/streaming/streamingquestions.h"
#include "core/base/result.h"
#include "views/state/viewstate.h"
#include "views/state/watch.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;

namespace longpole {

class Plot;
class TableView;

class StreamingPanel : public QWidget {
    Q_OBJECT
public:
    explicit StreamingPanel(ViewState& state, QWidget* parent = nullptr);

    TableView& table() { return *m_table; }
    Plot& plot() { return *m_plot; }
    bool isRunning() const { return m_running.isRunning(); }
    const std::shared_ptr<const StreamingResult>& result() const { return m_result; }
    void run();  // over the marked range, or the run
    void cancel();

Q_SIGNALS:
    void exportFailed(const longpole::Error& error);
    void finished();

protected:
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void createWidgets();
    StreamingRequest request() const;
    void accept(const Watch<StreamingQuestion>::Answer& result);
    void showResult();
    void showTable();
    void showPlot();
    void showSummary();
    void showProgress();

    ViewState& m_state;
    StreamingRequest m_asked;
    StreamingRequest m_answered;  // by m_result
    std::shared_ptr<const StreamingResult> m_result;
    std::optional<Error> m_error;
    bool m_wasShown = false;
    QComboBox* m_procedures = nullptr;  // how many procedures are followed
    QComboBox* m_shares = nullptr;      // whether shares are exclusive or inclusive
    QPushButton* m_run = nullptr;
    QLabel* m_summary = nullptr;
    TableView* m_table = nullptr;
    Plot* m_plot = nullptr;
    QTimer m_progress;
    Watch<StreamingQuestion> m_running;
};

}  // namespace longpole
