// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of Charm++ that are linked with the module, where LONGPOLE_CHARM names a Charm++ that was built.
#pragma once

#include "app/program.h"

#include <QDir>
#include <QFileInfo>
#include <QProcess>
#include <QString>
#include <QStringList>

namespace longpole::test {

// Whether the module is linked, or left out, to be preloaded.
enum class CharmLink { Module, Plain };

// Builds the module into `folder`/module, if it is not there yet, and `source`.ci and `source`.C with it. Returns the
// program; empty after an error, which is a warning then.
inline QString charmProgram(const Program& program, const QString& charm, const QString& folder, const QString& source,
                            const QStringList& linkOptions, CharmLink link = CharmLink::Module)
{
    const QString module = QDir(folder).filePath(QStringLiteral("module"));
    if (!QFileInfo::exists(module)) {
        QProcess build;
        program.start(build, {QStringLiteral("charm"), QStringLiteral("--build"), charm, QStringLiteral("-o"), module});
        if (!build.waitForFinished(600'000) || build.exitCode() != 0) {
            qWarning("%s", build.readAllStandardError().constData());
            return {};
        }
    }
    const QString name = QFileInfo(source).fileName();
    const QString work = QDir(folder).filePath(QStringLiteral("of-") + name + linkOptions.join(QLatin1Char('_')));
    QDir().mkpath(work);
    for (const char* ending : {".ci", ".C"})
        QFile::copy(source + QLatin1String(ending), QDir(work).filePath(name) + QLatin1String(ending));
    QStringList options = linkOptions;
    if (link == CharmLink::Module)
        options << QStringLiteral("-L'%1'").arg(module) << QStringLiteral("-module") << QStringLiteral("longpole")
                << QStringLiteral("-Wl,--wrap=CqsEnqueueGeneral");
    QProcess make;
    make.setWorkingDirectory(work);
    make.start(QStringLiteral("sh"),
               {QStringLiteral("-c"),
                QStringLiteral("%1/bin/charmc %2.ci && %1/bin/charmc -I'%3' -c %2.C && %1/bin/charmc -language charm++ "
                               "%2.o -o %2 %4")
                    .arg(charm, name, module, options.join(QLatin1Char(' ')))});
    if (!make.waitForFinished(600'000) || make.exitCode() != 0) {
        qWarning("%s", make.readAllStandardError().constData());
        return {};
    }
    return QDir(work).filePath(name);
}

}  // namespace longpole::test
