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

QString styleSheet(const Theme& theme, double points);  // of usual text
// As large as what the system asks for, and in Inter where that is installed.
QFont interfaceFont(QFont system);

// Sets palette, font and style sheet of the whole program, over Qt's Fusion style.
void applyTheme(const Theme& theme);
void applyTheme(const Theme& theme, const QFont& system);  // with another font than the desktop's

}  // namespace longpole
