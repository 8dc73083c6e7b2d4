// SPDX-License-Identifier: GPL-3.0-or-later
// longpole upgrade: a .longpole file of an older version becomes one of this version.
#include "core/store/upgrade.h"
#include "analysis/base/naming.h"
#include "app/commandline/commandline.h"
#include "app/common/sidefiles.h"
#include "app/common/sourcefiles.h"
#include "app/output/output.h"

#include <QFileInfo>

namespace longpole {

namespace {

struct AskedBy {
    AnswerTable table;
    const char* command;
};
// What a user asks for a table with, of the tables that older versions did not have.
constexpr AskedBy commandsOfTables[] = {
    {AnswerTable::ElapsedStep, "critical-path --mode elapsed"},
    {AnswerTable::Cause, "waits --causes"},
    {AnswerTable::NearPath, "near-critical"},
    {AnswerTable::Loop, "phases"},
    {AnswerTable::Advice, "advise"},
    {AnswerTable::Advice, "tree"},
    {AnswerTable::RegionCall, "profile"},
};

QString upgradeText(const QString& file, const Upgrade& upgrade)
{
    const QString name = QFileInfo(file).fileName();
    if (!upgrade.isNeeded()) return tr("%1 is a file of this version already").arg(name);
    QString text = tr("%1 is a file of this version now: schema %2, it was %3")
                       .arg(name, QString::number(upgrade.to), QString::number(upgrade.from));
    QStringList commands;
    for (const AskedBy& one : commandsOfTables)
        if (upgrade.lacking[static_cast<std::size_t>(one.table)]) commands << QLatin1String(one.command);
    if (!commands.isEmpty())
        text +=
            QLatin1Char('\n')
            + tr("It has no answer to what its version did not compute: %1.\n'longpole analyze' of the recording has.")
                  .arg(commands.join(tr(", ")));
    return text;
}

ExitCode say(const QString& text)
{
    auto output = Output::open({});
    output->write(QString(text + QLatin1Char('\n')));
    const Result<> finished = output->finish();
    return finished ? ExitCode::Fine : fail(finished.error());
}

ExitCode runUpgrade(const CommandLine& line)
{
    const QString source = line.arguments.front();
    const bool isInPlace = !line.has("o");
    const QString target = isInPlace ? source : line.output.name;
    if (isInPlace) {
        if (!QFileInfo::exists(source)) return fail({tr("There is no such file or folder."), source, {}});
        if (const Result<> writable = checkWritable(source, {}); !writable) return fail(writable.error());
    }
    const Result<Upgrade> found = findUpgrade(source);
    if (!found) return fail(found.error());
    if (!isInPlace) writeWithRightsOf(source, target);
    if (found->isNeeded() || !isInPlace) {
        const Result<Upgrade> done = withProgress(tr("Upgrading %1").arg(QFileInfo(source).fileName()),
                                                  [&](const Progress& progress) {
                                                      return upgradeTrace(source, target, progress, carrySideFile);
                                                  });
        if (!done) return fail(done.error());
        return say(upgradeText(target, *done));
    }
    return say(upgradeText(source, *found));
}

constexpr CommandOption upgradeOptions[] = {
    {"o", "FILE", "write FILE, which gets the ending .longpole, and leave the old file as it is", nullptr, "longpole"},
};

constexpr CommandExample upgradeExamples[] = {
    {"longpole upgrade run.longpole", "a file that an older Longpole made, to be opened by this one"},
    {"longpole upgrade run.longpole -o newer.longpole", "the same, and keep the file that there was"},
};

}  // namespace

extern const Command upgradeCommand;  // commands.cpp lists it
const Command upgradeCommand{
    .name = "upgrade",
    .arguments = "FILE",
    .summary = "make a .longpole file of an older version one of this version",
    .description =
        R"(Converts a .longpole file that an older Longpole made, when its logs are gone or too large to be read again. The new
file takes the place of the old one when it is complete and was verified as a file is that is opened; with -o the old
one stays. Your bookmarks go along. A trace with all events answers all questions then. Of a trace of parts of a run
(longpole analyze --keep) what its version did not compute stays unanswered, which is said. Files of schemas before 10
are not converted.)",
    .minArguments = 1,
    .maxArguments = 1,
    .options = upgradeOptions,
    .examples = upgradeExamples,
    .run = runUpgrade,
};

}  // namespace longpole
