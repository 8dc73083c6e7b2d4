// SPDX-License-Identifier: GPL-3.0-or-later
// Says that the path is not the whole run's, or that another lies beside it, with the way back; and offers the path of
// the marked range.
#pragma once

#include "core/base/timerange.h"

#include <QPushButton>
#include <QWidget>

namespace longpole {

class ViewState;

class PathChips : public QWidget {
    Q_OBJECT
public:
    explicit PathChips(ViewState& state, QWidget* parent = nullptr);

    // "path to task 3:1207 · back to whole run"; hidden while the whole run's path is asked for.
    QPushButton& back() { return *m_back; }
    // "path of marked range"; hidden while there is no mark, or its path is shown.
    QPushButton& marked() { return *m_marked; }
    // "near-critical path 3 · hide": what lies beside the critical path.
    QPushButton& second() { return *m_second; }

Q_SIGNALS:
    void wholeRunRequested();
    void rangeRequested(longpole::TimeRange range);

private:
    void showChips();

    ViewState& m_state;
    QPushButton* m_back;
    QPushButton* m_marked;
    QPushButton* m_second;
};

}  // namespace longpole
