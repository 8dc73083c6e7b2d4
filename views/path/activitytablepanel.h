// SPDX-License-Identifier: GPL-3.0-or-later
// The activity table of one PE. A click on a row's "from" shows the row, maybe of another PE, that the longest path
// into it comes from.
#pragma once

#include "analysis/paths/taskquestions.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

#include <memory>
#include <optional>

class QLineEdit;

namespace longpole {

class TableView;
class ViewState;

class ActivityTablePanel : public ComputedPanel {
    Q_OBJECT
public:
    explicit ActivityTablePanel(ViewState& state, QWidget* parent = nullptr);
    ~ActivityTablePanel() override;

    ProcessorId processor() const { return m_pe; }
    void setProcessor(ProcessorId pe);
    // Shows the row of a prefix, in the table of its PE.
    void showPrefix(PrefixId prefix);

    TableView& table() { return *m_table; }
    QLineEdit& field() { return *m_field; }
    std::shared_ptr<const ActivityTable> content() const { return m_content; }  // null while there is none

protected:
    bool begin() override;
    void stop() override { m_job.cancel(); }
    double fraction() const override { return m_job.fraction(); }
    void clear() override;
    void changeEvent(QEvent* event) override;

private:
    using Answer = Watch<ActivityTableQuestion>::Answer;

    void createWidgets();
    void accept(const Answer& answer);
    void readField();
    void showContent();
    void followSelection();
    void showWanted();
    void goTo(ProcessorId pe);
    void reveal(std::size_t row);
    void goBack(std::size_t row);  // shows the row that the path into this row's task comes from
    std::optional<std::size_t> currentRow() const;

    ViewState& m_state;
    QLineEdit* m_field;
    TableView* m_table;
    ProcessorId m_pe{};
    EdgeLevel m_level = EdgeLevel::Order;
    // What to show once the table is computed: a row, whose task all views then show, or else the row of a task's end.
    std::optional<std::int64_t> m_wantedRow;
    TaskId m_wantedTask;
    std::shared_ptr<const ActivityTable> m_content;
    Watch<ActivityTableQuestion> m_job;
};

}  // namespace longpole
