// SPDX-License-Identifier: GPL-3.0-or-later
// The tick labels of plots, in the words of core/format. For files that include qcustomplot.h.
#pragma once

#include "views/plots/frame.h"

#include <QSharedPointer>

#include <cstdint>
#include <functional>

class QCPAxisTicker;

namespace longpole {

// Ticks at round numbers of the unit.
QSharedPointer<QCPAxisTicker> unitTicker(PlotUnit unit);
// At whole numbers: one label a row, or fewer where there is no room.
QSharedPointer<QCPAxisTicker> rowTicker(std::function<QString(std::int64_t)> textOf);

}  // namespace longpole
