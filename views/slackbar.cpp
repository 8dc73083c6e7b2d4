// Slack for the timeline.
#include "views/slackbar.h"

#include "analysis/slackpyramid.h"
#include "core/format.h"
#include "views/slacklegend.h"
#include "views/viewstate.h"

#include <QHBoxLayout>

#include <algorithm>

namespace longpole {

namespace {

// The sweep has no slack: the work path's then.
PathMode modeOf(const PathQuestion& question)
{
    return question.mode == PathMode::Elapsed ? PathMode::Elapsed : PathMode::Work;
}

}  // namespace

SlackBar::SlackBar(ViewState& state, QWidget* parent)
    : ComputedPanel(parent), m_state(state), m_legend(new SlackLegend(this)), m_mode(modeOf(state.question())),
      m_edges(state.question().edges)
{
    head().setContentsMargins(6, 0, 12, 0);
    head().insertWidget(0, m_legend);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(m_legend, &SlackLegend::mostChosen, &m_state, &ViewState::setMostSlack);
    connect(&m_state, &ViewState::graphChanged, this, &SlackBar::outdate);
    connect(&m_state, &ViewState::questionChanged, this, [this] {
        if (modeOf(m_state.question()) != m_mode || m_state.question().edges != m_edges) outdate();
    });
    connect(&m_state, &ViewState::slackChanged, this, &SlackBar::showSlack);
    for (const auto signal : {&ViewState::colourChanged, &ViewState::slackChanged})
        connect(&m_state, signal, this, &SlackBar::wantedChanged);
    outdate();
}

bool SlackBar::isWanted() const { return m_state.colour() == ColourMode::Slack || m_state.slack().most; }

bool SlackBar::begin()
{
    if (!m_state.results()) return false;
    m_mode = modeOf(m_state.question());
    m_edges = m_state.question().edges;
    m_job.start(
        [results = m_state.results(), mode = m_mode, edges = m_edges](const Progress& progress) -> Answer {
            Answer answer{results->slack(mode, edges, progress)};
            if (!answer.pyramid.ok()) return answer;
            const std::vector<TimeNs>& slack = (*answer.pyramid)->slack().slack;
            answer.none = std::count(slack.begin(), slack.end(), TimeNs{0});
            if (!slack.empty()) answer.largest = *std::max_element(slack.begin(), slack.end());
            return answer;
        },
        [this](const Answer& answer) { accept(answer); });
    return true;
}

void SlackBar::stop() { m_job.cancel(); }

void SlackBar::clear() { m_state.setSlack(nullptr, 0); }

void SlackBar::accept(const Answer& answer)
{
    if (!answer.pyramid.ok()) {
        finish(answer.pyramid.error(), {});
        return;
    }
    m_none = answer.none;
    m_state.setSlack(*answer.pyramid, answer.largest);
    finish({}, summary());
}

QString SlackBar::summary() const
{
    const Slack& slack = m_state.slack().layer.pyramid->slack();
    const QString path = m_mode == PathMode::Elapsed ? tr("elapsed path")
                                                     : tr("work path, edges: %1").arg(edgesName(m_edges));
    return tr("slack: how much longer a task could take · %1 of %2 tasks have none · %3")
        .arg(formatCount(m_none), formatCount(static_cast<std::int64_t>(slack.slack.size())), path);
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
