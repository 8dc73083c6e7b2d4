// SPDX-License-Identifier: GPL-3.0-or-later
// The colours that a name can be given, as a menu.
#pragma once

#include <QString>

class QMenu;

namespace longpole {

class ViewState;

// The colours of the palette, and back to the one that the name has by itself.
void fillColourMenu(QMenu& menu, ViewState& state, const QString& name);

}  // namespace longpole
