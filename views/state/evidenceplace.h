// SPDX-License-Identifier: GPL-3.0-or-later
// Going where something can be seen: every view shows that range, those processors and that task.
#pragma once

#include "analysis/base/evidence.h"
#include "analysis/scheduling/advice.h"

namespace longpole {

class ViewState;

// Marks the range and shows it with as much again on either side.
void showPlace(ViewState& state, TimeRange range);

// Marks the range, shows it with as much again on either side, selects the first task and brings its row into view;
// processors that were left out join those that show. One step of the history.
void showPlace(ViewState& state, const Evidence& evidence);

// The whole range of an advice with the processors of its evidence; the first task of the evidence is selected.
void showPlace(ViewState& state, const Advice& advice);

}  // namespace longpole
