// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/base/namepattern.h"

#include "core/base/translate.h"

namespace longpole {

Result<QRegularExpression> namePattern(const QString& text)
{
    constexpr auto options = QRegularExpression::CaseInsensitiveOption;
    const bool isRegex = text.size() > 2 && text.startsWith(QLatin1Char('/')) && text.endsWith(QLatin1Char('/'));
    if (!isRegex) return QRegularExpression(QRegularExpression::escape(text), options);
    // "(a+)+$" tries two to the power of a name's letters; this many take less than a tenth of a millisecond.
    const QString limit = QStringLiteral("(*LIMIT_MATCH=20000)");
    const QRegularExpression pattern(limit + text.mid(1, text.size() - 2), options);
    if (pattern.isValid()) return pattern;
    return Error{.what = tr("The regular expression is wrong at character %1: %2.")
                             .arg(pattern.patternErrorOffset() - limit.size() + 1)
                             .arg(pattern.errorString()),
                 .where = {},
                 .hint = {}};
}

}  // namespace longpole
