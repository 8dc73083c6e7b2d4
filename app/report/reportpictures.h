// SPDX-License-Identifier: GPL-3.0-or-later
// The pictures of a report: each figure of a finding drawn in a theme.
#pragma once

#include "analysis/base/finding.h"
#include "analysis/paths/criticalpath.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"
#include "views/drawing/basics/theme.h"

#include <QImage>

namespace longpole {

// `path` is marked on timelines that ask for one and bring none; may be null. `width` in pixels before `scale`.
Result<QImage> reportPicture(const TraceStore& store, const FindingFigure& figure, const CriticalPath* path,
                             const Theme& theme, int width, double scale);

}  // namespace longpole
