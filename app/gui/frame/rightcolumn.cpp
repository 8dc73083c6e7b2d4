// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/rightcolumn.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace longpole {

RightColumn::RightColumn(QWidget* parent) : QFrame(parent), m_names(new QHBoxLayout), m_pages(new QStackedWidget(this))
{
    setObjectName(QStringLiteral("rightPanel"));
    setMinimumWidth(200);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(6, 8, 6, 0);
    m_names->setSpacing(2);
    head->addLayout(m_names);
    auto* fold = new QToolButton(this);
    fold->setObjectName(QStringLiteral("flat"));
    fold->setText(QStringLiteral("×"));
    fold->setToolTip(tr("Fold this column"));
    fold->setAccessibleName(tr("Fold the right column"));
    connect(fold, &QToolButton::clicked, this, &RightColumn::foldRequested);
    head->addStretch();
    head->addWidget(fold);
    layout->addLayout(head);
    layout->addWidget(m_pages, 1);
}

void RightColumn::addPage(const QString& title, const QString& tip, QWidget* page)
{
    auto* tab = new QPushButton(title, this);
    tab->setObjectName(QStringLiteral("pageName"));
    tab->setCheckable(true);
    tab->setToolTip(tip);
    const int number = m_pages->addWidget(page);
    connect(tab, &QPushButton::clicked, this, [this, number] {
        showPage(number);
        Q_EMIT pageChosen(number);
    });
    m_names->addWidget(tab);
    m_tabs.push_back(tab);
    showPage(m_pages->currentIndex());
}

int RightColumn::current() const { return m_pages->currentIndex(); }

void RightColumn::showPage(int page)
{
    m_pages->setCurrentIndex(page);
    for (int i = 0; i < static_cast<int>(m_tabs.size()); ++i)
        m_tabs[static_cast<std::size_t>(i)]->setChecked(i == page);
}

}  // namespace longpole
