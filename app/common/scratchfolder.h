// SPDX-License-Identifier: GPL-3.0-or-later
// A folder of the user's alone for what is not to stay: empty at first, and gone with all that is in it. What is made
// and removed there goes by what is open, whoever gives its name to another folder meanwhile.
#pragma once

#include "app/common/openfolder.h"

#include <QString>

namespace longpole {

class ScratchFolder {
public:
    // Below a folder that is there; the name is the prefix and some letters.
    ScratchFolder(const QString& above, const QString& prefix);
    // Where temporary files belong: $TMPDIR, or /tmp.
    explicit ScratchFolder(const QString& prefix);
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder();

    bool isValid() const { return m_folder.isValid(); }
    QString errorString() const { return m_error; }
    // For this process, and as the working folder of those that it starts.
    QString path() const { return m_folder.path(); }
    QString filePath(const QString& name) const { return path() + QLatin1Char('/') + name; }
    // For everybody else.
    QString namedPath(const QString& name) const { return m_named + QLatin1Char('/') + name; }

private:
    void make(const QString& prefix);
    void remove() const;

    OpenFolder m_above, m_folder;
    QByteArray m_name;
    QString m_named;
    QString m_error;
};

}  // namespace longpole
