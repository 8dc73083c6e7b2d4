// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows without a trace: a place to drop one, a button to choose one, and the recent ones.
#pragma once

#include <QStringList>
#include <QWidget>

class QVBoxLayout;

namespace longpole {

class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(QWidget* parent = nullptr);

    void setRecent(const QStringList& paths);

Q_SIGNALS:
    void openRequested();
    void recentChosen(const QString& path);

private:
    QVBoxLayout* m_recent;
    QWidget* m_recentArea;
};

}  // namespace longpole
