// SPDX-License-Identifier: GPL-3.0-or-later
// C++ names as people write them, of names by strangers: a short mangled name may stand for gigabytes.
#pragma once

#include <QByteArray>

namespace longpole {

// The name itself if it is no mangled one, or stands for more than limits::symbolName.
QByteArray demangled(const QByteArray& name);

// Names are another source's from now on: what the last one's took is not held against them.
void beginDemangling();

}  // namespace longpole
