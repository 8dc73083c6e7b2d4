// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/viewhelp.h"

#include <QLabel>
#include <QVBoxLayout>

namespace longpole {

namespace {

constexpr int textWidth = 460;

}  // namespace

ViewHelp::ViewHelp(QWidget* window)
    : Overlay(window), m_title(new QLabel(this)), m_tip(new QLabel(this)), m_help(new QLabel(this))
{
    m_title->setObjectName(QStringLiteral("panelTitle"));
    m_tip->setObjectName(QStringLiteral("muted"));
    m_help->setObjectName(QStringLiteral("viewHelpText"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(22, 16, 22, 18);
    layout->setSpacing(8);
    for (QLabel* label : {m_title, m_tip, m_help}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setFixedWidth(textWidth);
        layout->addWidget(label);
    }
    m_help->setTextInteractionFlags(Qt::TextSelectableByMouse);
}

void ViewHelp::show(const QString& title, const QString& tip, const QString& help)
{
    close();  // it may show the help of another view
    m_title->setText(title);
    m_tip->setText(tip);
    m_help->setText(help);
    for (QLabel* label : {m_title, m_tip, m_help}) label->setFixedHeight(label->heightForWidth(textWidth));
    open();
}

QSize ViewHelp::wanted() const { return layout()->sizeHint(); }

}  // namespace longpole
