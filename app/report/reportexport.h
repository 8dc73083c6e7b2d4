// SPDX-License-Identifier: GPL-3.0-or-later
// The expert report as a file: the findings of all analyses as .html, .md, .json or .pdf.
#pragma once

#include "analysis/report/analyses.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <QByteArray>
#include <QString>

namespace longpole {

// Writes the report in the format that the ending of `file` names (.html .htm .md .json .pdf), replacing the file only
// when all of it was written. Needs a QGuiApplication for the pictures (all formats but .json). Errors: another ending,
// not writable, disk full, a damaged trace, cancelled.
Result<> exportReport(const TraceStore& store, const AnalysisResults& results, const QString& file,
                      const Progress& progress);

// The bytes of that file; `ending` without its dot.
Result<QByteArray> reportBytes(const TraceStore& store, const AnalysisResults& results, const QString& ending,
                               const Progress& progress);

// The endings that exportReport takes, for usage texts and file dialogs: "html", "md", "json", "pdf".
QStringList reportFormats();

}  // namespace longpole
