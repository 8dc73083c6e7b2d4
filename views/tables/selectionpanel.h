// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that the trace knows about the selected task, message or MPI call. Values can be copied; a click on an id
// selects what it names.
#pragma once

#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "views/state/selectionfield.h"
#include "views/state/viewstate.h"
#include "views/state/watch.h"
#include "views/tables/selectionquestions.h"

#include <QWidget>

#include <memory>
#include <vector>

namespace longpole {

class EmptyState;
class SideBySide;
class TableView;

std::vector<SelectionField> taskFields(const TraceStore& store, const TaskDetail& task);
std::vector<SelectionField> messageFields(const TraceStore& store, const MessageDetail& message);

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
    void showLongestStep();
    void showFacts(const SelectedFacts& facts);
    void showTask(const SelectedFacts& facts);
    void showMessage(const SelectedFacts& facts);
    void showCall(const SelectedFacts& facts);
    void showMembers(std::vector<MpiCallRow> members);
    void loadCreated(TaskId id);
    void showCreated(std::vector<CreatedExecution> list);

    ViewState& m_state;
    EmptyState* m_hint = nullptr;
    SideBySide* m_body = nullptr;
    TableView* m_task = nullptr;
    TableView* m_message = nullptr;
    TableView* m_created = nullptr;
    Watch<SelectedFactsQuestion> m_reading;
    Watch<CreatedQuestion> m_loading;
    Watch<CallMembersQuestion> m_members;
};

}  // namespace longpole
