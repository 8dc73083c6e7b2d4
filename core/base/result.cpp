// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/result.h"

namespace longpole {

QString toText(const Error& error)
{
    QString text = error.what;
    if (!error.where.isEmpty()) text += QStringLiteral(" (") + error.where + QStringLiteral(")");
    if (!error.hint.isEmpty()) text += QStringLiteral(" ") + error.hint;
    return text;
}

Error cancelledError(const QString& where)
{
    return {.what = QStringLiteral("cancelled"), .where = where, .hint = {}, .kind = ErrorKind::Cancelled};
}

}  // namespace longpole
