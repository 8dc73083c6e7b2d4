// SPDX-License-Identifier: GPL-3.0-or-later
// Widgets as a user finds them: by what they are and what they are called, wherever a panel keeps them.
#pragma once

#include <QComboBox>
#include <QLineEdit>
#include <QList>
#include <QString>
#include <QVariant>
#include <QWidget>

namespace longpole::test {

// What a screen reader says, else what stands on it.
inline QString nameOf(const QWidget& widget)
{
    if (!widget.accessibleName().isEmpty()) return widget.accessibleName();
    return widget.property("text").toString().remove(QLatin1Char('&'));
}

// The one widget of that kind below `in` that is called `name`; empty: the only one of its kind. The test ends where
// there is none, and where there are several.
template <typename Widget>
Widget& seen(const QWidget& in, const char* name = "")
{
    QList<Widget*> found = in.findChildren<Widget*>();
    if (name[0]) found.removeIf([name](const Widget* one) { return nameOf(*one) != QString::fromUtf8(name); });
    if (found.size() != 1)
        qFatal("%d widgets are a %s called \"%s\"", int(found.size()), Widget::staticMetaObject.className(), name);
    return *found.front();
}

// Chooses that text, as hands do.
inline void choose(QComboBox& box, const QString& text)
{
    const int index = box.findText(text);
    if (index < 0) qFatal("\"%s\" has no choice \"%s\"", qPrintable(nameOf(box)), qPrintable(text));
    box.setCurrentIndex(index);
    Q_EMIT box.activated(index);
}

// Writes that text in place of what is there, and leaves the field.
inline void fill(QLineEdit& field, const QString& text)
{
    field.setText(text);
    Q_EMIT field.editingFinished();
}

}  // namespace longpole::test
