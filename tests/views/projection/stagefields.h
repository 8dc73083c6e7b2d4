// SPDX-License-Identifier: GPL-3.0-or-later
// The fields in which a panel of stages by processors is told which of both it shows.
#pragma once

#include "views/seen.h"

namespace longpole::test {

inline QLineEdit& stagesField(const QWidget& panel)
{
    return seen<QLineEdit>(panel, "A number of stages (stages=100) or a timestep (500us)");
}
inline QLineEdit& stageSetField(const QWidget& panel) { return seen<QLineEdit>(panel, "Stages, such as 1,3-9:3,11"); }
inline QLineEdit& processorField(const QWidget& panel)
{
    return seen<QLineEdit>(panel, "PEs or ranks, such as 1,3-9:3,11");
}
inline QLineEdit& conditionField(const QWidget& panel)
{
    return seen<QLineEdit>(panel, "A condition on attributes, in the words of formulas");
}

}  // namespace longpole::test
