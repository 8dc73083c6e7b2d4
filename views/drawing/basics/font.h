// SPDX-License-Identifier: GPL-3.0-or-later
// The font of everything that is drawn, and words that have to fit.
#pragma once

#include <QFont>

namespace longpole {

// Inter where it is installed, with tabular figures.
QFont timelineFont(double pixels);

}  // namespace longpole
