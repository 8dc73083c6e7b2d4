// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the module that gives a Charm++ program priorities and its critical path while it runs, against the Charm++ of
// this machine.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"

#include <QString>
#include <QStringList>

namespace longpole {

// What gives a program the module; options are for a shell as they are.
struct CharmModule {
    QString library{};        // libmodulelongpole.a, by its whole path
    QStringList linkOptions;  // of charmc
    QString compileOption;    // of sources that include longpole.h
    QString preload{};        // what LD_PRELOAD names, where this Charm++ is built as shared libraries, too; else empty
    QString quotedPreload{};  // the same for a shell
};

// `charm`: the folder that was built, with bin/charmc, or charmc itself. The folder is made where it is missing.
// Errors: there is no charmc, the folder cannot be written, charmc failed (with the end of what it printed), cancelled.
Result<CharmModule> buildCharmModule(const QString& charm, const QString& folder, const Progress& progress);

}  // namespace longpole
