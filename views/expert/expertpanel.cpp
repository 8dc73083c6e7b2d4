// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/expert/expertpanel.h"

#include "views/state/evidenceplace.h"
#include "views/state/viewstate.h"
#include "views/widgets/scrolling.h"

#include <QEvent>
#include <QScrollArea>
#include <QVBoxLayout>

namespace longpole {

ExpertPanel::ExpertPanel(ViewState& state, QWidget* parent) : ComputedPanel(parent), m_state(state)
{
    connect(&m_state, &ViewState::graphChanged, this, &ExpertPanel::outdate);
    connect(&m_state, &ViewState::thresholdsChanged, this, &ExpertPanel::outdate);
}

bool ExpertPanel::begin()
{
    if (!m_state.graph() && !m_state.store().info().isPart()) return false;
    m_watch.ask(m_state.results(), ExpertQuestion{m_state.thresholds()},
                [this](const Watch<ExpertQuestion>::Answer& answer) { accept(answer); });
    return true;
}

void ExpertPanel::stop() { m_watch.cancel(); }

void ExpertPanel::accept(const Watch<ExpertQuestion>::Answer& answer)
{
    if (!answer.ok()) {
        finish(answer.error(), {});
        return;
    }
    m_expert = *answer;
    showExpert();
    finish({}, summary());
}

void ExpertPanel::clear()
{
    m_expert.reset();
    showExpert();
}

QScrollArea* ExpertPanel::showPage(QWidget* page)
{
    auto* scroll = new QScrollArea(this);
    scrollDownOnly(*scroll);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(page);
    body().addWidget(scroll);
    return scroll;
}

void ExpertPanel::goTo(const Evidence& evidence)
{
    showPlace(m_state, evidence);
    Q_EMIT timelineRequested();
}

void ExpertPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_expert) showExpert();
}

}  // namespace longpole
