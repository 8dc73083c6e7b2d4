// SPDX-License-Identifier: GPL-3.0-or-later
// The profile of the critical path by entry method, chare, PE or object: each with its share of the path beside its
// share of all work. Choosing a row shows its longest part of the path.
#pragma once

#include "analysis/statistics/sharequestions.h"
#include "views/state/watch.h"
#include "views/widgets/tableview.h"

#include <memory>
#include <vector>

class QComboBox;

namespace longpole {

// Two shares of one whole, "12.3 / < 0.1 %".
QString sharePair(double first, double second);

class ViewState;

class PathShareTable : public TableView {
    Q_OBJECT
public:
    explicit PathShareTable(ViewState& state, QWidget* parent = nullptr);

    // Chooses what the profile is by; to be placed above the table by who uses it.
    QComboBox& selector() { return *m_selector; }
    ProfileBy by() const { return m_by; }
    void setBy(ProfileBy by);
    bool isComputing() const { return m_job.isRunning(); }

Q_SIGNALS:
    // What is being computed, or why there are no rows; empty: neither.
    void noticeChanged(const QString& text);

protected:
    void changeEvent(QEvent* event) override;

private:
    using Rows = std::vector<PathShare>;

    void refresh();
    void compute();
    void fill(std::shared_ptr<const Rows> rows);
    void revealLongest(std::size_t row);
    void tellProgress();

    ViewState& m_state;
    QComboBox* m_selector;
    ProfileBy m_by = ProfileBy::Entry;
    std::shared_ptr<const Rows> m_rows;
    Watch<PathSharesQuestion> m_job;
    QTimer m_poll;
};

}  // namespace longpole
