// SPDX-License-Identifier: GPL-3.0-or-later
// The left column: entries for the views, some with a count, and the bookmarks.
#pragma once

#include "app/gui/session/bookmarks.h"

#include <QFrame>
#include <QString>

#include <functional>
#include <vector>

class QPushButton;
class QVBoxLayout;

namespace longpole {

class Sidebar : public QFrame {
    Q_OBJECT
public:
    explicit Sidebar(QWidget* parent = nullptr);

    void addHeading(const QString& text);
    // `id`: of the entry in setCount and setCurrent.
    QPushButton* addEntry(const QString& id, const QString& text, std::function<void()> chosen);
    // In the accent's colour if `isFinding`: there is something to do.
    void setCount(const QString& id, const QString& count, bool isFinding = false);
    void setCurrent(const QString& id, bool current);

    // Times count from `zero`.
    void setBookmarks(const std::vector<Bookmark>& bookmarks, TimeNs zero);

Q_SIGNALS:
    void bookmarkChosen(int index);
    void bookmarkRenamed(int index, const QString& note);
    void bookmarkRemoved(int index);

private:
    void editNote(int index, QWidget* row, const QString& note);

    QVBoxLayout* m_entries;
    QVBoxLayout* m_bookmarks;
};

}  // namespace longpole
