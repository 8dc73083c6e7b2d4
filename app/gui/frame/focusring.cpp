// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/focusring.h"

#include "views/widgets/tableview.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTimer>

namespace longpole {

namespace {

// Lies over all of a widget, and lets the mouse through.
class Frame : public QWidget {
public:
    explicit Frame(QWidget& around) : QWidget(&around)
    {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setAttribute(Qt::WA_NoSystemBackground);
        setFocusPolicy(Qt::NoFocus);
        setGeometry(around.rect());
        around.installEventFilter(this);
        show();
        raise();
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (watched == parent() && event->type() == QEvent::Resize) setGeometry(parentWidget()->rect());
        return false;
    }
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setPen(themeOf(*this).accent);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
};

// By the style sheet, or by itself.
bool showsFocusItself(const QWidget& widget)
{
    if (const auto* bar = qobject_cast<const QTabBar*>(&widget))
        return bar->rect().contains(bar->tabRect(bar->currentIndex()));  // else it has been scrolled away
    return qobject_cast<const QAbstractButton*>(&widget) || qobject_cast<const QComboBox*>(&widget)
           || qobject_cast<const QLineEdit*>(&widget) || qobject_cast<const QAbstractSpinBox*>(&widget)
           || qobject_cast<const QPlainTextEdit*>(&widget) || widget.objectName() == QLatin1String("adviceCard")
           || widget.objectName() == QLatin1String("timelineCanvas");
}

// A view behind the tab of another one is not hidden: it stands beside all that shows.
bool isBehindATab(const QWidget& widget)
{
    for (const QWidget* at = &widget; at && !at->isWindow(); at = at->parentWidget())
        if (qobject_cast<const QDockWidget*>(at)) return !at->parentWidget()->rect().intersects(at->geometry());
    return false;
}

// Presses the key again until it has led to what shows.
void goOn(int key)
{
    constexpr int most = 1000;  // presses: there are fewer views, and links in their texts
    for (int i = 0; i < most; ++i) {
        QWidget* const at = QApplication::focusWidget();
        if (!at || !isBehindATab(*at)) return;
        QKeyEvent press(QEvent::KeyPress, key, Qt::NoModifier);
        QCoreApplication::sendEvent(at, &press);
    }
}

}  // namespace

FocusRing::FocusRing(QWidget& window) : QObject(&window), m_window(window) { qApp->installEventFilter(this); }

// No frame after a click, which shows by itself where the focus is. While a menu or another window has the focus the
// frame stays, as the focus comes back to what it is around.
bool FocusRing::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::FocusIn && event->type() != QEvent::FocusOut) return false;
    auto* widget = qobject_cast<QWidget*>(watched);
    if (!widget || widget->window() != &m_window) return false;
    const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
    if (reason == Qt::ActiveWindowFocusReason || reason == Qt::PopupFocusReason) return false;
    delete m_frame;
    if (event->type() == QEvent::FocusOut || widget == &m_window) return false;
    const bool isByTab = reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason;
    if (isByTab && isBehindATab(*widget))
        QTimer::singleShot(0, this,
                           [key = reason == Qt::TabFocusReason ? Qt::Key_Tab : Qt::Key_Backtab] { goOn(key); });
    else if ((isByTab || reason == Qt::ShortcutFocusReason) && !showsFocusItself(*widget)) m_frame = new Frame(*widget);
    return false;
}

}  // namespace longpole
