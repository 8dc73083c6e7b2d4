// SPDX-License-Identifier: GPL-3.0-or-later
// Where keys lead from what is selected: along its row, its messages, the critical path, to what it waited for.
#include "views/timeline/gestures.h"

#include "views/state/navigationquestions.h"
#include "views/timeline/canvas.h"

#include <algorithm>

namespace longpole {

// The range that `fit` makes of the selection's place, and its row.
void TimelineGestures::showPlace(std::function<TimeRange(TimeRange)> fit)
{
    if (!m_state.selection().isValid()) return;
    m_placing.ask(m_state.results(), {m_state.selection()},
                  [this, fit = std::move(fit)](const Watch<PlaceQuestion>::Answer& found) {
                      if (!found.ok() || !**found) return;
                      const SelectedPlace& place = ***found;
                      m_state.setRange(fit(place.range));
                      if (const auto row = m_rows.rowOf(place.pe)) m_rows.scrollTo(*row);
                  });
}

void TimelineGestures::centreSelection()
{
    showPlace([this](TimeRange place) {
        const TimeNs length = m_state.range().length();
        const TimeNs begin = saturatingSubtract(place.begin + place.length() / 2, length / 2);
        return TimeRange{begin, saturatingAdd(begin, length)};
    });
}

void TimelineGestures::fitSelection()
{
    showPlace([](TimeRange place) {
        const TimeNs margin = std::max<TimeNs>(5, place.length() / 5);
        return TimeRange{saturatingSubtract(place.begin, margin), saturatingAdd(place.end, margin)};
    });
}

// Calls `otherwise` where nothing lies there. A key that is pressed while the trace is read goes on from what is found.
void TimelineGestures::go(Leading leading, int step, bool zoom, std::function<void()> otherwise)
{
    constexpr std::size_t mostWaiting = 16;  // a key that is held down
    if (m_going.isRunning()) {
        if (m_steps.size() < mostWaiting)
            m_steps.emplace_back([=, this, otherwise = std::move(otherwise)] { go(leading, step, zoom, otherwise); });
        return;
    }
    const Selection from = m_state.selection();
    const auto arrive = [this, from, leading, zoom,
                         otherwise = std::move(otherwise)](const Watch<NavigationQuestion>::Answer& found) {
        if (m_state.selection() != from) return m_steps.clear();
        if (found.ok() && (*found)->isValid()) {
            const bool isElsewhere = leading == Leading::Message || leading == Leading::Culprit;
            m_cardDue = isElsewhere ? **found : Selection{};
            m_state.reveal(**found, zoom);
        } else if (otherwise) otherwise();
        if (m_steps.empty()) return;
        const std::function<void()> next = std::move(m_steps.front());
        m_steps.pop_front();
        next();
    };
    m_going.ask(m_state.results(), {from, leading, step, m_state.graph()}, arrive);
}

void TimelineGestures::goToCulprit(std::function<void()> otherwise)
{
    if (m_state.selection().call.isValid()) go(Leading::Culprit, -1, false, std::move(otherwise));
    else if (otherwise) otherwise();
}

void TimelineGestures::neighbour(int step) { go(Leading::Neighbour, step); }

void TimelineGestures::neighbourOfEntry(int step) { go(Leading::SameEntry, step); }

void TimelineGestures::alongMessage(int step)
{
    const Selection& selected = m_state.selection();
    if (selected.task.isValid() && step > 0 && !m_state.graph())
        Q_EMIT m_canvas.hovered(tr("Messages forward are known when the trace's graph is loaded."));
    else go(Leading::Message, step, !selected.call.isValid());
}

void TimelineGestures::alongPath(int step)
{
    if (!m_state.path()) return;
    const TimeRange range = m_state.range();
    const std::optional<TaskId> task = pathNeighbour(*m_state.path(), m_state.selection().task,
                                                     range.begin + range.length() / 2, step);
    if (task) m_state.reveal({.task = *task});
}

}  // namespace longpole
