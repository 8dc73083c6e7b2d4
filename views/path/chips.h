// SPDX-License-Identifier: GPL-3.0-or-later
// Three small buttons: one says that the path is of a part of the run and leads back to the whole run's, one takes a
// second path away, and one asks for the path of the marked range.
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
    // "path of marked range"; hidden while nothing is marked, or the marked range's path is shown.
    QPushButton& marked() { return *m_marked; }
    // "near-critical path 3 · hide"; hidden while no second path is drawn beside the critical one.
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
