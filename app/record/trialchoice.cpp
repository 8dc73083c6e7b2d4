// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/record/trialchoice.h"

#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QDir>
#include <QFileInfo>
#include <QProcess>

#include <algorithm>

namespace longpole {

QString trialChange(const TrialChoice& choice, bool withPriorities)
{
    QStringList changes = QProcess::splitCommand(choice.variables);
    if (withPriorities) changes << tr("the advised priorities");
    if (!choice.versus.trimmed().isEmpty()) changes << tr("'%1' instead").arg(choice.versus.simplified());
    return changes.join(tr(", "));
}

JsonValue toJson(const TrialChoice& choice)
{
    return {{"command", choice.command},     {"folder", choice.folder}, {"copied", choice.copied},
            {"variables", choice.variables}, {"versus", choice.versus}, {"priorities", choice.withPriorities},
            {"pairs", choice.pairs}};
}

TrialChoice trialChoiceFrom(const JsonValue& object)
{
    const auto flag = [&](const char* key, bool otherwise) {
        const JsonValue& value = memberOf(object, key);
        return value.is_boolean() ? value.get<bool>() : otherwise;
    };
    const TrialChoice usual;
    return {.command = textOf(object, "command"),
            .folder = textOf(object, "folder"),
            .copied = flag("copied", usual.copied),
            .variables = textOf(object, "variables"),
            .versus = textOf(object, "versus"),
            .withPriorities = flag("priorities", usual.withPriorities),
            .pairs = static_cast<int>(std::clamp<std::int64_t>(integerOf(object, "pairs", usual.pairs), 1,
                                                               mostTrialPairs))};
}

Result<QStringList> trialArguments(const TrialChoice& choice, const QString& priorities)
{
    const QStringList words = QProcess::splitCommand(choice.command);
    const QStringList versus = QProcess::splitCommand(choice.versus);
    if (words.isEmpty()) return Error{tr("Write the command that runs the program."), {}, {}};
    if (!QFileInfo(choice.folder).isDir()) return Error{tr("There is no such folder to run it in."), choice.folder, {}};
    QStringList arguments;
    for (const QString& variable : QProcess::splitCommand(choice.variables)) {
        if (variable.indexOf(QLatin1Char('=')) <= 0)
            return Error{tr("Variables are written NAME=VALUE."), variable, {}};
        arguments << QStringLiteral("--with") << variable;
    }
    if (!priorities.isEmpty())
        arguments << QStringLiteral("--with") << QStringLiteral("LONGPOLE_PRIORITIES=") + priorities;
    if (arguments.isEmpty() && (versus.isEmpty() || versus == words))
        return Error{tr("Say what changes: a variable, or another command."), {}, {}};
    arguments << QStringLiteral("--runs") << QString::number(choice.pairs);
    if (choice.copied) arguments << QStringLiteral("--in") << QDir(choice.folder).absolutePath();
    arguments << QStringLiteral("--json") << QStringLiteral("--follow") << QStringLiteral("--") << words;
    if (!versus.isEmpty()) arguments << QStringLiteral("--versus") << versus;
    return arguments;
}

QString trialSentence(const TrialChoice& choice, bool withPriorities)
{
    const QString change = trialChange(choice, withPriorities);
    const QString text = tr("Runs %1 times in %2: %3 without and %3 with %4, in turn.")
                             .arg(formatCount(std::int64_t{2} * choice.pairs), QDir::toNativeSeparators(choice.folder),
                                  formatCount(choice.pairs), change.isEmpty() ? tr("the change") : change);
    return choice.copied ? tr("%1 Each run has a copy of the folder.").arg(text) : text;
}

}  // namespace longpole
