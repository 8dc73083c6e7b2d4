// SPDX-License-Identifier: GPL-3.0-or-later
// The program's look: palette, font and the one style sheet, all made from a Theme.
#pragma once

#include "views/drawing/basics/theme.h"

#include <QFont>
#include <QString>

namespace longpole {

enum class ThemeChoice : std::uint8_t { System, Dark, Light };

// "system", "dark" or "light", as the settings file has it; anything else is System.
ThemeChoice themeChoiceFrom(const QString& text);
QString toText(ThemeChoice choice);

// The theme of a choice; System: dark if the desktop's palette was dark when the program started.
const Theme& themeFor(ThemeChoice choice);

QString styleSheet(const Theme& theme);
QFont interfaceFont();  // Inter where it is installed, else the system's; tabular figures

// Sets palette, font and style sheet of the whole program, over Qt's Fusion style.
void applyTheme(const Theme& theme);

}  // namespace longpole
