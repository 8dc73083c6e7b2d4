// SPDX-License-Identifier: GPL-3.0-or-later
// The sheet "About this trace": what it is, and what is held in memory of it, the largest answers by name.
#pragma once

#include "analysis/results/results.h"
#include "app/gui/frame/overlay.h"

#include <memory>

class QLabel;

namespace longpole {

class TraceSheet : public Overlay {
    Q_OBJECT
public:
    explicit TraceSheet(QWidget* window);

    void openFor(const Results& results);

private:
    QLabel* m_name;
    QLabel* m_memory;   // how much is held in all
    QLabel* m_answers;  // the largest answers, a line each
};

// "activity graph: 12.3 MB", largest first. Answers to one kind of question are added up, those beyond `most` kinds are
// one line.
QStringList heldLines(const Results& results, std::size_t most);

}  // namespace longpole
