// SPDX-License-Identifier: GPL-3.0-or-later
// What a view shows while it has nothing: what would be here, and one button that leads to it.
#pragma once

#include <QWidget>

class QPushButton;

namespace longpole {

class EmptyState : public QWidget {
    Q_OBJECT
public:
    EmptyState(const QString& text, const QString& button, QWidget* parent = nullptr);

    QPushButton& button() { return *m_button; }

Q_SIGNALS:
    void pressed();

private:
    QPushButton* m_button;
};

}  // namespace longpole
