// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/sharebar.h"

#include "views/widgets/tableview.h"

#include <QPainter>

namespace longpole {

ShareBar::ShareBar(double share, Role role, QWidget* parent) : QWidget(parent), m_share(share), m_role(role)
{
    setFixedHeight(5);
}

void ShareBar::paintEvent(QPaintEvent*)
{
    const Theme& theme = themeOf(*this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.line);
    painter.drawRoundedRect(QRectF(rect()), 2.5, 2.5);
    painter.setBrush(m_role == Role::Path ? theme.accent : theme.utilization);
    painter.drawRoundedRect(QRectF(0, 0, std::max(m_share * width(), 4.0), height()), 2.5, 2.5);
}

}  // namespace longpole
