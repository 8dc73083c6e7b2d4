// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/sidefiles.h"

#include "app/common/keptfile.h"
#include "app/common/userfolders.h"
#include "core/base/translate.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>

namespace longpole {

namespace {

QString fileIn(UserFolder folder, const QString& name)
{
    return pathOf(folder) % QLatin1String("/side/") % name % QLatin1String(".json");
}

// By what the trace itself tells: the same wherever its files lie and whoever imports them, and while a run that is
// followed goes on. Runs without a time of day are told apart by their length and tasks as well.
QString nameOfRun(const TraceInfo& info)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    const auto add = [&hash](const QString& value) { hash.addData(QByteArray(value.toUtf8() + '\n')); };
    for (const QString& text : {info.program, info.commandline, info.hostname, info.timestamp}) add(text);
    for (const std::int64_t number : {info.processors, info.begin}) add(QString::number(number));
    if (info.timestamp.isEmpty())
        for (const std::int64_t number : {info.end, info.tasks}) add(QString::number(number));
    return QString::fromLatin1(hash.result().toHex().left(32));
}

// Replaces nothing. That there is nothing to copy is no error.
Result<> copyToNew(const QString& from, const QString& to)
{
    const Result<std::optional<QByteArray>> bytes = bytesOfKeptFile(from);
    if (!bytes) return bytes.error();
    if (!*bytes || QFile::exists(to)) return Unit{};
    return writeKeptFile(to, **bytes);
}

}  // namespace

QString sideFilePath(const TraceStore& trace)
{
    const TraceInfo& info = trace.info();
    return fileIn(UserFolder::Kept, info.fingerprint.isEmpty() ? trace.stamp() : nameOfRun(info));
}

Result<> carrySideFile(const Upgrade& upgrade)
{
    if (upgrade.stampBefore == upgrade.stampAfter || upgrade.stampBefore.isEmpty()) return Unit{};
    for (const UserFolder folder : {UserFolder::Kept, UserFolder::Cache}) {
        if (!checkFolder(folder)) continue;
        if (const Result<> copied = copyToNew(fileIn(folder, upgrade.stampBefore), fileIn(folder, upgrade.stampAfter));
            !copied)
            return Error{tr("The bookmarks could not be saved: %1").arg(copied.error().what), copied.error().where,
                         tr("Check the rights of the folder and the free space.")};
    }
    return Unit{};
}

void takeEarlierSideFile(const TraceStore& trace)
{
    const QString earlier = fileIn(UserFolder::Cache, trace.stamp()), path = sideFilePath(trace);
    if (!checkFolder(UserFolder::Cache) || !QFile::exists(earlier) || QFile::exists(path)) return;
    if (!makeFolder(UserFolder::Kept) || !QDir().mkpath(pathOf(UserFolder::Kept) + QLatin1String("/side"))) return;
    static_cast<void>(copyToNew(earlier, path));
}

}  // namespace longpole
