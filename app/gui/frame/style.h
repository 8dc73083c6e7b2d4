// SPDX-License-Identifier: GPL-3.0-or-later
// The program's look: palette, font and the one style sheet, all made from a Theme.
#pragma once

#include "views/drawing/basics/theme.h"

#include <QFont>
#include <QString>

namespace longpole {

enum class ThemeChoice : std::uint8_t { System, Dark, Light };

// "system", "dark", "light": as settings keep it. Anything else is System.
ThemeChoice themeChoiceFrom(const QString& text);
QString toText(ThemeChoice choice);

// The theme to show; System asks what the desktop's palette was at program start.
const Theme& themeFor(ThemeChoice choice);

QString styleSheet(const Theme& theme);
QFont interfaceFont();  // Inter where it is installed, else the system's; tabular figures

// Fusion, palette, font and style sheet for the whole program.
void applyTheme(const Theme& theme);

}  // namespace longpole
