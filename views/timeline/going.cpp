// SPDX-License-Identifier: GPL-3.0-or-later
// Where keys lead from what is selected: along its row, its messages, the critical path, to what it waited for.
#include "views/timeline/gestures.h"

#include "views/state/tasknavigation.h"
#include "views/timeline/canvas.h"

#include <algorithm>

namespace longpole {

void TimelineGestures::centreSelection()
{
    const std::optional<SelectedPlace> place = placeOf(m_state.store(), m_state.selection());
    if (!place) return;
    const TimeNs length = m_state.range().length();
    const TimeNs begin = saturatingSubtract(place->range.begin + place->range.length() / 2, length / 2);
    m_state.setRange({begin, saturatingAdd(begin, length)});
    if (const auto row = m_rows.rowOf(place->pe)) m_rows.scrollTo(*row);
}

void TimelineGestures::fitSelection()
{
    const std::optional<SelectedPlace> place = placeOf(m_state.store(), m_state.selection());
    if (!place) return;
    const TimeNs margin = std::max<TimeNs>(5, place->range.length() / 5);
    m_state.setRange({saturatingSubtract(place->range.begin, margin), saturatingAdd(place->range.end, margin)});
    if (const auto row = m_rows.rowOf(place->pe)) m_rows.scrollTo(*row);
}

void TimelineGestures::go(std::optional<TaskId> task)
{
    if (task) m_state.reveal({.task = *task});
}

bool TimelineGestures::goToCulprit()
{
    const MpiCallId call = m_state.selection().call;
    const std::optional<MpiCallId> culprit = call.isValid() ? culpritCall(m_state.store(), call) : std::nullopt;
    if (culprit) m_state.reveal({.call = *culprit}, false);
    return culprit.has_value();
}

void TimelineGestures::neighbour(int step)
{
    const Selection& selected = m_state.selection();
    if (selected.task.isValid()) go(neighbourOnRow(m_state.store(), selected.task, step));
    if (!selected.call.isValid()) return;
    if (const auto call = neighbourCall(m_state.store(), selected.call, step)) m_state.reveal({.call = *call});
}

void TimelineGestures::neighbourOfEntry(int step)
{
    const TaskId task = m_state.selection().task;
    if (task.isValid()) go(longpole::neighbourOfEntry(m_state.store(), task, step));
}

void TimelineGestures::alongMessage(int step)
{
    const TaskId task = m_state.selection().task;
    if (step < 0 && goToCulprit()) return;
    if (!task.isValid()) return;
    if (step < 0) go(sourceTask(m_state.store(), task));
    else if (m_state.graph()) go(startedTask(*m_state.graph(), task));
    else Q_EMIT m_canvas.hovered(tr("Messages forward are known when the trace's graph is loaded."));
}

void TimelineGestures::alongPath(int step)
{
    if (!m_state.path()) return;
    const TimeRange range = m_state.range();
    go(pathNeighbour(*m_state.path(), m_state.selection().task, range.begin + range.length() / 2, step));
}

}  // namespace longpole
