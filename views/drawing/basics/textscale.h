// SPDX-License-Identifier: GPL-3.0-or-later
// How much larger than in pictures letters are that are drawn beside the letters of a window.
#pragma once

#include <QFont>

namespace longpole {

// Of what is drawn in a widget with that font: 1 where the system asks for nothing else, never less, at most 4.
double textScale(const QFont& font);

}  // namespace longpole
