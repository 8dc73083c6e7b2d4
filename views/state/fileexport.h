// SPDX-License-Identifier: GPL-3.0-or-later
// A file that a panel asks the window to write while one works on: how, and what is said when it is there.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"

#include <QString>

#include <functional>

namespace longpole {

struct FileExport {
    QString path{};
    std::function<Result<>(const Progress&)> write{};  // on a thread of its own
    QString written{};                                 // "The report is in run.html."
};

}  // namespace longpole
