// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/comparisonsource.h"

#include "views/state/viewstate.h"

#include <utility>

namespace longpole {

namespace {

bool isLoaded(const ViewState& state) { return state.graph() || !state.store().hasEvents(); }

}  // namespace

ComparisonSource::ComparisonSource(ViewState& a, QObject* parent) : QObject(parent), m_a(a)
{
    connect(&m_a, &ViewState::graphChanged, this, &ComparisonSource::advise);
    connect(&m_a, &ViewState::graphChanged, this, &ComparisonSource::changed);
    connect(&m_a, &ViewState::thresholdsChanged, this, &ComparisonSource::advise);
}

void ComparisonSource::setSecond(ViewState* b)
{
    if (m_b) m_b->disconnect(this);
    m_b = b;
    if (m_b) connect(m_b, &ViewState::graphChanged, this, &ComparisonSource::changed);
    drop();
}

void ComparisonSource::drop()
{
    m_figuring.cancel();
    m_comparing.cancel();
    m_figuresOfB.reset();
    m_comparison.reset();
    m_error.reset();
    Q_EMIT changed();
}

bool ComparisonSource::want()
{
    if (!m_b || !isLoaded(m_a) || !isLoaded(*m_b)) return false;
    if (m_comparison || isComputing()) return true;
    m_error.reset();
    m_figuring.ask(m_b->results(), RunFiguresQuestion{}, [this](const Watch<RunFiguresQuestion>::Answer& figures) {
        if (!figures) return fail(figures.error());
        m_figuresOfB = *figures;
        compare({});
    });
    return true;
}

void ComparisonSource::advise()
{
    if (m_comparison && m_a.graph()) compare(m_a.thresholds());
}

void ComparisonSource::compare(std::optional<Thresholds> advisedBy)
{
    const bool isAdvised = advisedBy.has_value();
    m_comparing.ask(m_a.results(), ComparisonQuestion{.second = m_figuresOfB, .advisedBy = advisedBy},
                    [this, isAdvised](const Watch<ComparisonQuestion>::Answer& answer) {
                        if (!answer && !isAdvised) return fail(answer.error());
                        if (!answer) return;  // the comparison without advice stands
                        m_comparison = *answer;
                        Q_EMIT changed();
                        if (!isAdvised) advise();
                    });
}

void ComparisonSource::cancel()
{
    if (!isComputing()) return;
    m_figuring.cancel();
    m_comparing.cancel();
    Q_EMIT changed();
}

void ComparisonSource::fail(const Error& error)
{
    m_error = error;
    Q_EMIT changed();
}

}  // namespace longpole
