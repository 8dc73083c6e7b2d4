// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/colourmenu.h"

#include "core/base/translate.h"
#include "views/state/viewstate.h"

#include <QMenu>
#include <QPixmap>

namespace longpole {

void fillColourMenu(QMenu& menu, ViewState& state, const QString& name)
{
    for (const QRgb colour : paletteColours(state.paletteKind())) {
        QPixmap swatch(14, 14);
        swatch.fill(QColor::fromRgb(colour));
        const QColor chosen = QColor::fromRgb(colour);
        menu.addAction(QIcon(swatch), chosen.name(), &state, [&state, name, chosen] { state.askColour(name, chosen); });
    }
    menu.addSeparator();
    menu.addAction(tr("Its own again"), &state, [&state, name] { state.askColour(name, {}); });
}

}  // namespace longpole
