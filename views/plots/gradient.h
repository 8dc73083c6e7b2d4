// SPDX-License-Identifier: GPL-3.0-or-later
// A colour scale as QCustomPlot wants it; for views/plot*.cpp, which include its header.
#pragma once

#include "views/drawing/basics/colourscale.h"

class QCPColorGradient;

namespace longpole {

// Values 0..1 of a colour map by the scale's colours, and no value by its colour for nothing.
QCPColorGradient gradientOf(const ColourScale& scale);

}  // namespace longpole
