// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/quietcombos.h"

#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>

namespace longpole {

QuietCombos::QuietCombos(QObject* parent) : QObject(parent) { qApp->installEventFilter(this); }

bool QuietCombos::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress) return false;
    const auto* combo = qobject_cast<const QComboBox*>(watched);
    if (!combo || combo->isEditable()) return false;
    const QString text = static_cast<QKeyEvent*>(event)->text();
    return !text.isEmpty() && text.front().isPrint() && !text.front().isSpace();
}

}  // namespace longpole
