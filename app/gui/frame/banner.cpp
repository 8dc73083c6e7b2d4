// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/banner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStyle>

#include <cmath>

namespace longpole {

Banner::Banner(QWidget* parent)
    : QFrame(parent), m_text(new QLabel(this)), m_detail(new QLabel(this)), m_bar(new QProgressBar(this)),
      m_button(new QPushButton(this))
{
    setObjectName(QStringLiteral("banner"));
    m_detail->setObjectName(QStringLiteral("muted"));
    m_detail->setWordWrap(true);
    for (QLabel* label : {m_text, m_detail}) {
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    m_bar->setTextVisible(false);
    m_bar->setMaximumWidth(260);
    m_bar->setRange(0, 1000);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 7, 10, 7);
    layout->setSpacing(12);
    layout->addWidget(m_text);
    layout->addWidget(m_bar, 1);
    layout->addWidget(m_detail, 1);
    layout->addWidget(m_button);
    connect(m_button, &QPushButton::clicked, this, [this] {
        const bool progressing = m_progressing;
        clear();
        if (progressing) Q_EMIT cancelled();
    });
    hide();
}

void Banner::showProgress(const QString& text, double fraction, double secondsLeft)
{
    m_progressing = true;
    m_text->setObjectName(QString());
    m_text->setText(text);
    m_bar->show();
    m_bar->setRange(0, fraction < 0 ? 0 : 1000);
    m_bar->setValue(static_cast<int>(std::lround(fraction * 1000)));
    const QString percent = fraction < 0 ? QString() : tr("%1 %").arg(static_cast<int>(fraction * 100));
    const QString left = timeLeftText(secondsLeft);
    m_detail->setText(left.isEmpty() ? percent : percent % QStringLiteral(" · ") % left);
    m_button->setText(tr("Cancel"));
    show();
}

void Banner::showError(const Error& error)
{
    m_progressing = false;
    m_bar->hide();
    m_text->setObjectName(QStringLiteral("errorText"));
    m_text->style()->unpolish(m_text);
    m_text->style()->polish(m_text);
    m_text->setText(error.what);
    m_detail->setText(error.hint.isEmpty() ? error.where : error.where % QStringLiteral("\n") % error.hint);
    m_button->setText(tr("Dismiss"));
    show();
}

void Banner::showNote(const QString& text)
{
    m_progressing = false;
    m_bar->hide();
    m_text->setObjectName(QString());
    m_text->style()->unpolish(m_text);
    m_text->style()->polish(m_text);
    m_text->setText(text);
    m_detail->clear();
    m_button->setText(tr("Dismiss"));
    show();
}

void Banner::clear()
{
    m_progressing = false;
    m_text->clear();
    m_detail->clear();
    hide();
}

QString Banner::text() const { return m_text->text() % QStringLiteral("\n") % m_detail->text(); }

QString timeLeftText(double seconds)
{
    if (seconds < 0) return {};
    if (seconds < 90) return Banner::tr("about %1 s left").arg(std::max(1, static_cast<int>(std::lround(seconds))));
    return Banner::tr("about %1 min left").arg(static_cast<int>(std::lround(seconds / 60)));
}

}  // namespace longpole
