// SPDX-License-Identifier: GPL-3.0-or-later
// longpole open, and longpole TRACE: replaces this process by the desktop program.
#include "app/commandline/commandline.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include <unistd.h>

namespace longpole {

namespace {

// Looks beside this program (installed), one folder below it (build tree), and in PATH. Empty if it is not found.
QString desktopProgram()
{
    const QString name = QStringLiteral("longpole-gui");
    const QString here = QCoreApplication::applicationDirPath();
    for (const QString& place :
         {QString(here + QLatin1Char('/') + name), QString(here + QStringLiteral("/gui/") + name)})
        if (QFileInfo(place).isExecutable() && QFileInfo(place).isFile()) return place;
    return QStandardPaths::findExecutable(name);
}

bool hasDisplay()
{
    return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY")
           || qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

ExitCode runOpen(const CommandLine& line)
{
    const QString trace = line.arguments.front();
    if (!QFileInfo::exists(trace)) return fail({tr("There is no such file or folder."), trace, {}});
    const QString program = desktopProgram();
    if (program.isEmpty())
        return fail({tr("The desktop program longpole-gui is not installed."), tr("beside longpole and in PATH"),
                     tr("Use 'longpole report TRACE -o FILE.html', or build it with -DLONGPOLE_GUI=ON.")});
    if (!hasDisplay())
        return fail({tr("There is no display to open a window on."), QStringLiteral("DISPLAY, WAYLAND_DISPLAY"),
                     tr("Use 'longpole report TRACE -o FILE.html' here.")});
    QByteArray name = QFile::encodeName(program);
    QByteArray argument = QFile::encodeName(trace);
    char* const arguments[] = {name.data(), argument.data(), nullptr};
    ::execv(name.constData(), arguments);
    return fail({tr("The desktop program cannot be started: %1.").arg(qt_error_string(errno)), program, {}});
}

constexpr CommandExample openExamples[] = {
    {"longpole open jacobi2d.sts", "the run in a window"},
};

}  // namespace

extern const Command openCommand;  // commands.cpp lists it
const Command openCommand{
    .name = "open",
    .arguments = "TRACE",
    .summary = "open the desktop program",
    .description = "Starts longpole-gui on the trace. 'longpole TRACE' does the same.",
    .minArguments = 1,
    .maxArguments = 1,
    .isOpenEnded = true,
    .examples = openExamples,
    .run = runOpen,
};

}  // namespace longpole
