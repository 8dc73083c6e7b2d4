// SPDX-License-Identifier: GPL-3.0-or-later
// The two looks, dark and light: every colour that is drawn, in widgets, pictures and reports alike.
#pragma once

#include <QColor>
#include <QPalette>
#include <QPen>
#include <QString>

namespace longpole {

struct Theme {
    bool dark = true;
    QColor window, panel, raised, line, gridLine;  // surfaces and hairlines
    QColor text, mutedText, faintText;
    QColor accent;      // the critical path
    QColor accentText;  // a word or number in its colour: darker where the ground is light
    QColor link;
    QColor secondPath;  // a path to compare with the critical one
    QColor selection;   // outline of the selected task
    QColor markedRange;
    QColor band, bandEdge,
        bandLabel;  // iterations: the tint of every second one, their begins, ground of their numbers
    QColor idle, overhead, rowBackground;
    // MPI calls: ground and hatching of the waits before and after, and the plain ground of the execution between them.
    QColor waitBefore, waitBeforeLines, mpiExecution, waitAfter, waitAfterLines;
    QColor utilization;  // and bars of charts
    QColor warning;
};

const Theme& darkTheme();
const Theme& lightTheme();

// Around a swatch: none where its colour stands out from the ground by itself.
QPen swatchOutline(const QColor& colour, const Theme& theme);

// For QApplication::setPalette with the Fusion style.
QPalette widgetPalette(const Theme& theme);

}  // namespace longpole
