// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/memoryoption.h"

#include "core/base/memory.h"
#include "core/base/translate.h"

#include <algorithm>

namespace longpole {

std::optional<std::int64_t> takeMemory(QStringList& arguments, std::int64_t without)
{
    std::optional<std::int64_t> memory = without;
    const qsizetype end = std::max<qsizetype>(0, arguments.indexOf(QStringLiteral("--")));
    for (qsizetype i = 0; i < (end > 0 ? end : arguments.size());) {
        const QString argument = arguments[i];
        const bool isApart = argument == QLatin1String("--memory");
        if (!isApart && !argument.startsWith(QLatin1String("--memory="))) {
            ++i;
            continue;
        }
        memory = memorySize(isApart ? arguments.value(i + 1) : argument.section(u'=', 1));
        arguments.remove(i, std::min<qsizetype>(isApart ? 2 : 1, arguments.size() - i));
        if (!memory) break;
    }
    return memory;
}

QString memoryUsage() { return tr("--memory takes a size from 64M on, such as 512M or 4G"); }

}  // namespace longpole
