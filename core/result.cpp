#include "core/result.h"

namespace longpole {

QString toText(const Error& error)
{
    QString text = error.what;
    if (!error.where.isEmpty()) text += QStringLiteral(" (") + error.where + QStringLiteral(")");
    if (!error.hint.isEmpty()) text += QStringLiteral(" ") + error.hint;
    return text;
}

}  // namespace longpole
