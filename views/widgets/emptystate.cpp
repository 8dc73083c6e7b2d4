// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/emptystate.h"

#include "views/widgets/linklabel.h"

#include <QPushButton>
#include <QVBoxLayout>

namespace longpole {

EmptyState::EmptyState(const QString& text, const QString& button, QWidget* parent)
    : QWidget(parent), m_button(new QPushButton(button, this))
{
    constexpr int margin = 14, widest = 620;
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(margin, margin, margin, margin);
    layout->setSpacing(10);
    auto* label = new LinkLabel(QStringLiteral("muted"), this);
    label->setWords(text);
    label->setMaximumWidth(widest);
    layout->addWidget(label);
    layout->addWidget(m_button, 0, Qt::AlignLeft);
    layout->addStretch();
    connect(m_button, &QPushButton::clicked, this, &EmptyState::pressed);
}

}  // namespace longpole
