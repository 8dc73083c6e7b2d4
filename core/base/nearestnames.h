// SPDX-License-Identifier: GPL-3.0-or-later
// The known names that a mistyped one may have meant.
#pragma once

#include <QString>
#include <QStringList>

namespace longpole {

// The names nearest to a mistyped one, best first, at most three; empty if none is near.
QStringList nearestNames(const QString& typed, const QStringList& names);

// ": did you mean a or b?" for the nearest names, empty without any.
QString suggestion(const QString& typed, const QStringList& names);

}  // namespace longpole
