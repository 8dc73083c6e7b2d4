// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows without a trace: a place to drop one, buttons to open one, to open the example and to learn how
// to record one, and the recent ones.
#pragma once

#include <QStringList>
#include <QWidget>

class QPushButton;
class QVBoxLayout;

namespace longpole {

class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(QWidget* parent = nullptr);

    void setRecent(const QStringList& paths);
    void setExample(const QString& path);  // empty: there is none to open

Q_SIGNALS:
    void openRequested();
    void recordRequested();  // how an MPI program is recorded
    void recentChosen(const QString& path);
    void exampleChosen(const QString& path);

private:
    QVBoxLayout* m_recent;
    QWidget* m_recentArea;
    QPushButton* m_example;
    QString m_examplePath;
};

}  // namespace longpole
