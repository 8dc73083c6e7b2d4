// SPDX-License-Identifier: GPL-3.0-or-later
// The unit in which tests write times.
#pragma once

#include "core/base/timerange.h"

namespace longpole {

inline constexpr TimeNs us = 1000;

}  // namespace longpole
