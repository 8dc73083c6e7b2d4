// SPDX-License-Identifier: GPL-3.0-or-later
// The left column: the places of the window, the views of the open one by their questions, some with a count, and the
// bookmarks.
#pragma once

#include "app/gui/session/bookmarks.h"

#include <QFrame>
#include <QPointer>
#include <QString>

#include <functional>
#include <vector>

class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace longpole {

class Sidebar : public QFrame {
    Q_OBJECT
public:
    explicit Sidebar(QWidget* parent = nullptr);

    // Entries that are added from now on belong to this place, and show while it is open.
    QPushButton* addPlace(const QString& id, const QString& text, std::function<void()> chosen);
    void openPlace(const QString& id);  // folds the others
    // `id`: of the entry in setCount and setCurrent.
    QPushButton* addEntry(const QString& id, const QString& text, std::function<void()> chosen);
    // In the accent's colour if `isFinding`: there is something to do.
    void setCount(const QString& id, const QString& count, bool isFinding = false) const;
    void setCurrent(const QString& id, bool current) const;

    QPushButton* find(const QString& id) const;  // of a place or an entry; null if there is none

    // Times are shown since `zero`. Of very many bookmarks the first ones are listed.
    void setBookmarks(const std::vector<Bookmark>& bookmarks, TimeNs zero);
    // Ends the typing of a note, and keeps what has been typed.
    void finishEditing();

Q_SIGNALS:
    // `bookmark`: as it is listed; another window may have changed it since.
    void bookmarkChosen(const longpole::Bookmark& bookmark);
    void bookmarkRenamed(const longpole::Bookmark& bookmark, const QString& note);
    void bookmarkRemoved(const longpole::Bookmark& bookmark);

private:
    void addBookmark(const Bookmark& bookmark, TimeNs zero);
    void editNote(const Bookmark& bookmark, QWidget* row);

    QPushButton* add(const QString& name, const QString& id, const QString& text, std::function<void()> chosen);

    QVBoxLayout* m_entries;
    QString m_adding;  // the place to which addEntry adds
    QVBoxLayout* m_bookmarks;
    QPointer<QLineEdit> m_editor;  // of the note that is being typed
};

}  // namespace longpole
