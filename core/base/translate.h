// SPDX-License-Identifier: GPL-3.0-or-later
// Translated text for functions that belong to no QObject.
#pragma once

#include <QCoreApplication>
#include <QString>

namespace longpole {

inline QString tr(const char* text) { return QCoreApplication::translate("longpole", text); }

}  // namespace longpole
