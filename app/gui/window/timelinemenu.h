// SPDX-License-Identifier: GPL-3.0-or-later
// The menus of the right mouse button on the timeline: what can be done with a task, an MPI call or a row.
#pragma once

#include "views/state/choices.h"
#include "views/timeline/readout.h"

#include <QPoint>

#include <cstddef>
#include <functional>

class QMenu;

namespace longpole {

class Session;
class TimelineView;
class ViewState;

using ShowSource = std::function<void(const Selection& selection)>;

// The menu of what lies at a place of the timeline; its title says what that is. `showSource` shows where a task or
// call is in the source; null: the trace does not know.
void fillTimelineMenu(QMenu& menu, Session& session, TimelineView& timeline, const TimelineHit& hit,
                      const ShowSource& showSource = {});
void showTimelineMenu(Session& session, TimelineView& timeline, const TimelineHit& hit, const QPoint& at,
                      const ShowSource& showSource = {});
void showRowMenu(ViewState& state, TimelineView& timeline, std::size_t row, const QPoint& at);

enum class TimelineOrder : std::uint8_t { AsTraced, MostIdleFirst, MostOnPathFirst };

// All PEs in that order; empty: in the order of the trace.
std::vector<ProcessorId> orderedProcessors(const ViewState& state, TimelineOrder order);

}  // namespace longpole
