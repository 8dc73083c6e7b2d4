// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/sourcesettings.h"

#include <QDir>

namespace longpole {

void SourceSettings::set(const QStringList& folders, const QString& editor)
{
    QStringList kept;
    for (const QString& folder : folders) {
        const QString clean = QDir::cleanPath(folder);
        if (QDir::isAbsolutePath(clean) && !kept.contains(clean) && kept.size() < mostFolders) kept.append(clean);
    }
    const QString command = editor.trimmed();
    if (kept == m_folders && command == m_editor) return;
    m_folders = kept;
    m_editor = command;
    Q_EMIT changed();
}

void SourceSettings::addFolder(const QString& folder)
{
    QStringList folders = m_folders;
    folders.removeAll(QDir::cleanPath(folder));
    folders.prepend(folder);
    set(folders, m_editor);
}

}  // namespace longpole
