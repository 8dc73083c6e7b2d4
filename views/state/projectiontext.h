// SPDX-License-Identifier: GPL-3.0-or-later
// How projection views name stages, processors and exactness.
#pragma once

#include "analysis/projection/projection.h"
#include "analysis/projection/stages.h"
#include "core/trace/vocabulary.h"
#include "views/plots/frame.h"

#include <QString>

#include <span>

namespace longpole {

// "stage 17 (126.0 ms – 127.2 ms)", or its name instead of the number; times count from `zero`.
QString stageName(const Stages& stages, std::size_t stage, TimeNs zero);
QString processorText(Vocabulary words, std::span<const ProcessorId> pes);  // "PE 3", "PEs 4-7"
// "42.1 %"; "≈ 42.1 %" if it is approximate.
QString valueText(double value, AttributeUnit unit, bool isApproximate);
PlotUnit plotUnit(AttributeUnit unit);

}  // namespace longpole
