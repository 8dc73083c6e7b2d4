// The report as Markdown (GitHub's tables), to paste where text goes; pictures stay out, their command is named.
#include "app/report/reportformats.h"
#include "app/output/tableoutput.h"
#include "core/format.h"
#include "core/translate.h"

namespace longpole {

namespace {

// Nothing in a name or sentence may turn into markup or end a table's cell.
QString escaped(const QString& text)
{
    QString result;
    for (const QChar c : text) {
        if (QStringLiteral("\\`*_{}[]<>|#~").contains(c)) result += QLatin1Char('\\');
        result += c.category() == QChar::Other_Control ? QChar(QLatin1Char(' ')) : c;
    }
    return result;
}

QString tableText(const FindingTable& table, const TraceStore& store)
{
    QString text;
    if (!table.title.isEmpty()) text += QStringLiteral("**") + escaped(table.title) + QStringLiteral("**\n\n");
    QString rule = QStringLiteral("|");
    text += QLatin1Char('|');
    for (const FindingColumn& column : table.columns) {
        text += QLatin1Char(' ') + escaped(column.title) + QStringLiteral(" |");
        rule += isRightAligned(column.kind) ? QStringLiteral("--:|") : QStringLiteral("--|");
    }
    text += QLatin1Char('\n') + rule + QLatin1Char('\n');
    for (const auto& row : table.rows) {
        text += QLatin1Char('|');
        for (std::size_t i = 0; i < row.size() && i < table.columns.size(); ++i)
            text += QLatin1Char(' ') + escaped(cellText(row[i], table.columns[i].kind, &store)) + QStringLiteral(" |");
        text += QLatin1Char('\n');
    }
    if (table.rowsOmitted > 0) text += QLatin1Char('\n') + tr("%1 more").arg(formatCount(table.rowsOmitted)) + QLatin1Char('\n');
    return text + QLatin1Char('\n');
}

}  // namespace

Result<QByteArray> reportMarkdown(const TraceStore& store, const AnalysisResults& results, const Progress& progress)
{
    QString text = QStringLiteral("# ") + escaped(reportTitle(store.info())) + QStringLiteral("\n\n")
                   + escaped(reportSubtitle(store.info())) + QStringLiteral("\n\n");
    for (const Finding& finding : results.findings) {
        if (progress.isCancelled()) return Error{QStringLiteral("cancelled"), {}, {}};
        text += QStringLiteral("## ") + escaped(finding.title) + QStringLiteral("\n\n");
        for (const QString& paragraph : finding.paragraphs) text += escaped(paragraph) + QStringLiteral("\n\n");
        if (!finding.notEvaluated.isEmpty())
            text += QStringLiteral("> ") + tr("Not evaluated: %1").arg(escaped(finding.notEvaluated)) + QStringLiteral("\n\n");
        for (const FindingTable& table : finding.tables) text += tableText(table, store);
        for (const FindingFigure& figure : finding.figures)
            text += QStringLiteral("*") + tr("Picture, in the .html and .pdf reports: %1").arg(escaped(figure.caption))
                    + QStringLiteral("*\n\n");
    }
    text += QStringLiteral("---\n\n")
            + escaped(tr("Longpole %1, from %2").arg(QStringLiteral(LONGPOLE_VERSION), store.info().source))
            + QLatin1Char('\n');
    return text.toUtf8();
}

}  // namespace longpole
