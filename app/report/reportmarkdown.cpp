// SPDX-License-Identifier: GPL-3.0-or-later
// The report as Markdown with GitHub's tables. Instead of pictures it names the commands that draw them.
#include "app/output/tableoutput.h"
#include "app/report/reportformats.h"
#include "app/report/tasklinks.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

namespace longpole {

namespace {

QString linkMarkdown(const QString& text, const QString& address)
{
    return QLatin1Char('[') + escapedMarkdown(text) + QStringLiteral("](<") + address + QStringLiteral(">)");
}

class MarkdownReport {
public:
    MarkdownReport(const TraceStore& store, const AnalysisResults& results)
        : m_store(store), m_results(results), m_links(store, results.trace)
    {
    }

    Result<QByteArray> text(const Progress& progress) const;

private:
    QString linkedText(const QString& text) const;
    QString cell(const QVariant& value, const Column& column) const;
    QString table(const TableData& table) const;
    QString picture(const FindingFigure& figure) const;
    QString item(const FindingItem& item, std::size_t number) const;
    QString appendix(const Finding& finding) const;

    const TraceStore& m_store;
    const AnalysisResults& m_results;
    TaskLinks m_links;
};

// With the tasks that it names as links into the program.
QString MarkdownReport::linkedText(const QString& text) const
{
    QString markdown;
    qsizetype done = 0;
    for (const TextLink& link : m_links.in(text)) {
        markdown += escapedMarkdown(text.mid(done, link.at - done));
        markdown += linkMarkdown(text.mid(link.at, link.length), link.address);
        done = link.at + link.length;
    }
    return markdown + escapedMarkdown(text.mid(done));
}

QString MarkdownReport::cell(const QVariant& value, const Column& column) const
{
    if (const QString leads = m_links.ofCell(value, column); !leads.isEmpty())
        return linkMarkdown(rawValue(value).toString(), leads);
    return linkedText(readText(value, column, &m_store));
}

QString MarkdownReport::table(const TableData& table) const
{
    QString text;
    if (!table.title.isEmpty()) text += QStringLiteral("**") + escapedMarkdown(table.title) + QStringLiteral("**\n\n");
    QString rule = QStringLiteral("|");
    text += QLatin1Char('|');
    for (const Column& column : table.columns) {
        text += QLatin1Char(' ') + escapedMarkdown(column.title) + QStringLiteral(" |");
        rule += isRightAligned(column.kind) ? QStringLiteral("---:|") : QStringLiteral("---|");
    }
    text += QLatin1Char('\n') + rule + QLatin1Char('\n');
    for (const auto& row : table.rows) {
        text += QLatin1Char('|');
        for (std::size_t i = 0; i < row.size() && i < table.columns.size(); ++i)
            text += QLatin1Char(' ') + cell(row[i], table.columns[i]) + QStringLiteral(" |");
        text += QLatin1Char('\n');
    }
    if (table.rowsOmitted > 0)
        text += QLatin1Char('\n') + tr("%1 more").arg(formatCount(table.rowsOmitted)) + QLatin1Char('\n');
    return text + QLatin1Char('\n');
}

QString MarkdownReport::picture(const FindingFigure& figure) const
{
    return QStringLiteral("*") + tr("Picture, in the .html and .pdf reports: %1").arg(linkedText(figure.caption))
           + QStringLiteral("*")
           + (figure.link.isEmpty() ? QString() : QLatin1Char(' ') + linkMarkdown(tr("Open in Longpole"), figure.link))
           + QStringLiteral("\n\n");
}

QString MarkdownReport::item(const FindingItem& item, std::size_t number) const
{
    QString text = QStringLiteral("### ") + QString::number(number) + QStringLiteral(". ") + linkedText(item.title)
                   + QStringLiteral("\n\n");
    QStringList facts;
    for (const FindingItem::Fact& fact : item.facts)
        facts << escapedMarkdown(fact.name) + QStringLiteral(": **") + linkedText(fact.value) + QStringLiteral("**");
    if (!facts.isEmpty()) text += facts.join(QStringLiteral(" \u00b7 ")) + QStringLiteral("\n\n");
    for (const QString& paragraph : item.paragraphs) text += linkedText(paragraph) + QStringLiteral("\n\n");
    for (const FindingFigure& figure : item.figures) text += picture(figure);
    for (const QString& point : item.points) text += QStringLiteral("- ") + linkedText(point) + QLatin1Char('\n');
    if (!item.points.isEmpty()) text += QLatin1Char('\n');
    return text;
}

QString MarkdownReport::appendix(const Finding& finding) const
{
    QString text = QStringLiteral("### ") + escapedMarkdown(finding.title) + QStringLiteral("\n\n");
    if (!finding.notEvaluated.isEmpty())
        text += QStringLiteral("> ") + tr("Not evaluated: %1").arg(escapedMarkdown(finding.notEvaluated))
                + QStringLiteral("\n\n");
    for (const QString& paragraph : finding.appendix.paragraphs) text += linkedText(paragraph) + QStringLiteral("\n\n");
    for (std::size_t i = 0; i < finding.items.size(); ++i)
        if (const QString& sql = finding.items[i].sql; !sql.isEmpty())
            text += tr("The query behind number %1:").arg(i + 1) + QStringLiteral("\n\n```sql\n") + sql
                    + QStringLiteral("\n```\n\n");
    for (const TableData& table : finding.appendix.tables) text += this->table(table);
    for (const FindingFigure& figure : finding.appendix.figures) text += picture(figure);
    return text;
}

Result<QByteArray> MarkdownReport::text(const Progress& progress) const
{
    QString text = QStringLiteral("# ") + escapedMarkdown(reportTitle(m_store.info())) + QStringLiteral("\n\n")
                   + escapedMarkdown(reportSubtitle(m_store.info())) + QStringLiteral("\n\n");
    for (const Finding& finding : m_results.findings) {
        if (progress.isCancelled()) return cancelledError();
        if (!finding.hasMain()) continue;
        text += QStringLiteral("## ") + escapedMarkdown(finding.title) + QStringLiteral("\n\n");
        for (const QString& paragraph : finding.paragraphs) text += linkedText(paragraph) + QStringLiteral("\n\n");
        for (std::size_t i = 0; i < finding.items.size(); ++i) text += item(finding.items[i], i + 1);
        for (const TableData& table : finding.tables) text += this->table(table);
        for (const FindingFigure& figure : finding.figures) text += picture(figure);
    }
    text += QStringLiteral("## ") + tr("Appendix") + QStringLiteral("\n\n");
    for (const Finding& finding : m_results.findings)
        if (finding.hasAppendix()) text += appendix(finding);
    text += QStringLiteral("---\n\n")
            + escapedMarkdown(tr("Longpole %1, from %2").arg(QStringLiteral(LONGPOLE_VERSION), m_store.info().source))
            + QLatin1Char('\n');
    return text.toUtf8();
}

}  // namespace

Result<QByteArray> reportMarkdown(const TraceStore& store, const AnalysisResults& results, const Progress& progress)
{
    return MarkdownReport(store, results).text(progress);
}

}  // namespace longpole
