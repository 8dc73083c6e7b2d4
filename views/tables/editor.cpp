// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/editor.h"

#include "core/base/translate.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <QUrl>

#include <algorithm>

namespace longpole {

namespace {

// Endings of what compilers read, of those that every desktop knows: whatever it opens these with, it does not run
// them. (Scripts it may run, and by endings that it does not know it goes by what stands in the file.)
bool isCompiled(const QString& file)
{
    static constexpr const char* endings[] = {"c",   "h", "cc",  "cpp", "cxx", "c++", "hh",  "hpp",
                                              "hxx", "f", "for", "f90", "f95", "rs",  "adb", "ads"};
    const QString ending = QFileInfo(file).suffix().toLower();
    return std::any_of(std::begin(endings), std::end(endings),
                       [&](const char* known) { return ending == QLatin1String(known); });
}

// In one pass: a name with a percent sign in it is not read again.
QString filled(const QString& word, const QString& file, const QString& line, bool& hasFile)
{
    QString text;
    for (qsizetype i = 0; i < word.size(); ++i) {
        const QChar next = i + 1 < word.size() && word[i] == QLatin1Char('%') ? word[i + 1] : QChar();
        const bool isFile = next == QLatin1Char('f');
        if (isFile) text += file;
        else if (next == QLatin1Char('l')) text += line;
        else if (next == QLatin1Char('%')) text += next;
        else {
            text += word[i];
            continue;
        }
        hasFile = hasFile || isFile;
        ++i;
    }
    return text;
}

Error notOpened(const QString& what, const QString& where)
{
    return Error{what, where, tr("Choose another editor: Sources and editor …, in the view of the source.")};
}

}  // namespace

QStringList editorExamples()
{
    return {QStringLiteral("code -g %f:%l"),
            QStringLiteral("emacsclient -n +%l %f"),
            QStringLiteral("gvim --remote-silent +%l %f"),
            QStringLiteral("kate -l %l %f"),
            QStringLiteral("gedit +%l %f"),
            QStringLiteral("x-terminal-emulator -e vim +%l %f")};
}

Result<QStringList> editorWords(const QString& command, const QString& file, int line)
{
    QStringList words = QProcess::splitCommand(command);
    if (words.isEmpty() || words.front().isEmpty()) return notOpened(tr("There is no command for an editor."), command);
    bool hasFile = false;
    for (qsizetype i = 1; i < words.size(); ++i)
        words[i] = filled(words[i], file, QString::number(std::max(1, line)), hasFile);
    if (!hasFile) words.append(file);
    return words;
}

Result<> openInEditor(const QString& command, const QString& file, int line)
{
    // An absolute path never looks like an option.
    if (!file.startsWith(QLatin1Char('/')) || file.startsWith(QLatin1String("//")))
        return notOpened(tr("It is no file of this machine."), file);
    if (command.trimmed().isEmpty()) {
        if (!isCompiled(file))
            return notOpened(tr("Its name is not one of a source: the desktop might run it instead of showing it."),
                             file);
        if (QDesktopServices::openUrl(QUrl::fromLocalFile(file))) return Unit{};
        return notOpened(tr("The desktop has no program for it."), file);
    }
    Result<QStringList> words = editorWords(command, file, line);
    if (!words) return words.error();
    const QString program = QStandardPaths::findExecutable(words->takeFirst());
    if (program.isEmpty()) return notOpened(tr("The editor is not there."), command);
    if (!QProcess::startDetached(program, *words)) return notOpened(tr("The editor cannot be started."), command);
    return Unit{};
}

}  // namespace longpole
