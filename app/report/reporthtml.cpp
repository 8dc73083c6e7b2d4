// SPDX-License-Identifier: GPL-3.0-or-later
// The report as one self-contained HTML page: inline style, pictures as data: URIs in both themes, no script.
#include "app/output/tableoutput.h"
#include "app/report/reportformats.h"
#include "app/report/reportpictures.h"
#include "app/report/tasklinks.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/drawing/basics/palette.h"

#include <QBuffer>
#include <QColor>
#include <QFile>

#include <algorithm>

namespace longpole {

namespace {

constexpr int htmlPictureWidth = 1100;
constexpr double htmlPictureScale = 1.5;

QString firmText(const QString& text) { return withFirmFigures(onOneLine(text)); }
QString escapedHtml(const QString& text) { return firmText(text).toHtmlEscaped(); }

QString linkHtml(const QString& text, const QString& address)
{
    return QStringLiteral("<a class=\"t\" href=\"") + address.toHtmlEscaped() + QStringLiteral("\">")
           + text.toHtmlEscaped() + QStringLiteral("</a>");
}

class HtmlReport {
public:
    HtmlReport(const TraceStore& store, const AnalysisResults& results)
        : m_store(store), m_results(results), m_palette(store, lightTheme()), m_links(store, results.trace)
    {
    }

    Result<QByteArray> write(const Progress& progress);

private:
    void head();
    void table(const TableData& table);
    QString cell(const QVariant& value, const Column& column) const;
    QString linkedText(const QString& text) const;
    Result<> figure(const FindingFigure& figure);
    Result<QString> dataUri(const FindingFigure& figure, const Theme& theme) const;
    Result<> item(const FindingItem& item, std::size_t number);
    Result<> section(const Finding& finding);
    Result<> appendixOf(const Finding& finding);
    void foot();

