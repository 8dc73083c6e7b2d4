// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/sidefiles.h"

#include "app/common/tracecache.h"

#include <QFile>

namespace longpole {

QString sideFilePath(const QString& stamp)
{
    return cacheFolder() % QLatin1String("/side/") % stamp % QLatin1String(".json");
}

void carrySideFile(const QString& from, const QString& to)
{
    if (from == to || from.isEmpty() || to.isEmpty() || !checkCacheFolder()) return;
    QFile::copy(sideFilePath(from), sideFilePath(to));  // replaces nothing, and is there whole or not at all
}

}  // namespace longpole
