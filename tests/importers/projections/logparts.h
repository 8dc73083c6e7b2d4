// SPDX-License-Identifier: GPL-3.0-or-later
// Records that most made logs have around those of interest.
#pragma once

#include "core/base/ids.h"

#include <QByteArray>

namespace longpole {

inline constexpr TrackId pe0{0};
inline constexpr TrackId pe1{1};

inline const QByteArray taskA =
    "2 4 6 100 900 0 80 0 0 0 0 0 5\n3 0 6 110 900 0 0 6\n";  // 100..110 us, entry 6, unmatched key
inline const QByteArray end = "7 1000\n";

}  // namespace longpole
