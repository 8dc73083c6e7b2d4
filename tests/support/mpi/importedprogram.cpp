// SPDX-License-Identifier: GPL-3.0-or-later
// Imports programs that tests have written by hand.
#include "importers/mpirows/trace.h"
#include "support/mpi/mpiprogram.h"

#include <QDir>

namespace longpole {

std::shared_ptr<const TraceStore> importedProgram(ScriptedMpi& program, const QString& folder, unsigned threads)
{
    const QString target = QDir(folder).filePath(QStringLiteral("program.longpole"));
    ImportOptions options;
    options.threads = threads;
    const auto report = importMpiRun(program, target, options, Progress{});
    if (!report) {
        qWarning("%s", qPrintable(toText(report.error())));
        return nullptr;
    }
    const auto store = TraceStore::open(target);
    if (!store) {
        qWarning("%s", qPrintable(toText(store.error())));
        return nullptr;
    }
    return *store;
}

}  // namespace longpole
