// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/slackbar.h"

#include "core/trace/format.h"
#include "views/state/pathquestion.h"
#include "views/state/viewstate.h"
#include "views/timeline/slacklegend.h"

#include <QHBoxLayout>

namespace longpole {

SlackBar::SlackBar(ViewState& state, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_legend(new SlackLegend(this)), m_model(modelOf(state.question()))
{
    head().setContentsMargins(6, 0, 12, 0);
    head().insertWidget(0, m_legend);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(m_legend, &SlackLegend::mostChosen, &m_state, &ViewState::setMostSlack);
    connect(&m_state, &ViewState::graphChanged, this, &SlackBar::outdate);
    connect(&m_state, &ViewState::questionChanged, this, [this] {
        if (modelOf(m_state.question()) != m_model) outdate();
    });
    connect(&m_state, &ViewState::slackChanged, this, &SlackBar::showSlack);
    for (const auto signal : {&ViewState::colourChanged, &ViewState::slackChanged})
        connect(&m_state, signal, this, &SlackBar::wantedChanged);
    outdate();
}

bool SlackBar::isWanted() const { return m_state.colour() == ColourMode::Slack || m_state.slack().most; }

bool SlackBar::begin()
{
    if (!m_state.graph()) return false;
    m_model = modelOf(m_state.question());
    m_job.ask(m_state.results(), SlackPyramidQuestion{m_model},
              [this](const Watch<SlackPyramidQuestion>::Answer& answer) { accept(answer); });
    return true;
}

void SlackBar::stop() { m_job.cancel(); }

void SlackBar::clear() { m_state.setSlack(nullptr, 0); }

void SlackBar::accept(const Watch<SlackPyramidQuestion>::Answer& answer)
{
    if (!answer.ok()) {
        finish(answer.error(), {});
        return;
    }
    m_state.setSlack(*answer, (*answer)->largest());
    finish({}, summary());
}

QString SlackBar::summary() const
{
    const SlackPyramid& pyramid = *m_state.slack().layer.pyramid;
    return tr("slack: how much longer a task could take · %1 of %2 tasks have none · %3")
        .arg(formatCount(pyramid.none()), formatCount(static_cast<std::int64_t>(pyramid.slack().slack.size())),
             modelName(m_model));
}

void SlackBar::showSlack()
{
    const SlackView& slack = m_state.slack();
    if (slack.layer.pyramid) m_legend->setScale(SlackScale(slack.layer.largest));
    else m_legend->setScale({});
    m_legend->setMost(slack.most);
    if (!isThere()) return;
    setSummary(slack.most ? tr("shown: tasks with slack up to %1").arg(formatTime(*slack.most)) : summary());
}

}  // namespace longpole
