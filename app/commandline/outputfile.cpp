// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/outputfile.h"

#include "app/common/sourcefiles.h"
#include "core/base/namedfile.h"
#include "core/base/translate.h"
#include "importers/common/importer.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

#include <sys/stat.h>

namespace longpole {

namespace {

// Links, hard ones too, lead to the same file.
bool isSameFile(const QString& a, const QString& b)
{
    struct stat first {
    }, second{};
    return ::stat(QFile::encodeName(a).constData(), &first) == 0
           && ::stat(QFile::encodeName(b).constData(), &second) == 0 && first.st_dev == second.st_dev
           && first.st_ino == second.st_ino;
}

// A file of a raw trace that was named by its folder, or by another of its files; logs may be links to it.
bool isPartOf(const QString& file, const QString& input)
{
    const QFileInfo info(input);
    if (!info.exists() || !QFileInfo(file).isFile()) return false;
    const QStringList files = sourceFiles(input);
    if (std::any_of(files.begin(), files.end(), [&](const QString& read) { return isSameFile(file, read); }))
        return true;
    // Of a folder of several runs.
    const QString inside = (info.isDir() ? info.canonicalFilePath() : QFileInfo(info.canonicalFilePath()).path())
                           + QLatin1Char('/');
    if (!QFileInfo(file).canonicalFilePath().startsWith(inside)) return false;
    const Importer* importer = importerFor(file);
    return importer && (info.isDir() || importer == importerFor(input));
}

}  // namespace

bool isStandardStream(const QString& name)
{
    return name == QLatin1String("/dev/stdout") || name == QLatin1String("/dev/stderr");
}

Result<> checkWritable(const QString& name, const QStringList& inputs)
{
    if (isStandardStream(name)) return Unit{};
    const QFileInfo info(name);
    const QString elsewhere = tr("Name another file.");
    if (std::any_of(inputs.begin(), inputs.end(),
                    [&](const QString& input) { return isSameFile(name, input) || isPartOf(name, input); }))
        return Error{tr("This file is read by the same command, so it is not written."), name, elsewhere};
    if (Result<> may = checkReplaceable(name); !may) return may;
    if (!info.dir().exists())
        return Error{tr("The file cannot be written: there is no folder %1.").arg(info.path()), name,
                     tr("Make it first, or name another file.")};
    return Unit{};
}

Result<> checkApart(const QString& name, const QString& other)
{
    const auto place = [](const QString& file) {
        const QFileInfo info(file);
        return QDir(info.absoluteDir().canonicalPath()).filePath(info.fileName());
    };
    if (name.isEmpty() || other.isEmpty() || (!isSameFile(name, other) && place(name) != place(other))) return Unit{};
    if (isStandardStream(name)) return Unit{};
    return Error{tr("The same command writes two things to this file."), name,
                 tr("Name another file for one of them.")};
}

QString endingsInWords(const QStringList& endings)
{
    QStringList words;
    for (const QString& ending : endings) words << QLatin1Char('.') + ending;
    const QString last = words.takeLast();
    return words.isEmpty() ? last : tr("%1 or %2").arg(words.join(tr(", ")), last);
}

Result<OutputFile> withEnding(const QString& typed, const QStringList& endings, bool isFormatKnown, const QString& flag)
{
    if (typed.isEmpty()) return Error{tr("%1 needs the name of a file").arg(flag), {}, {}};
    const QString ending = QFileInfo(typed).suffix().toLower();
    if (endings.contains(ending)) return OutputFile{typed, ending, false};
    if (isFormatKnown) return OutputFile{typed, {}, false};
    if (isStandardStream(typed)) return OutputFile{typed, endings.front(), false};
    if (!ending.isEmpty())
        return Error{tr("%1 takes a file that ends in %2, not '%3'").arg(flag, endingsInWords(endings), typed), {}, {}};
    // A special file keeps its name, under which it is refused.
    if (const QFileInfo info(typed); info.exists() && !info.isFile()) return OutputFile{typed, endings.front(), false};
    const QString name = typed.endsWith(QLatin1Char('.')) ? typed : QString(typed + QLatin1Char('.'));
    return OutputFile{name + endings.front(), endings.front(), true};
}

}  // namespace longpole
