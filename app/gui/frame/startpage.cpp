// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/startpage.h"

#include "core/base/translate.h"
#include "importers/common/formats.h"

#include <QFileInfo>
#include <QFrame>
#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace longpole {

StartPage::StartPage(QWidget* parent)
    : QWidget(parent), m_recent(new QVBoxLayout), m_recentArea(new QWidget(this)),
      m_example(new QPushButton(tr("Open the example"), this))
{
    auto* column = new QVBoxLayout;
    column->setSpacing(14);
    auto* head = new QHBoxLayout;
    head->setSpacing(14);
    auto* icon = new QLabel(this);
    icon->setPixmap(QIcon(QStringLiteral(":/icons/longpole.svg")).pixmap(56, 56));
    auto* title = new QLabel(tr("Longpole"), this);
    title->setObjectName(QStringLiteral("startTitle"));
    auto* purpose = new QLabel(tr("See why a parallel program is slow."), this);
    purpose->setObjectName(QStringLiteral("muted"));
    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    words->addWidget(title);
    words->addWidget(purpose);
    head->addWidget(icon);
    head->addLayout(words);
    head->addStretch();
    column->addLayout(head);

    auto* drop = new QFrame(this);
    drop->setObjectName(QStringLiteral("dropArea"));
    auto* dropLayout = new QVBoxLayout(drop);
    dropLayout->setContentsMargins(24, 28, 24, 28);
    dropLayout->setSpacing(12);
    auto* hint = new QLabel(tr("Drop a trace here, or the folder of a run: %1.").arg(longpole::tr(openedFormats)),
                            drop);
    hint->setAlignment(Qt::AlignCenter);
    hint->setWordWrap(true);
    auto* button = new QPushButton(tr("Open a trace …"), drop);
    connect(button, &QPushButton::clicked, this, &StartPage::openRequested);
    m_example->setToolTip(tr("A run of eight PEs that is slower than it should be: the tutorial looks at it"));
    connect(m_example, &QPushButton::clicked, this, [this] { Q_EMIT exampleChosen(m_examplePath); });
    auto* record = new QPushButton(tr("Record an MPI program …"), drop);
    record->setToolTip(tr("How a program is recorded, with one command in front of its own"));
    connect(record, &QPushButton::clicked, this, &StartPage::recordRequested);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(10);
    buttons->addStretch();
    for (QPushButton* each : {button, m_example, record}) buttons->addWidget(each);
    buttons->addStretch();
    dropLayout->addWidget(hint);
    dropLayout->addLayout(buttons);
    column->addWidget(drop);

    auto* recentLayout = new QVBoxLayout(m_recentArea);
    recentLayout->setContentsMargins(0, 6, 0, 0);
    recentLayout->setSpacing(2);
    auto* recentTitle = new QLabel(tr("Recent traces"), m_recentArea);
    recentTitle->setObjectName(QStringLiteral("sideHeading"));
    recentLayout->addWidget(recentTitle);
    m_recent->setSpacing(0);
    recentLayout->addLayout(m_recent);
    column->addWidget(m_recentArea);

    auto* outer = new QVBoxLayout(this);
    outer->addStretch(2);
    auto* middle = new QHBoxLayout;
    middle->addStretch(1);
    auto* box = new QWidget(this);
    box->setLayout(column);
    box->setMinimumWidth(560);
    box->setMaximumWidth(760);
    middle->addWidget(box, 4);
    middle->addStretch(1);
    outer->addLayout(middle);
    outer->addStretch(3);
    setRecent({});
    setExample({});
}

void StartPage::setExample(const QString& path)
{
    m_examplePath = path;
    m_example->setVisible(!path.isEmpty());
}

void StartPage::setRecent(const QStringList& paths)
{
    while (const QLayoutItem* item = m_recent->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const QString& path : paths) {
        const QFileInfo file(path);
        auto* button = new QPushButton(m_recentArea);
        button->setObjectName(QStringLiteral("sideEntry"));
        const QString name = file.fileName();
        button->setText(name % QStringLiteral("   ") % file.path());
        button->setToolTip(file.exists() ? path : tr("%1 is not there any more").arg(path));
        button->setEnabled(file.exists());
        connect(button, &QPushButton::clicked, this, [this, path] { Q_EMIT recentChosen(path); });
        m_recent->addWidget(button);
    }
    m_recentArea->setVisible(!paths.isEmpty());
}

}  // namespace longpole
