// SPDX-License-Identifier: GPL-3.0-or-later
// The strip below the rows while tasks are filtered by how long they ran: says which pass, and ends the filter.
#pragma once

#include <QFrame>

class QLabel;
class QPushButton;

namespace longpole {

class ViewState;

class FilterBar : public QFrame {
    Q_OBJECT
public:
    explicit FilterBar(ViewState& state, QWidget* parent = nullptr);

private:
    void showFilter();

    ViewState& m_state;
    QLabel* m_text;
    QPushButton* m_clear;
};

// "tasks that ran 2.0 ms to 5.0 ms", "100 us or longer", "shorter than 3 us".
QString grainText(const ViewState& state);

}  // namespace longpole
