// SPDX-License-Identifier: GPL-3.0-or-later
// longpole: links, which open the desktop program on a trace, at a range or a task of it: from reports, or a mail.
#pragma once

#include "analysis/report/analyses.h"
#include "core/base/ids.h"
#include "core/base/timerange.h"

#include <QString>

#include <optional>

namespace longpole {

struct TraceLink {
    QString path;     // absolute
    TimeRange range;  // since the begin of the run; empty: all of it
    TaskId task{};    // none, if it is not valid
    friend bool operator==(const TraceLink&, const TraceLink&) = default;
};

// "longpole:/runs/wave2d.sts?from=12000000&until=15000000", in ns; or "longpole:/runs/wave2d.sts?task=3:1207".
QString toText(const TraceLink& link);
bool isTraceLink(const QString& text);  // by its scheme
// Empty unless it names a file of this machine by its absolute path.
std::optional<TraceLink> traceLinkFrom(const QString& text);

// The results with links to what each picture shows and to tasks, for those who open their report where the trace is.
AnalysisResults withLinks(AnalysisResults results, const TraceStore& store, const QString& trace);

}  // namespace longpole
