// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/computedpanel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

namespace {

constexpr int leastBar = 50, mostBar = 160;  // pixels

}  // namespace

ComputedPanel::ComputedPanel(QWidget* parent)
    : QWidget(parent), m_head(new QHBoxLayout), m_body(new QVBoxLayout), m_text(new QLabel(this)),
      m_bar(new QProgressBar(this)), m_button(new QPushButton(this))
{
    constexpr int pollEvery = 100;  // ms; work that ends before shows no bar
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_text->setObjectName(QStringLiteral("muted"));
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // a long text must not widen the window
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setFixedWidth(mostBar);
    m_button->setObjectName(QStringLiteral("link"));
    m_head->setContentsMargins(12, 6, 12, 4);
    m_head->setSpacing(10);
    m_head->addWidget(m_bar);
    m_head->addWidget(m_button);
    m_head->addWidget(m_text, 1);
    layout->addLayout(m_head);
    layout->addLayout(m_body, 1);
    m_body->setContentsMargins(0, 0, 0, 0);
    m_poll.setInterval(pollEvery);
    connect(&m_poll, &QTimer::timeout, this, &ComputedPanel::showProgress);
    connect(m_button, &QPushButton::clicked, this, &ComputedPanel::press);
    enter(State::Outdated, {});
}

QString ComputedPanel::headline() const { return m_headline; }

void ComputedPanel::outdate()
{
    stop();
    enter(State::Outdated, {});
    clear();
    if (isVisible()) compute();
}

void ComputedPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    want();
}

void ComputedPanel::want()
{
    if (m_state == State::Outdated) compute();
}

void ComputedPanel::compute()
{
    enter(State::Computing, tr("Computing …"));  // before begin(), which may call finish() at once
    if (!begin()) enter(State::Outdated, tr("Loading tasks …"));
}

void ComputedPanel::finish(const std::optional<Error>& error, const QString& summary)
{
    if (!error) return enter(State::There, summary);
    enter(State::Stopped, longpole::toText(*error));
    m_button->setText(tr("Try again"));
}

void ComputedPanel::setSummary(const QString& text)
{
    m_headline = text;
    m_text->setToolTip(text);
    elide();
}

void ComputedPanel::setWrapped(bool wrapped)
{
    m_wrapped = wrapped;
    m_text->setWordWrap(wrapped);
    elide();
}

void ComputedPanel::elide()
{
    if (m_state == State::Computing && m_bar->isVisible()) return showBesideBar();
    if (m_wrapped) {
        m_text->setWordWrap(true);
        m_text->setText(m_headline);
        m_text->setHidden(m_headline.isEmpty());
        const bool isThere = !m_headline.isEmpty();
        m_head->setContentsMargins(12, isThere ? 6 : 0, 12, isThere ? 4 : 0);
        return;
    }
    layout()->activate();  // widgets beside it may have come or gone
    constexpr int leastForLines = 300;
    const bool isCut = m_text->fontMetrics().horizontalAdvance(m_headline) > m_text->width();
    const bool isWrapped = isCut && m_text->width() >= leastForLines;  // beside many widgets it would be a column
    m_text->setWordWrap(isWrapped);
    m_text->setText(isWrapped ? m_headline
                              : m_text->fontMetrics().elidedText(m_headline, Qt::ElideRight, m_text->width()));
}

// The bar gives way to the text, which is there whole or not: the bar says the same.
void ComputedPanel::showBesideBar()
{
    m_text->setWordWrap(false);
    m_text->show();
    layout()->activate();
    const int room = m_bar->width() + m_text->width(), wanted = m_text->fontMetrics().horizontalAdvance(m_headline);
    m_bar->setFixedWidth(std::clamp(room - wanted, leastBar, mostBar));
    m_text->setText(room - m_bar->width() >= wanted ? m_headline : QString());
}

void ComputedPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    elide();
}

void ComputedPanel::press()
{
    if (m_state == State::Computing) {
        stop();
        enter(State::Stopped, tr("Not computed."));
    } else {
        compute();
    }
}

void ComputedPanel::showProgress()
{
    m_bar->setValue(static_cast<int>(fraction() * 1000));
    m_bar->show();
    m_button->show();
    elide();
}

void ComputedPanel::enter(State state, const QString& text)
{
    m_state = state;
    m_button->setText(state == State::Computing ? tr("Cancel") : tr("Compute"));
    m_button->setVisible(state == State::Stopped);
    // A long text needs the width of a column; the button stands below it.
    const bool isStacked = m_wrapped && state == State::Stopped;
    m_head->setDirection(isStacked ? QBoxLayout::BottomToTop : QBoxLayout::LeftToRight);
    m_head->setAlignment(m_button, isStacked ? Qt::AlignLeft : Qt::Alignment());
    m_head->setStretchFactor(m_text, isStacked ? 0 : 1);
    layout()->setAlignment(m_head, isStacked ? Qt::AlignTop : Qt::Alignment());
    m_bar->hide();
    if (state == State::Computing) m_poll.start();
    else m_poll.stop();
    setSummary(text);
}

}  // namespace longpole
