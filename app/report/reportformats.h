// SPDX-License-Identifier: GPL-3.0-or-later
// The report in each of its formats, as bytes; reportexport.h chooses one of them and writes the file.
#pragma once

#include "analysis/report/analyses.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QByteArray>
#include <QString>

namespace longpole {

// Errors of all: a damaged trace, cancelled.
Result<QByteArray> reportHtml(const TraceStore& store, const AnalysisResults& results, const Progress& progress);
Result<QByteArray> reportMarkdown(const TraceStore& store, const AnalysisResults& results, const Progress& progress);
Result<QByteArray> reportJson(const TraceStore& store, const AnalysisResults& results, const Progress& progress);
Result<QByteArray> reportPdf(const TraceStore& store, const AnalysisResults& results, const Progress& progress);

// The path that timelines mark.
inline const CriticalPath* reportPath(const AnalysisResults& results) { return results.paths->workAtOrder.get(); }

// "wave2d on 6 PEs": the title; "228.5 ms, 19 365 records, Projections 11.0": below it.
QString reportTitle(const TraceInfo& info);
QString reportSubtitle(const TraceInfo& info);

// The text with no-break spaces inside numbers and between a figure and its unit.
QString withFirmFigures(QString text);

}  // namespace longpole
