// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/runname.h"

#include "core/base/mayneverend.h"

#include <QDir>
#include <QFileInfo>
#include <QStringBuilder>
#include <QStringList>

#include <algorithm>

namespace longpole {

namespace {

QStringList foldersOf(const QString& path)
{
    const QString folder = QFileInfo(QDir::cleanPath(path)).absolutePath();
    return folder.split(QLatin1Char('/'), Qt::SkipEmptyParts);
}

// The name after its last `count` folders.
QString withFolders(const QString& path, qsizetype count)
{
    const QStringList folders = foldersOf(path);
    QStringList parts = folders.mid(std::max<qsizetype>(0, folders.size() - count));
    parts << runName(path);
    return parts.join(QLatin1Char('/'));
}

}  // namespace

QString runName(const QString& path)
{
    const QFileInfo file(QDir::cleanPath(path));
    return file.isDir() ? QDir(file.absoluteFilePath()).dirName() : file.completeBaseName();
}

QString runNameWithFolder(const QString& path)
{
    const QStringList folders = foldersOf(path);
    const QString name = runName(path);
    const bool saysMore = !QFileInfo(path).isDir() && !folders.isEmpty() && folders.last() != name;
    return saysMore ? withFolders(path, 1) : name;
}

QString recordedRunName(const QString& path)
{
    const QString name = QDir::cleanPath(path).section(QLatin1Char('/'), -1);
    const qsizetype dot = name.lastIndexOf(QLatin1Char('.'));
    return dot > 0 ? name.first(dot) : name;
}

QString recordedRunNameWithFolder(const QString& path)
{
    const QString folder = QDir::cleanPath(path).section(QLatin1Char('/'), -2, -2);
    const QString name = recordedRunName(path);
    return folder.isEmpty() || folder == name ? name : folder % QLatin1Char('/') % name;
}

bool recordedRunLiesUnder(const QString& path, const QString& folder)
{
    const QDir there(folder);
    const QString clean = QDir::cleanPath(path);
    const auto isUnder = [&clean](const QString& name) {
        return !name.isEmpty() && clean.startsWith(name.endsWith(u'/') ? name : name + QLatin1Char('/'));
    };
    return isUnder(there.absolutePath()) || isUnder(there.canonicalPath());
}

bool recordedRunLiesIn(const QString& path, const QString& folder)
{
    const QDir there(folder);
    const QString name = QDir::cleanPath(path).section(QLatin1Char('/'), -1);
    const QString place = QDir::cleanPath(path).chopped(name.size() + 1);
    return !place.isEmpty() && (place == there.absolutePath() || place == there.canonicalPath())
           && isFileHere(there.filePath(name));
}

std::pair<QString, QString> runNames(const QString& first, const QString& second)
{
    std::pair<QString, QString> names(runName(first), runName(second));
    const qsizetype most = std::max(foldersOf(first).size(), foldersOf(second).size());
    for (qsizetype count = 1; names.first == names.second && count <= most; ++count)
        names = {withFolders(first, count), withFolders(second, count)};
    if (names.first == names.second) names = {runName(first), runName(second)};
    return names;
}

}  // namespace longpole
