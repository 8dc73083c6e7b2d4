// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/notice.h"

#include "core/base/translate.h"

#include <QApplication>
#include <QClipboard>
#include <QWidget>

#include <algorithm>

namespace longpole {

QEvent::Type Notice::kind()
{
    static const int registered = registerEventType();
    return static_cast<Type>(registered);
}

void tell(QWidget& from, const QString& text, const QString& file)
{
    Notice notice(text, file);
    for (QWidget* around = &from; around; around = around->parentWidget()) {
        notice.ignore();
        QApplication::sendEvent(around, &notice);
        if (notice.isAccepted()) return;
    }
}

QString pastedCell(const QString& text)
{
    static const QString signs = QStringLiteral("=+-@\uff1d\uff0b\uff0d\uff20");
    if (text.isEmpty() || !signs.contains(text.front())) return text;
    const auto isOfFigure = [](QChar c) { return c.isLetterOrNumber() || c.isSpace() || c == u'.' || c == u'%'; };
    const bool isEqual = text.front() == u'=' || text.front() == u'\uff1d';
    if (!isEqual && std::all_of(text.begin() + 1, text.end(), isOfFigure)) return text;
    return u'\'' + text;
}

void copyText(QWidget& from, const QString& text, const QString& what)
{
    QApplication::clipboard()->setText(text);
    tell(from, tr("Copied: %1.").arg(what));
}

}  // namespace longpole
