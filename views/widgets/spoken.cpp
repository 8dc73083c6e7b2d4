// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/spoken.h"

#include <QAccessibleWidget>
#include <QVariant>
#include <QWidget>

namespace longpole {
namespace {

constexpr char roleProperty[] = "spokenRole";

// Qt asks for each class of the object, from its own down to QObject, until somebody answers.
QAccessibleInterface* spokenWidget(const QString&, QObject* object)
{
    if (!object || !object->isWidgetType()) return nullptr;
    const QVariant role = object->property(roleProperty);
    if (!role.isValid()) return nullptr;
    return new QAccessibleWidget(static_cast<QWidget*>(object), static_cast<QAccessible::Role>(role.toInt()));
}

}  // namespace

void speakAs(QWidget& widget, QAccessible::Role role)
{
    static const bool isInstalled = (QAccessible::installFactory(spokenWidget), true);
    static_cast<void>(isInstalled);
    widget.setProperty(roleProperty, static_cast<int>(role));
}

}  // namespace longpole
