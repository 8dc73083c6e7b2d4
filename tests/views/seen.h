// SPDX-License-Identifier: GPL-3.0-or-later
// Widgets as a user finds them: by what they are and what they are called, wherever a panel keeps them.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QList>
#include <QPushButton>
#include <QString>
#include <QVariant>
#include <QWidget>

#include <algorithm>

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

// The button with that text; null: there is none.
inline QPushButton* buttonOf(const QWidget& in, const char* text)
{
    const QList<QPushButton*> all = in.findChildren<QPushButton*>();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [text](const QPushButton* one) { return one->text() == QString::fromUtf8(text); });
    return found == all.end() ? nullptr : *found;
}

// What stands on the labels below `in` that show, a line break before each and after the last.
inline QString shownText(const QWidget& in)
{
    QString text(QLatin1Char('\n'));
    for (const QLabel* label : in.findChildren<QLabel*>())
        if (label->isVisibleTo(&in)) text += label->text() + QLatin1Char('\n');
    return text;
}

// What is said to be wrong with what was typed; empty: nothing.
inline QString shownError(const QWidget& in)
{
    for (const QLabel* label : in.findChildren<QLabel*>(QStringLiteral("errorText")))
        if (label->isVisibleTo(&in)) return label->text();
    return {};
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
