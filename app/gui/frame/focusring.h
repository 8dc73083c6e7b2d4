// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a frame around what Tab has led to, where nothing of its own shows that: tables, pages that scroll, pictures.
// Tab goes past what lies behind the tab of another view.
#pragma once

#include <QObject>
#include <QPointer>
#include <QWidget>

namespace longpole {

class FocusRing : public QObject {
    Q_OBJECT
public:
    explicit FocusRing(QWidget& window);  // for what is in it, as long as it lives

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget& m_window;
    QPointer<QWidget> m_frame;  // goes with what it is around
};

}  // namespace longpole
