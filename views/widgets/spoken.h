// SPDX-License-Identifier: GPL-3.0-or-later
// What a screen reader says of a widget that paints itself: Qt knows the roles of its own widgets only.
#pragma once

#include <QAccessible>

class QWidget;

namespace longpole {

// Its name is the widget's accessibleName, as ever.
void speakAs(QWidget& widget, QAccessible::Role role);

}  // namespace longpole
