// SPDX-License-Identifier: GPL-3.0-or-later
// The usage profile as a picture: a bar per processor, user time stacked by entry method, then overhead and idle.
#pragma once

#include "analysis/projection/usageprofile.h"
#include "views/drawing/pictures/renderhistogram.h"

namespace longpole {

// Where there are more processors than pixels, neighbours share a bar, which shows their average.
Result<QByteArray> renderUsage(const TraceStore& store, const UsageProfile& profile, const ChartPicture& picture);

}  // namespace longpole
