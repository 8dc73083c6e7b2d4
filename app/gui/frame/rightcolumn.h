// SPDX-License-Identifier: GPL-3.0-or-later
// The column at the right: pages of which one shows, and a button that folds the column.
#pragma once

#include <QFrame>

#include <vector>

class QHBoxLayout;
class QPushButton;
class QStackedWidget;

namespace longpole {

class RightColumn : public QFrame {
    Q_OBJECT
public:
    explicit RightColumn(QWidget* parent = nullptr);

    void addPage(const QString& title, const QString& tip, QWidget* page);
    int current() const;
    void showPage(int page);

Q_SIGNALS:
    void pageChosen(int page);  // by a click on its name
    void foldRequested();

private:
    QHBoxLayout* m_names;
    QStackedWidget* m_pages;
    std::vector<QPushButton*> m_tabs;
};

}  // namespace longpole
