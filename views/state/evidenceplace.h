// SPDX-License-Identifier: GPL-3.0-or-later
// Makes all views show where something can be seen.
#pragma once

#include "analysis/base/evidence.h"
#include "analysis/scheduling/advice.h"

namespace longpole {

class ViewState;

// Marks the range and shows it with as much again on either side.
void showPlace(ViewState& state, TimeRange range);

// Also selects the first task and brings its row into view; processors that were left out join those that show. One
// step of the history.
void showPlace(ViewState& state, const Evidence& evidence);

// The same for the range of an advice, the processors of all its evidence, and the first task of that.
void showPlace(ViewState& state, const Advice& advice);

}  // namespace longpole
