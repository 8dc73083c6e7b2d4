// SPDX-License-Identifier: GPL-3.0-or-later
// What the user has said of the program's sources: in which folders they lie, and which editor opens a line of them.
// Neither comes from a trace or a session.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

namespace longpole {

class SourceSettings : public QObject {
    Q_OBJECT
public:
    static constexpr int mostFolders = 16;

    using QObject::QObject;

    const QStringList& folders() const { return m_folders; }  // absolute, the first is looked into first
    const QString& editor() const { return m_editor; }  // a command, see editorWords(); empty: the desktop's choice
    // Keeps the first mostFolders, each once. Emits changed() if anything is another.
    void set(const QStringList& folders, const QString& editor);
    void addFolder(const QString& folder);  // in front of the others

Q_SIGNALS:
    void changed();

private:
    QStringList m_folders;
    QString m_editor;
};

}  // namespace longpole
