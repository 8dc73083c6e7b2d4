// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/result.h"

namespace longpole {

QString toText(const Error& error)
{
    QString text = error.what;
    const bool isSentence = text.endsWith(QLatin1Char('.'));
    if (!error.where.isEmpty()) {
        if (isSentence) text.chop(1);
        text += QStringLiteral(" (") + error.where + (isSentence ? QStringLiteral(").") : QStringLiteral(")"));
    }
    if (!error.hint.isEmpty())
        text += (isSentence || text.endsWith(QLatin1Char('?')) ? QStringLiteral(" ") : QStringLiteral(". "))
                + error.hint;
    return text;
}

Error cancelledError(const QString& where)
{
    return {.what = QStringLiteral("cancelled"), .where = where, .hint = {}, .kind = ErrorKind::Cancelled};
}

}  // namespace longpole
