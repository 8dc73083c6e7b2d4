// SPDX-License-Identifier: GPL-3.0-or-later
// What a view shows and how to read it, as a sheet over the window (F1 over the view, or the ? of its strip).
#pragma once

#include "app/gui/frame/overlay.h"

class QLabel;

namespace longpole {

class ViewHelp : public Overlay {
    Q_OBJECT
public:
    explicit ViewHelp(QWidget* window);

    void show(const QString& title, const QString& tip, const QString& help);

protected:
    QSize wanted() const override;

private:
    QLabel* m_title;
    QLabel* m_tip;
    QLabel* m_help;
};

}  // namespace longpole