    const TraceStore& m_store;
    const AnalysisResults& m_results;
    Palette m_palette;
    TaskLinks m_links;
    QString m_html;
};

void HtmlReport::head()
{
    QFile style(QStringLiteral(":/report/report.css"));
    const QString css = style.open(QIODevice::ReadOnly) ? QString::fromUtf8(style.readAll()) : QString();
    const QString title = escapedHtml(reportTitle(m_store.info()));
    m_html += QStringLiteral(
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"generator\" content=\"Longpole " LONGPOLE_VERSION
                  "\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'; img-src data:\">\n<title>")
              + title + QStringLiteral(" \u00b7 Longpole</title>\n<style>\n") + css
              + QStringLiteral("</style>\n</head>\n<body>\n<header>\n<h1>") + title + QStringLiteral("</h1>\n<p>")
              + escapedHtml(reportSubtitle(m_store.info())) + QStringLiteral("</p>\n<nav>");
    for (const Finding& finding : m_results.findings)
        if (finding.hasMain())
            m_html += QStringLiteral("<a href=\"#") + escapedHtml(finding.id) + QStringLiteral("\">")
                      + escapedHtml(finding.title) + QStringLiteral("</a> ");
    m_html += QStringLiteral("<a href=\"#appendix\">") + tr("Appendix") + QStringLiteral("</a> ");
    m_html += QStringLiteral("</nav>\n</header>\n<main>\n");
}

// The text as HTML, with the tasks that it names as links into the program.
QString HtmlReport::linkedText(const QString& text) const
{
    const QString firm = firmText(text);
    QString html;
    qsizetype done = 0;
    for (const TextLink& link : m_links.in(firm)) {
        html += firm.mid(done, link.at - done).toHtmlEscaped() + linkHtml(firm.mid(link.at, link.length), link.address);
        done = link.at + link.length;
    }
    return html + firm.mid(done).toHtmlEscaped();
}

QString HtmlReport::cell(const QVariant& value, const Column& column) const
{
    const QString text = linkedText(readText(value, column, &m_store));
    if (const QString leads = m_links.ofCell(value, column); !leads.isEmpty())
        return QStringLiteral("<td>") + linkHtml(rawValue(value).toString(), leads) + QStringLiteral("</td>");
    switch (column.kind) {
    case CellKind::Text:
    case CellKind::Flag:
    case CellKind::Code: return QStringLiteral("<td>") + text + QStringLiteral("</td>");
    case CellKind::Entry: {
        if (value.isNull()) return QStringLiteral("<td></td>");
        const QString colour = QColor::fromRgb(m_palette.entry(EntryId{value.toUInt()})).name();
        return QStringLiteral("<td class=\"e\"><span class=\"swatch\" style=\"background:") + colour
               + QStringLiteral("\"></span>") + QString(text).replace(QStringLiteral("::"), QStringLiteral("::<wbr>"))
               + QStringLiteral("</td>");
    }
    case CellKind::Share: {
        const double percent = 100 * std::clamp(rawValue(value).toDouble(), 0.0, 1.0);
        const bool ofPath = column.key == QLatin1String("share")
                            && column.title.contains(tr("path"), Qt::CaseInsensitive);
        return QStringLiteral("<td class=\"s") + (ofPath ? QStringLiteral(" path") : QString()) + QStringLiteral("\">")
               + text + QStringLiteral("<i><b style=\"width:") + QString::number(percent, 'f', 1)
               + QStringLiteral("%\"></b></i></td>");
    }
    default: return QStringLiteral("<td class=\"n\">") + text + QStringLiteral("</td>");
    }
}

void HtmlReport::table(const TableData& table)
{
    if (!table.title.isEmpty()) m_html += QStringLiteral("<h3>") + escapedHtml(table.title) + QStringLiteral("</h3>\n");
    m_html += QStringLiteral("<div class=\"scroll\"><table>\n<thead><tr>");
    for (const Column& column : table.columns) {
        const QString kind = column.kind == CellKind::Share ? QStringLiteral(" class=\"s\"")
                             : isRightAligned(column.kind)  ? QStringLiteral(" class=\"n\"")
                                                            : QString();
        const QString meaning = column.meaning.isEmpty()
                                    ? QString()
                                    : QStringLiteral(" title=\"") + escapedHtml(column.meaning) + QLatin1Char('"');
        m_html += QStringLiteral("<th") + kind + meaning + QLatin1Char('>') + escapedHtml(column.title)
                  + QStringLiteral("</th>");
    }
    m_html += QStringLiteral("</tr></thead>\n<tbody>\n");
    for (const auto& row : table.rows) {
        m_html += QStringLiteral("<tr>");
        for (std::size_t i = 0; i < row.size() && i < table.columns.size(); ++i)
            m_html += cell(row[i], table.columns[i]);
        m_html += QStringLiteral("</tr>\n");
    }
    m_html += QStringLiteral("</tbody>\n</table></div>\n");
    if (table.rowsOmitted > 0)
        m_html += QStringLiteral("<p class=\"more\">") + escapedHtml(tr("%1 more").arg(formatCount(table.rowsOmitted)))
                  + QStringLiteral("</p>\n");
}

Result<QString> HtmlReport::dataUri(const FindingFigure& figure, const Theme& theme) const
{
    const auto image = reportPicture(m_store, figure, reportPath(m_results), theme, htmlPictureWidth, htmlPictureScale);
    if (!image) return image.error();
    QBuffer png;
    png.open(QIODevice::WriteOnly);
    image->save(&png, "PNG");
    return QString(QStringLiteral("data:image/png;base64,") + QString::fromLatin1(png.data().toBase64()));
}

Result<> HtmlReport::figure(const FindingFigure& figure)
{
    const auto light = dataUri(figure, lightTheme());
    if (!light) return light.error();
    const auto dark = dataUri(figure, darkTheme());
    if (!dark) return dark.error();
    m_html += QStringLiteral("<figure><picture><source media=\"screen and (prefers-color-scheme: dark)\" srcset=\"")
              + *dark + QStringLiteral("\"><img alt=\"") + escapedHtml(figure.caption) + QStringLiteral("\" src=\"")
              + *light + QStringLiteral("\"></picture><figcaption>") + linkedText(figure.caption);
    if (!figure.link.isEmpty())
        m_html += QStringLiteral(" <a href=\"") + figure.link.toHtmlEscaped() + QStringLiteral("\">")
                  + tr("Open in Longpole") + QStringLiteral("</a>");
    m_html += QStringLiteral("</figcaption></figure>\n");
    return Unit{};
}

Result<> HtmlReport::item(const FindingItem& item, std::size_t number)
{
    m_html += QStringLiteral("<article>\n<h3>") + QString::number(number) + QStringLiteral(". ")
              + linkedText(item.title) + QStringLiteral("</h3>\n");
    if (!item.facts.empty()) m_html += QStringLiteral("<dl>");
    for (const FindingItem::Fact& fact : item.facts)
        m_html += QStringLiteral("<div><dt>") + escapedHtml(fact.name) + QStringLiteral("</dt><dd>")
                  + linkedText(fact.value) + QStringLiteral("</dd></div>");
    if (!item.facts.empty()) m_html += QStringLiteral("</dl>\n");
    for (const QString& paragraph : item.paragraphs)
        m_html += QStringLiteral("<p>") + linkedText(paragraph) + QStringLiteral("</p>\n");
    for (const FindingFigure& picture : item.figures)
        if (auto drawn = figure(picture); !drawn) return drawn;
    if (!item.points.isEmpty()) m_html += QStringLiteral("<ul>\n");
    for (const QString& point : item.points)
        m_html += QStringLiteral("<li>") + linkedText(point) + QStringLiteral("</li>\n");
    if (!item.points.isEmpty()) m_html += QStringLiteral("</ul>\n");
    m_html += QStringLiteral("</article>\n");
    return Unit{};
}

Result<> HtmlReport::section(const Finding& finding)
{
    m_html += QStringLiteral("<section id=\"") + escapedHtml(finding.id) + QStringLiteral("\">\n<h2>")
              + escapedHtml(finding.title) + QStringLiteral("</h2>\n");
    for (const QString& paragraph : finding.paragraphs)
        m_html += QStringLiteral("<p>") + linkedText(paragraph) + QStringLiteral("</p>\n");
    for (std::size_t i = 0; i < finding.items.size(); ++i)
        if (auto written = item(finding.items[i], i + 1); !written) return written;
    for (const FindingFigure& picture : finding.figures)
        if (auto drawn = figure(picture); !drawn) return drawn;
    for (const TableData& rows : finding.tables) table(rows);
    m_html += QStringLiteral("</section>\n");
    return Unit{};
}

Result<> HtmlReport::appendixOf(const Finding& finding)
{
    m_html += QStringLiteral("<h3>") + escapedHtml(finding.title) + QStringLiteral("</h3>\n");
    if (!finding.notEvaluated.isEmpty())
        m_html += QStringLiteral("<p class=\"unjudged\">")
                  + tr("Not evaluated: %1").arg(escapedHtml(finding.notEvaluated)) + QStringLiteral("</p>\n");
    for (const QString& paragraph : finding.appendix.paragraphs)
        m_html += QStringLiteral("<p>") + linkedText(paragraph) + QStringLiteral("</p>\n");
    for (std::size_t i = 0; i < finding.items.size(); ++i)
        if (const QString& sql = finding.items[i].sql; !sql.isEmpty())
            m_html += QStringLiteral("<p>") + tr("The query behind number %1:").arg(i + 1)
                      + QStringLiteral("</p>\n<pre>") + sql.toHtmlEscaped() + QStringLiteral("</pre>\n");
    for (const FindingFigure& picture : finding.appendix.figures)
        if (auto drawn = figure(picture); !drawn) return drawn;
    for (const TableData& rows : finding.appendix.tables) table(rows);
    return Unit{};
}

void HtmlReport::foot()
{
    const TraceInfo& info = m_store.info();
    m_html += QStringLiteral("</main>\n<footer>")
              + escapedHtml(tr("Longpole %1, from %2").arg(QStringLiteral(LONGPOLE_VERSION), info.source))
              + QStringLiteral("</footer>\n</body>\n</html>\n");
}

Result<QByteArray> HtmlReport::write(const Progress& progress)
{
    head();
    double done = 0;
    for (const Finding& finding : m_results.findings) {
        if (progress.isCancelled()) return cancelledError();
        if (finding.hasMain())
            if (auto written = section(finding); !written) return written.error();
        progress.report(++done / double(m_results.findings.size()));
    }
    m_html += QStringLiteral("<section id=\"appendix\">\n<h2>") + tr("Appendix") + QStringLiteral("</h2>\n");
    for (const Finding& finding : m_results.findings)
        if (finding.hasAppendix())
            if (auto written = appendixOf(finding); !written) return written.error();
    m_html += QStringLiteral("</section>\n");
    foot();
    return m_html.toUtf8();
}

}  // namespace

Result<QByteArray> reportHtml(const TraceStore& store, const AnalysisResults& results, const Progress& progress)
{
    return HtmlReport(store, results).write(progress);
}

}  // namespace longpole
