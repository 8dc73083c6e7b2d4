// SPDX-License-Identifier: GPL-3.0-or-later
// The buttons in the strip above the second timeline: whether it is locked to the first, and how times are aligned.
#pragma once

#include <QWidget>

class QPushButton;

namespace longpole {

class SecondTrace;

class SecondStrip : public QWidget {
    Q_OBJECT
public:
    // `second` outlives it.
    explicit SecondStrip(SecondTrace& second, QWidget* parent = nullptr);

    QPushButton& lock() { return *m_lock; }
    QPushButton& byTime() { return *m_byTime; }
    QPushButton& byPhase() { return *m_byPhase; }

private:
    QPushButton* add(const QString& text, const QString& tip);
    void follow();

    SecondTrace& m_second;
    QPushButton* m_lock;
    QPushButton* m_byTime;
    QPushButton* m_byPhase;
};

}  // namespace longpole
