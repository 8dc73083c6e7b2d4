// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/shellword.h"

#include <algorithm>

namespace longpole {

QString quotedForShell(const QString& word)
{
    const auto isPlain = [](QChar c) { return c.isLetterOrNumber() || QStringLiteral("_-+=:,./@%").contains(c); };
    if (!word.isEmpty() && std::all_of(word.begin(), word.end(), isPlain)) return word;
    return QLatin1Char('\'') + QString(word).replace(QLatin1Char('\''), QStringLiteral("'\\''")) + QLatin1Char('\'');
}

}  // namespace longpole
