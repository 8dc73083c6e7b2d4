// SPDX-License-Identifier: GPL-3.0-or-later
// The folder of one run that is tried: what it leaves lies there, and a copy of the user's folder where the run is to
// change that one only. All of it is removed afterwards.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"

#include <QString>
#include <QTemporaryDir>

namespace longpole {

class TrialFolder {
public:
    // Below the current folder, where all ranks see it, wherever they run.
    TrialFolder();
    TrialFolder(const TrialFolder&) = delete;
    TrialFolder& operator=(const TrialFolder&) = delete;
    ~TrialFolder();

    bool isValid() const { return m_descriptor >= 0; }
    QString errorString() const { return m_error; }
    // For this process and the one that it starts: leads into this folder also when it has lost its name, which whoever
    // may write in the current folder can give to another one.
    QString filePath(const QString& name) const;
    // For everybody else.
    QString namedPath(const QString& name) const { return m_folder.filePath(name); }
    // Where the copy lies. Errors: it cannot be copied; cancelled.
    Result<QString> copyOf(const QString& folder, const Progress& progress) const;

private:
    QTemporaryDir m_folder;
    QString m_error;
    int m_descriptor = -1;
};

}  // namespace longpole
