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

    bool isValid() const { return m_folder.isValid(); }
    QString errorString() const { return m_folder.errorString(); }
    QString filePath(const QString& name) const { return m_folder.filePath(name); }
    // Where the copy lies. Errors: it cannot be copied; cancelled.
    Result<QString> copyOf(const QString& folder, const Progress& progress) const;

private:
    QTemporaryDir m_folder;
};

}  // namespace longpole
