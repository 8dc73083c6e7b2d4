// SPDX-License-Identifier: GPL-3.0-or-later
// The two looks, dark and light: every colour that is drawn, in widgets, pictures and reports alike.
#pragma once

#include <QColor>
#include <QPalette>
#include <QString>

namespace longpole {

struct Theme {
    bool dark = true;
    QColor window, panel, raised, line, gridLine;  // surfaces and hairlines
    QColor text, mutedText, faintText;
    QColor accent;      // the critical path, used by nothing else
    QColor secondPath;  // a path beside it, to compare
    QColor selection;   // outline of the selected task
    QColor markedRange;
    QColor band, bandEdge, bandLabel;  // every second instance of a phase, where each begins, its number's ground
    QColor idle, overhead, rowBackground;
    // An MPI call: grounds and hatching of its waits, and the plain ground of its execution.
    QColor waitBefore, waitBeforeLines, mpiExecution, waitAfter, waitAfterLines;
    QColor utilization;  // minimap
    QColor warning;
};

const Theme& darkTheme();
const Theme& lightTheme();

// For QApplication::setPalette with the Fusion style.
QPalette widgetPalette(const Theme& theme);

}  // namespace longpole
