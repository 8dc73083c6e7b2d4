// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/common/folderfiles.h"

#include "core/base/mayneverend.h"

#include <QDir>

namespace longpole {
namespace {

// Of all kinds but hidden ones: for a choice of them Qt would ask what each link leads to.
QStringList namesIn(const QDir& folder)
{
    constexpr auto all = QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot;
    QStringList names = folder.entryList(all, QDir::Name);
    names.removeIf([](const QString& name) { return name.startsWith(QLatin1Char('.')); });
    return names;
}

template <typename Wanted>
QFileInfoList entriesIn(const QDir& folder, const Wanted& isWanted)
{
    QFileInfoList entries;
    for (const QString& name : namesIn(folder)) {
        const QString path = folder.absoluteFilePath(name);
        if (leadsToOtherHost(path)) continue;
        if (const QFileInfo entry(path); isWanted(entry)) entries += entry;
    }
    return entries;
}

}  // namespace

QFileInfoList filesIn(const QString& folder)
{
    return entriesIn(folder, [](const QFileInfo& entry) { return entry.isFile(); });
}

QFileInfoList foldersIn(const QString& folder)
{
    return entriesIn(folder, [](const QFileInfo& entry) { return entry.isDir(); });
}

QString linkToOtherHostIn(const QString& folder)
{
    const QDir dir(folder);
    for (const QString& name : namesIn(dir))
        if (const QString path = dir.absoluteFilePath(name); leadsToOtherHost(path)) return path;
    return {};
}

}  // namespace longpole
