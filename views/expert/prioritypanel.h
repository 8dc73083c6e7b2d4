// SPDX-License-Identifier: GPL-3.0-or-later
// Whether it would help to run critical tasks first: the two conditions for that, what critical tasks waited for in
// the queue, and the entry methods on the path that priorities could separate, or why they cannot.
#pragma once

#include "views/expert/expertpanel.h"

class QScrollArea;
class QStackedWidget;
class QVBoxLayout;

namespace longpole {

class LinkLabel;
class PartBar;
class TableView;

class PriorityPanel : public ExpertPanel {
    Q_OBJECT
public:
    PriorityPanel(ViewState& state, QWidget* parent = nullptr);

    TableView& table() { return *m_table; }
    TableView& tried() { return *m_tried; }  // the priority schemes that were replayed
    LinkLabel& verdict() { return *m_verdict; }
    LinkLabel& afterIdle() { return *m_afterIdle; }
    LinkLabel& behindOthers() { return *m_behindOthers; }

protected:
    void showExpert() override;
    QString summary() const override { return {}; }

private:
    void createWidgets();
    void createTables();
    void showCondition(LinkLabel& label, const Condition& condition, const QString& what);
    template <typename Row>
    std::shared_ptr<const std::vector<Row>> listOf(std::vector<Row> SchedulingAnalysis::*list) const;
    void showWait();
    void showEntries();
    void showTried();
    void goToFirst(const Condition& condition);

    QScrollArea* m_scroll = nullptr;  // sentences and tables scroll where the panel is too low for all of them
    QVBoxLayout* m_page = nullptr;
    QWidget* m_about = nullptr;
    LinkLabel* m_verdict = nullptr;
    LinkLabel* m_afterIdle = nullptr;
    LinkLabel* m_behindOthers = nullptr;
    QWidget* m_waitBox = nullptr;
    PartBar* m_wait = nullptr;
    QStackedWidget* m_tables = nullptr;
    QWidget* m_choice = nullptr;  // chooses which of the two tables shows
    TableView* m_table = nullptr;
    TableView* m_tried = nullptr;
};

}  // namespace longpole
