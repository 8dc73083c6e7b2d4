// SPDX-License-Identifier: GPL-3.0-or-later
// Ticks whose labels are written by core/trace/format. For files that include QCustomPlot's header.
#pragma once

#include "views/plots/frame.h"

#include <QSharedPointer>

#include <cstdint>
#include <functional>

class QCPAxisTicker;

namespace longpole {

// Ticks at round numbers of the unit.
QSharedPointer<QCPAxisTicker> unitTicker(PlotUnit unit);
// Ticks at whole numbers, as many as have room.
QSharedPointer<QCPAxisTicker> rowTicker(std::function<QString(std::int64_t)> textOf);

}  // namespace longpole
