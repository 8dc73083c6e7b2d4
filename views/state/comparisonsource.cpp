// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/comparisonsource.h"

#include "analysis/paths/runpaths.h"
#include "views/state/viewstate.h"

#include <utility>

namespace longpole {

namespace {

bool isLoaded(const ViewState& state) { return state.graph() || !state.store().hasEvents(); }

Result<RunFigures> figuresOf(const TraceStore& store, std::shared_ptr<const ActivityGraph> graph,
                             const Progress& progress)
{
    if (!graph) return runFigures(store, progress);
    const auto paths = runPaths(store, std::move(graph), progress);
    if (!paths) return paths.error();
    return runFigures(store, *paths, progress);
}

}  // namespace

ComparisonSource::ComparisonSource(ViewState& a, QObject* parent) : QObject(parent), m_a(a)
{
    connect(&m_a, &ViewState::graphChanged, this, &ComparisonSource::changed);
}

void ComparisonSource::setSecond(ViewState* b)
{
    if (m_b) m_b->disconnect(this);
    m_b = b;
    if (m_b) connect(m_b, &ViewState::graphChanged, this, &ComparisonSource::changed);
    drop();
}

void ComparisonSource::setAdvice(std::vector<Advice> advice)
{
    if (advice.empty() && m_advice.empty()) return;
    m_advice = std::move(advice);
    if (!m_comparison) return;
    m_comparison = std::make_shared<const Comparison>(compare(m_comparison->a, m_comparison->b, m_advice));
    Q_EMIT changed();
}

void ComparisonSource::drop()
{
    m_job.cancel();
    m_comparison.reset();
    m_error.reset();
    Q_EMIT changed();
}

bool ComparisonSource::want()
{
    if (!m_b || !isLoaded(m_a) || !isLoaded(*m_b)) return false;
    if (m_comparison || isComputing()) return true;
    m_error.reset();
    m_job.start(
        [figures = m_figuresOfA, storeA = m_a.sharedStore(), graphA = m_a.graph(), storeB = m_b->sharedStore(),
         graphB = m_b->graph(), advice = m_advice](const Progress& progress) -> Result<Answer> {
            Answer answer{.a = figures, .comparison = {}};
            if (!answer.a) {
                auto a = figuresOf(*storeA, graphA, progress);
                if (!a) return a.error();
                answer.a = std::make_shared<const RunFigures>(std::move(*a));
            }
            auto b = figuresOf(*storeB, graphB, progress);
            if (!b) return b.error();
            answer.comparison = std::make_shared<const Comparison>(compare(*answer.a, std::move(*b), advice));
            return answer;
        },
        [this](Result<Answer> answer) { accept(std::move(answer)); });
    return true;
}

void ComparisonSource::cancel()
{
    if (!isComputing()) return;
    m_job.cancel();
    Q_EMIT changed();
}

void ComparisonSource::accept(Result<Answer> answer)
{
    if (answer) {
        m_figuresOfA = answer->a;
        m_comparison = answer->comparison;
    } else {
        m_error = answer.error();
    }
    Q_EMIT changed();
}

}  // namespace longpole
