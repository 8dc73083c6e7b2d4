// SPDX-License-Identifier: GPL-3.0-or-later
// The path that shows, in one sentence above the timeline; a click opens a sheet with what the other paths would say,
// what each means, and the choice between them.
#pragma once

#include "analysis/paths/countedpath.h"
#include "views/state/watch.h"

#include <QFrame>

#include <array>
#include <vector>

class QLabel;
class QPushButton;
class QToolButton;

namespace longpole {

class Session;

class PathSheet : public QFrame {
    Q_OBJECT
public:
    explicit PathSheet(Session& session, QWidget* parent);

    // Asks for the paths and opens below `at`.
    void openBelow(const QWidget& at);

protected:
    bool event(QEvent* event) override;  // Esc closes it

private:
    struct Choice {
        PathMode mode;
        EdgeLevel edges;
        QPushButton* sentence = nullptr;
        Watch<CountedPathQuestion> asked{};
    };
    void ask(Choice& choice);

    Session& m_session;
    std::array<Choice, 4> m_choices;
};

class PathStrip : public QFrame {
    Q_OBJECT
public:
    explicit PathStrip(Session& session, QWidget* parent = nullptr);

    QToolButton& sentence() { return *m_sentence; }
    PathSheet& sheet() { return *m_sheet; }

private:
    void showPath();

    Session& m_session;
    QToolButton* m_sentence;
    PathSheet* m_sheet;
};

}  // namespace longpole
