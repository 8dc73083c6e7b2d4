// SPDX-License-Identifier: GPL-3.0-or-later
// The left column: the places of the window, the views of the open one by their questions, some with a count, and the
// bookmarks.
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

    // The entries added after it are its own: they show while it is open.
    QPushButton* addPlace(const QString& id, const QString& text, std::function<void()> chosen);
    void openPlace(const QString& id);  // and folds the others
    QString openedPlace() const { return m_opened; }
    // `id`: of the entry in setCount and setCurrent.
    QPushButton* addEntry(const QString& id, const QString& text, std::function<void()> chosen);
    // In the accent's colour if `isFinding`: there is something to do.
    void setCount(const QString& id, const QString& count, bool isFinding = false) const;
    void setCurrent(const QString& id, bool current) const;

    QPushButton* find(const QString& id) const;  // of a place or an entry; null if there is none

    // Times count from `zero`.
    void setBookmarks(const std::vector<Bookmark>& bookmarks, TimeNs zero);

Q_SIGNALS:
    void bookmarkChosen(int index);
    void bookmarkRenamed(int index, const QString& note);
    void bookmarkRemoved(int index);

private:
    void editNote(int index, QWidget* row, const QString& note);

    QPushButton* add(const QString& name, const QString& id, const QString& text, std::function<void()> chosen);

    QVBoxLayout* m_entries;
    QString m_adding;  // the place to which addEntry adds
    QString m_opened;
    QVBoxLayout* m_bookmarks;
};

}  // namespace longpole
