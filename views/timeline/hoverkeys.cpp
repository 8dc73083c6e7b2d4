// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/hoverkeys.h"

#include "views/timeline/canvas.h"
#include "views/timeline/gestures.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextEdit>

namespace longpole {

bool isTextFocused()
{
    const QWidget* focus = QApplication::focusWidget();
    if (!focus) return false;
    if (const auto* line = qobject_cast<const QLineEdit*>(focus)) return !line->isReadOnly();
    if (const auto* text = qobject_cast<const QPlainTextEdit*>(focus)) return !text->isReadOnly();
    if (const auto* text = qobject_cast<const QTextEdit*>(focus)) return !text->isReadOnly();
    if (const auto* combo = qobject_cast<const QComboBox*>(focus)) return combo->isEditable();
    return qobject_cast<const QAbstractSpinBox*>(focus) != nullptr;
}

HoverKeys::HoverKeys(TimelineCanvas& canvas) : QObject(&canvas), m_canvas(canvas) { qApp->installEventFilter(this); }

// Keys that mean nothing to tables and buttons; those that walk, open and close stay theirs.
bool HoverKeys::isOurs(const QKeyEvent& key) const
{
    if ((key.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) != 0) return false;
    switch (key.key()) {
    case Qt::Key_BracketLeft:
    case Qt::Key_BracketRight:
    case Qt::Key_Comma:
    case Qt::Key_Period: return true;
    default: return key.key() >= Qt::Key_A && key.key() <= Qt::Key_Z;
    }
}

bool HoverKeys::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress || !watched->isWidgetType() || watched == &m_canvas) return false;
    if (!m_canvas.isVisible() || !m_canvas.gestures().isUnderPointer()) return false;
    if (isTextFocused() || QApplication::activePopupWidget() || QApplication::activeModalWidget()) return false;
    auto& key = *static_cast<QKeyEvent*>(event);
    return isOurs(key) && m_canvas.gestures().key(key);
}

}  // namespace longpole
