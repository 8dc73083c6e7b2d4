// SPDX-License-Identifier: GPL-3.0-or-later
// Follows the source.
#include "views/expert/expertpanel.h"

#include "views/state/evidenceplace.h"
#include "views/state/viewstate.h"

#include <QEvent>

namespace longpole {

ExpertPanel::ExpertPanel(ViewState& state, ExpertSource& source, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_source(source)
{
    connect(&m_source, &ExpertSource::changed, this, &ExpertPanel::follow);
}

bool ExpertPanel::begin()
{
    m_beginning = true;
    const bool begun = m_source.want();
    m_beginning = false;
    // Another panel may have asked before.
    if (m_source.expert()) QTimer::singleShot(0, this, &ExpertPanel::follow);
    return begun;
}

// Cancel is for all panels: the answer is one. What was dropped already is not cancelled again.
void ExpertPanel::stop()
{
    if (!m_dropping && isComputing()) m_source.cancel();
}

void ExpertPanel::clear()
{
    m_expert.reset();
    showExpert();
}

void ExpertPanel::drop()
{
    m_dropping = true;
    outdate();
    m_dropping = false;
}

void ExpertPanel::follow()
{
    if (m_beginning) return;
    if (m_source.expert()) {
        if (m_source.expert() == m_expert && !isComputing()) return;
        m_expert = m_source.expert();
        showExpert();
        finish({}, summary());
    } else if (m_source.error()) {
        if (isComputing()) finish(m_source.error(), {});
    } else if (m_expert || !isComputing() || !m_source.isComputing()) {
        drop();
    }
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
