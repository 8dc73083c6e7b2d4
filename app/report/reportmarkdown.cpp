// SPDX-License-Identifier: GPL-3.0-or-later
// The report as Markdown with GitHub's tables. Instead of pictures it names the commands that draw them.
#include "app/output/tableoutput.h"
#include "app/report/reportformats.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

namespace longpole {

namespace {

QString tableMarkdown(const TableData& table, const TraceStore& store)
{
    QString text;
    if (!table.title.isEmpty()) text += QStringLiteral("**") + escapedMarkdown(table.title) + QStringLiteral("**\n\n");
    QString rule = QStringLiteral("|");
    text += QLatin1Char('|');
    for (const Column& column : table.columns) {
        text += QLatin1Char(' ') + escapedMarkdown(column.title) + QStringLiteral(" |");
        rule += isRightAligned(column.kind) ? QStringLiteral("--:|") : QStringLiteral("--|");
    }
    text += QLatin1Char('\n') + rule + QLatin1Char('\n');
    for (const auto& row : table.rows) {
        text += QLatin1Char('|');
        for (std::size_t i = 0; i < row.size() && i < table.columns.size(); ++i)
            text += QLatin1Char(' ') + escapedMarkdown(readText(row[i], table.columns[i], &store))
                    + QStringLiteral(" |");
        text += QLatin1Char('\n');
    }
    if (table.rowsOmitted > 0)
        text += QLatin1Char('\n') + tr("%1 more").arg(formatCount(table.rowsOmitted)) + QLatin1Char('\n');
    return text + QLatin1Char('\n');
}

QString pictureText(const FindingFigure& figure)
{
    return QStringLiteral("*") + tr("Picture, in the .html and .pdf reports: %1").arg(escapedMarkdown(figure.caption))
           + QStringLiteral("*")
           + (figure.link.isEmpty() ? QString()
                                    : QStringLiteral(" [%1](<%2>)").arg(tr("Open in Longpole"), figure.link))
           + QStringLiteral("\n\n");
}

QString itemText(const FindingItem& item, std::size_t number)
{
    QString text = QStringLiteral("### ") + QString::number(number) + QStringLiteral(". ") + escapedMarkdown(item.title)
                   + QStringLiteral("\n\n");
    QStringList facts;
    for (const FindingItem::Fact& fact : item.facts)
        facts << escapedMarkdown(fact.name) + QStringLiteral(": **") + escapedMarkdown(fact.value)
                     + QStringLiteral("**");
    if (!facts.isEmpty()) text += facts.join(QStringLiteral(" \u00b7 ")) + QStringLiteral("\n\n");
    for (const QString& paragraph : item.paragraphs) text += escapedMarkdown(paragraph) + QStringLiteral("\n\n");
    for (const FindingFigure& figure : item.figures) text += pictureText(figure);
    for (const QString& point : item.points) text += QStringLiteral("- ") + escapedMarkdown(point) + QLatin1Char('\n');
    if (!item.points.isEmpty()) text += QLatin1Char('\n');
    return text;
}

QString appendixText(const Finding& finding, const TraceStore& store)
{
    QString text = QStringLiteral("### ") + escapedMarkdown(finding.title) + QStringLiteral("\n\n");
    if (!finding.notEvaluated.isEmpty())
        text += QStringLiteral("> ") + tr("Not evaluated: %1").arg(escapedMarkdown(finding.notEvaluated))
                + QStringLiteral("\n\n");
    for (const QString& paragraph : finding.appendix.paragraphs)
        text += escapedMarkdown(paragraph) + QStringLiteral("\n\n");
    for (std::size_t i = 0; i < finding.items.size(); ++i)
        if (const QString& sql = finding.items[i].sql; !sql.isEmpty())
            text += tr("The query behind number %1:").arg(i + 1) + QStringLiteral("\n\n```sql\n") + sql
                    + QStringLiteral("\n```\n\n");
    for (const TableData& table : finding.appendix.tables) text += tableMarkdown(table, store);
    for (const FindingFigure& figure : finding.appendix.figures) text += pictureText(figure);
    return text;
}

}  // namespace

Result<QByteArray> reportMarkdown(const TraceStore& store, const AnalysisResults& results, const Progress& progress)
{
    QString text = QStringLiteral("# ") + escapedMarkdown(reportTitle(store.info())) + QStringLiteral("\n\n")
                   + escapedMarkdown(reportSubtitle(store.info())) + QStringLiteral("\n\n");
    for (const Finding& finding : results.findings) {
        if (progress.isCancelled()) return cancelledError();
        if (!finding.hasMain()) continue;
        text += QStringLiteral("## ") + escapedMarkdown(finding.title) + QStringLiteral("\n\n");
        for (const QString& paragraph : finding.paragraphs) text += escapedMarkdown(paragraph) + QStringLiteral("\n\n");
        for (std::size_t i = 0; i < finding.items.size(); ++i) text += itemText(finding.items[i], i + 1);
        for (const TableData& table : finding.tables) text += tableMarkdown(table, store);
        for (const FindingFigure& figure : finding.figures) text += pictureText(figure);
    }
    text += QStringLiteral("## ") + tr("Appendix") + QStringLiteral("\n\n");
    for (const Finding& finding : results.findings)
        if (finding.hasAppendix()) text += appendixText(finding, store);
    text += QStringLiteral("---\n\n")
            + escapedMarkdown(tr("Longpole %1, from %2").arg(QStringLiteral(LONGPOLE_VERSION), store.info().source))
            + QLatin1Char('\n');
    return text.toUtf8();
}

}  // namespace longpole
