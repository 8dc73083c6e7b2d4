// SPDX-License-Identifier: GPL-3.0-or-later
// The report as PDF: a layout of its own on A4 pages, always in the light theme.
#include "app/output/tableoutput.h"
#include "app/report/pdfpage.h"
#include "app/report/reportformats.h"
#include "app/report/reportpictures.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"

#include <QBuffer>

#include <utility>

namespace longpole {

namespace {

constexpr int pdfPictureWidth = 1000;
constexpr double pdfPictureScale = 2.5;
constexpr double keepTogether = 90;  // points that must be left below a section's title

// What the report's parts are drawn with.
struct PdfContext {
    PdfContext(const TraceStore& trace, const AnalysisResults& answers)
        : store(trace), results(answers), palette(trace, lightTheme()), links(trace, answers.trace)
    {
    }

    const TraceStore& store;
    const AnalysisResults& results;
    Palette palette;
    TaskLinks links;
};

PdfCell cell(const QVariant& value, const Column& column, const PdfContext& context)
{
    PdfCell result{readText(value, column, &context.store),
                   isRightAligned(column.kind),
                   {},
                   {},
                   context.links.ofCell(value, column)};
    if (value.isNull()) return result;
    if (column.kind == CellKind::Share) result.bar = rawValue(value).toDouble();
    if (column.kind == CellKind::Entry) {
        result.swatch = QColor::fromRgb(context.palette.entry(EntryId{value.toUInt()}));
        result.text.replace(QStringLiteral("::"), QStringLiteral("::\u200b"));  // where a long name may break
    }
    return result;
}

void addTable(PdfPages& pages, const TableData& table, const PdfContext& context)
{
    if (!table.title.isEmpty()) {
        pages.need(50);
        pages.paragraph(table.title, PdfPages::Style::Heading);
    }
    std::vector<PdfCell> heads;
    for (const Column& column : table.columns) heads.push_back({column.title, isRightAligned(column.kind), {}, {}});
    std::vector<std::vector<PdfCell>> rows;
    for (const auto& values : table.rows) {
        std::vector<PdfCell> cells;
        for (std::size_t i = 0; i < values.size() && i < table.columns.size(); ++i)
            cells.push_back(cell(values[i], table.columns[i], context));
        rows.push_back(std::move(cells));
    }
    pages.table(heads, std::move(rows));
    if (table.rowsOmitted > 0)
        pages.paragraph(tr("%1 more").arg(formatCount(table.rowsOmitted)), PdfPages::Style::Note);
}

Result<> addFigure(PdfPages& pages, const FindingFigure& figure, const PdfContext& context)
{
    const auto image = reportPicture(context.store, figure, reportPath(context.results), lightTheme(), pdfPictureWidth,
                                     pdfPictureScale);
    if (!image) return image.error();
    pages.picture(*image, figure.caption);
    if (!figure.link.isEmpty()) pages.link(tr("Open in Longpole"), figure.link);
    return Unit{};
}

Result<> addItem(PdfPages& pages, const FindingItem& item, std::size_t number, const PdfContext& context)
{
    pages.need(keepTogether);
    pages.paragraph(QString::number(number) + QStringLiteral(". ") + item.title, PdfPages::Style::Item);
    QStringList facts;
    for (const FindingItem::Fact& fact : item.facts) facts << fact.name + QStringLiteral(": ") + fact.value;
    if (!facts.isEmpty())
        pages.paragraph(withFirmFigures(facts.join(QStringLiteral("  \u00b7  "))), PdfPages::Style::Fact);
    for (const QString& paragraph : item.paragraphs) pages.paragraph(withFirmFigures(paragraph), PdfPages::Style::Body);
    for (const FindingFigure& figure : item.figures)
        if (auto added = addFigure(pages, figure, context); !added) return added;
    for (const QString& point : item.points)
        pages.paragraph(QStringLiteral("\u2022 ") + withFirmFigures(point), PdfPages::Style::Body);
    return Unit{};
}

Result<> addFinding(PdfPages& pages, const Finding& finding, const PdfContext& context)
{
    pages.need(keepTogether);
    pages.paragraph(finding.title, PdfPages::Style::Section);
    for (const QString& paragraph : finding.paragraphs)
        pages.paragraph(withFirmFigures(paragraph), PdfPages::Style::Body);
    for (std::size_t i = 0; i < finding.items.size(); ++i)
        if (auto added = addItem(pages, finding.items[i], i + 1, context); !added) return added;
    for (const FindingFigure& figure : finding.figures)
        if (auto added = addFigure(pages, figure, context); !added) return added;
    for (const TableData& table : finding.tables) addTable(pages, table, context);
    return Unit{};
}

Result<> addAppendix(PdfPages& pages, const Finding& finding, const PdfContext& context)
{
    pages.need(keepTogether);
    pages.paragraph(finding.title, PdfPages::Style::Item);
    if (!finding.notEvaluated.isEmpty())
        pages.paragraph(tr("Not evaluated: %1").arg(finding.notEvaluated), PdfPages::Style::Note);
    for (const QString& paragraph : finding.appendix.paragraphs)
        pages.paragraph(withFirmFigures(paragraph), PdfPages::Style::Body);
    for (std::size_t i = 0; i < finding.items.size(); ++i)
        if (const QString& sql = finding.items[i].sql; !sql.isEmpty()) {
            pages.paragraph(tr("The query behind number %1:").arg(i + 1), PdfPages::Style::Body);
            pages.paragraph(sql, PdfPages::Style::Query);
        }
    for (const FindingFigure& figure : finding.appendix.figures)
        if (auto added = addFigure(pages, figure, context); !added) return added;
    for (const TableData& table : finding.appendix.tables) addTable(pages, table, context);
    return Unit{};
}

}  // namespace

Result<QByteArray> reportPdf(const TraceStore& store, const AnalysisResults& results, const Progress& progress)
{
    const TraceInfo& info = store.info();
    const PdfContext context(store, results);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    PdfPages pages(buffer, tr("%1 - Longpole report").arg(reportTitle(info)),
                   tr("Longpole %1, from %2").arg(QStringLiteral(LONGPOLE_VERSION), info.source), context.links);
    pages.paragraph(reportTitle(info), PdfPages::Style::Title);
    pages.paragraph(reportSubtitle(info), PdfPages::Style::Subtitle);
    double done = 0;
    for (const Finding& finding : results.findings) {
        if (progress.isCancelled()) return cancelledError();
        if (finding.hasMain())
            if (auto added = addFinding(pages, finding, context); !added) return added.error();
        progress.report(++done / double(results.findings.size()));
    }
    pages.need(keepTogether);
    pages.paragraph(tr("Appendix"), PdfPages::Style::Section);
    for (const Finding& finding : results.findings)
        if (finding.hasAppendix())
            if (auto added = addAppendix(pages, finding, context); !added) return added.error();
    pages.finish();
    return buffer.data();
}

}  // namespace longpole
