// SPDX-License-Identifier: GPL-3.0-or-later
// Everything the trace knows about the selected task, message or MPI call; every value can be copied, ids lead to the
// thing.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/mpi/calls.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "views/state/latestjob.h"
#include "views/state/selectionfield.h"
#include "views/state/viewstate.h"

#include <QWidget>

#include <memory>
#include <vector>

class QLabel;

namespace longpole {

class TableSplitter;
class TableView;

// An execution of a message that the selected task created, or a creation nobody executed (no task then).
struct CreatedExecution {
    MessageDetail message;
    TaskId task;
    TimeNs begin = 0;
};

std::vector<SelectionField> taskFields(const TraceStore& store, const TaskDetail& task);
std::vector<SelectionField> messageFields(const TraceStore& store, const MessageDetail& message);

// The messages of a task with their executions, in send order; with a graph only, without one just the messages. A
// broadcast of which more than `limit` executions are known shows the first ones. Errors: damaged chunks, cancelled.
Result<std::vector<CreatedExecution>> createdBy(const TraceStore& store, const ActivityGraph* graph, TaskId task,
                                                std::size_t limit, const Progress& progress);

class SelectionPanel : public QWidget {
    Q_OBJECT
public:
    explicit SelectionPanel(ViewState& state, QWidget* parent = nullptr);

    TableView& task() { return *m_task; }
    TableView& message() { return *m_message; }
    TableView& created() { return *m_created; }

Q_SIGNALS:
    void exportFailed(const longpole::Error& error);

private:
    void createWidgets();
    void showSelection();
    void showTask(TaskId id);
    void showMessage(MessageId id);
    void showCall(MpiCallId id);
    void showMembers(std::vector<MpiCallRow> members);
    void loadCreated(TaskId id);
    void showCreated(std::vector<CreatedExecution> rows);

    ViewState& m_state;
    QLabel* m_hint = nullptr;
    QLabel* m_createdTitle = nullptr;
    TableSplitter* m_body = nullptr;
    TableView* m_task = nullptr;
    TableView* m_message = nullptr;
    TableView* m_created = nullptr;
    LatestJob<Result<std::vector<CreatedExecution>>> m_loading;
    LatestJob<Result<std::vector<MpiCallRow>>> m_members;
};

}  // namespace longpole
