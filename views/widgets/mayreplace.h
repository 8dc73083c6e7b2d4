// SPDX-License-Identifier: GPL-3.0-or-later
// Asks about files that no dialog has asked about, as it was given another name: one without its ending or its number.
#pragma once

#include <QStringList>

class QWidget;

namespace longpole {

// Whether those of `files` that are there may be replaced, as the user says; true if none is.
bool mayReplace(QWidget& parent, const QStringList& files);

}  // namespace longpole
