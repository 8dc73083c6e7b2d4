// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/sidefiles.h"

#include "app/common/userfolders.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>

namespace longpole {

namespace {

QString fileIn(UserFolder folder, const QString& name)
{
    return pathOf(folder) % QLatin1String("/side/") % name % QLatin1String(".json");
}

// The same for every import of a run.
QString nameOfRun(const TraceInfo& info)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    const auto add = [&hash](const QString& value) { hash.addData(QByteArray(value.toUtf8() + '\n')); };
    add(info.fingerprint);
    for (const std::int64_t number : {info.processors, info.begin, info.end}) add(QString::number(number));
    return QString::fromLatin1(hash.result().toHex().left(32));
}

}  // namespace

QString sideFilePath(const TraceStore& trace)
{
    const TraceInfo& info = trace.info();
    return fileIn(UserFolder::Kept, info.fingerprint.isEmpty() ? trace.stamp() : nameOfRun(info));
}

// QFile::copy() replaces nothing, and what it makes is there whole or not at all.
void carrySideFile(const QString& from, const QString& to)
{
    if (from == to || from.isEmpty() || to.isEmpty()) return;
    for (const UserFolder folder : {UserFolder::Kept, UserFolder::Cache})
        if (checkFolder(folder)) QFile::copy(fileIn(folder, from), fileIn(folder, to));
}

void takeEarlierSideFile(const TraceStore& trace)
{
    const QString earlier = fileIn(UserFolder::Cache, trace.stamp()), path = sideFilePath(trace);
    if (!checkFolder(UserFolder::Cache) || !QFile::exists(earlier) || QFile::exists(path)) return;
    if (!makeFolder(UserFolder::Kept) || !QDir().mkpath(pathOf(UserFolder::Kept) + QLatin1String("/side"))) return;
    QFile::copy(earlier, path);
}

}  // namespace longpole
