// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/notice.h"

#include "core/base/translate.h"

#include <QApplication>
#include <QClipboard>
#include <QWidget>

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

void copyText(QWidget& from, const QString& text, const QString& what)
{
    QApplication::clipboard()->setText(text);
    tell(from, tr("Copied: %1.").arg(what));
}

}  // namespace longpole
