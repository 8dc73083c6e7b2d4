// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/reportexport.h"
#include "analysis/base/naming.h"
#include "app/common/runname.h"

#include "app/report/reportformats.h"
#include "core/base/namedfile.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QFileInfo>
#include <algorithm>
#include <iterator>

namespace longpole {

namespace {

using Renderer = Result<QByteArray> (*)(const TraceStore&, const AnalysisResults&, const Progress&);

struct Format {
    const char* ending;
    Renderer render;
};

constexpr Format formats[] = {
    {"html", reportHtml}, {"htm", reportHtml}, {"md", reportMarkdown}, {"json", reportJson}, {"pdf", reportPdf},
};

}  // namespace

QStringList reportFormats()
{
    return {QStringLiteral("html"), QStringLiteral("md"), QStringLiteral("json"), QStringLiteral("pdf")};
}

QString reportTitle(const TraceInfo& info)
{
    const QString program = info.program.isEmpty() ? recordedRunName(info.source) : info.program;
    if (info.processors == 1) return info.vocabulary.say(tr("%1 on one PE"), tr("%1 on one rank")).arg(program);
    return tr("%1 on %2").arg(program, countedProcessors(info.vocabulary, info.processors));
}

QString reportSubtitle(const TraceInfo& info)
{
    QStringList parts;
    if (!info.source.isEmpty()) parts << recordedRunNameWithFolder(info.source);
    parts << QStringList{formatTime(info.duration()), counted("%1 tasks", "%1 task", info.tasks),
                         !info.isSummary() ? counted("%1 messages", "%1 message", info.messages)
                                           : tr("sums over intervals of %1").arg(formatTime(info.interval)),
                         counted("%1 records", "%1 record", info.records)};
    return parts.join(QStringLiteral(" \u00b7 "));
}

namespace {

bool isDigit(QChar c) { return c >= QLatin1Char('0') && c <= QLatin1Char('9'); }
bool isLetter(QChar c)
{
    return (c >= QLatin1Char('a') && c <= QLatin1Char('z')) || (c >= QLatin1Char('A') && c <= QLatin1Char('Z'));
}

// Whether a text begins with what should stay on the line of the number before it: "%", "ms", "kB", "PEs".
bool isCounted(QStringView text)
{
    qsizetype word = 0;
    while (word < text.size() && isLetter(text[word])) ++word;
    if (word == 0) return text.startsWith(QLatin1Char('%')) && (text.size() == 1 || !isLetter(text[1]));
    constexpr const char* all[] = {"ns", "us", "ms", "s", "B", "kB", "MB", "GB", "TB", "PE", "PEs", "rank", "ranks"};
    return std::any_of(std::begin(all), std::end(all),
                       [&](const char* one) { return text.left(word) == QLatin1String(one); });
}

}  // namespace

QString withFirmFigures(QString text)
{
    text.replace(QChar(0x2009), QChar(0x202f));
    for (qsizetype at = 1; at < text.size(); ++at)
        if (text[at] == QLatin1Char(' ') && isDigit(text[at - 1]) && isCounted(QStringView(text).mid(at + 1)))
            text[at] = QChar(0x00a0);
    return text;
}

Result<QByteArray> reportBytes(const TraceStore& store, const AnalysisResults& results, const QString& ending,
                               const Progress& progress)
{
    for (const Format& format : formats)
        if (ending == QLatin1String(format.ending)) return format.render(store, results, progress);
    return Error{tr("A report ends in .html, .md, .json or .pdf."), ending, {}};
}

Result<> exportReport(const TraceStore& store, const AnalysisResults& results, const QString& file,
                      const Progress& progress)
{
    const auto bytes = reportBytes(store, results, QFileInfo(file).suffix().toLower(), progress);
    if (bytes) return writeNamedFile(file, *bytes);
    return Error{bytes.error().what, file, bytes.error().hint, bytes.error().kind};
}

}  // namespace longpole
