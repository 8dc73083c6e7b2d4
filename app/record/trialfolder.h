// SPDX-License-Identifier: GPL-3.0-or-later
// The folder of one run that is tried: what it leaves lies there, and a copy of the user's folder where the run is to
// change that one only. All of it is removed afterwards.
#pragma once

#include "app/common/scratchfolder.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <QString>

namespace longpole {

class TrialFolder : public ScratchFolder {
public:
    // Below the current folder, where all ranks see it, wherever they run.
    TrialFolder();
    // Where the copy lies. Errors: it cannot be copied; cancelled.
    Result<QString> copyOf(const QString& folder, const Progress& progress) const;
};

}  // namespace longpole
