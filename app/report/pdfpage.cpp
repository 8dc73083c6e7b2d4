// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/report/pdfpage.h"

#include "core/base/translate.h"

#include <QBuffer>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QPageLayout>
#include <QPageSize>
#include <QTextLayout>
#include <QTextOption>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace longpole {

namespace {

constexpr int resolution = 1200;  // device units per inch; lengths below are points

constexpr double u(double points) { return points * resolution / 72.0; }

constexpr double margin = u(48);
constexpr double footerHeight = u(26);
constexpr double gutter = u(11);  // between columns
constexpr double rowPadding = u(3);
constexpr double barHeight = u(2.4);
constexpr double barSpace = u(4.5);
constexpr double swatchSize = u(6.5);
constexpr double swatchSpace = u(10);
constexpr double shareColumn = u(62);  // a column of bars is at least this wide
constexpr double tableTextPoints = 8.5;

const QColor textColour(0x1d, 0x25, 0x30);
const QColor mutedColour(0x5c, 0x68, 0x78);
const QColor lineColour(0xd5, 0xdb, 0xe2);
const QColor barColour(0x5b, 0x80, 0xa8);

// Without shaping: letters that stand for others beside them, as a font's colon between figures, are none that a reader
// of the file can copy or look for.
QFont fontOf(const QStringList& families, double points, QFont::Weight weight = QFont::Normal)
{
    QFont font;
    font.setFamilies(families);
    font.setPointSizeF(points);
    font.setWeight(weight);
    font.setStyleStrategy(QFont::PreferNoShaping);
    return font;
}

QFont sized(double points, QFont::Weight weight = QFont::Normal)
{
    return fontOf({QStringLiteral("Inter"), QStringLiteral("Noto Sans"), QStringLiteral("Liberation Sans"),
                   QStringLiteral("DejaVu Sans")},
                  points, weight);
}

QFont figureFont(const QFont& beside)
{
    return fontOf({QStringLiteral("Liberation Sans"), QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans"),
                   QStringLiteral("Inter")},
                  beside.pointSizeF() * (QFontDatabase::hasFamily(QStringLiteral("Liberation Sans")) ? 1 : 0.92));
}

// As much as a page holds: a trace may have command lines of megabytes, and to lay a text out takes longer than its
// length. Lines end as a layout wants it.
QString onOnePage(const QString& text)
{
    constexpr qsizetype most = 4000;
    QString page = text.size() <= most ? text : text.left(most) + QStringLiteral("\u2026");
    return page.replace(QLatin1Char('\n'), QChar(QChar::LineSeparator));
}

// Lays the text out and returns its height. A word that is too wide is broken anywhere, as names of templates have no
// blanks.
double layOut(QTextLayout& layout, double width, bool right)
{
    QTextOption option(right ? Qt::AlignRight : Qt::AlignLeft);
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    double height = 0;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        line.setPosition({0, height});
        height += line.height() * 1.08;
    }
    layout.endLayout();
    return height;
}

}  // namespace

PdfPages::PdfPages(QBuffer& out, const QString& title, const QString& footer, const TaskLinks& links)
    : m_links(links), m_writer(&out), m_footer(onOnePage(footer))
{
    m_writer.setResolution(resolution);
    m_writer.setPageSize(QPageSize(QPageSize::A4));
    m_writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    m_writer.setTitle(onOnePage(title));
    m_writer.setCreator(QStringLiteral("Longpole " LONGPOLE_VERSION));
    m_painter.begin(&m_writer);
    m_painter.translate(margin, margin);
    m_width = m_writer.width() - 2 * margin;
    m_height = m_writer.height() - 2 * margin - footerHeight;
}

PdfPages::~PdfPages() { finish(); }

void PdfPages::finish()
{
    if (!m_painter.isActive()) return;
    pageFooter();
    m_painter.end();
}

PdfPages::Look PdfPages::look(Style style) const
{
    switch (style) {
    case Style::Title: return {sized(21, QFont::DemiBold), textColour, 0, u(3)};
    case Style::Subtitle: return {sized(9.5), mutedColour, 0, u(10)};
    case Style::Section: return {sized(14, QFont::DemiBold), textColour, u(16), u(5)};
    case Style::Item: return {sized(11, QFont::DemiBold), textColour, u(10), u(2)};
    case Style::Fact: return {sized(9, QFont::DemiBold), mutedColour, u(1), u(3)};
    case Style::Heading: return {sized(9, QFont::DemiBold), mutedColour, u(9), u(3)};
    case Style::Note: return {sized(8), mutedColour, u(2), u(5)};
    case Style::Query:
        return {fontOf({QStringLiteral("Noto Sans Mono"), QStringLiteral("Liberation Mono"),
                        QStringLiteral("DejaVu Sans Mono")},
                       7.5),
                mutedColour, u(2), u(5)};
    case Style::Body: break;
    }
    return {sized(9.5), textColour, u(1), u(4)};
}

double PdfPages::textHeight(const QString& text, const QFont& font, double width) const
{
    QTextLayout layout(text, font, &m_writer);
    return layOut(layout, width, false);
}

void PdfPages::drawText(const QRectF& box, const QString& text, const QFont& font, const QColor& colour, bool right,
                        const std::vector<TextLink>& links)
{
    QTextLayout layout(text, font, &m_writer);
    QList<QTextLayout::FormatRange> formats;
    for (const TextLink& link : links) {
        QTextCharFormat format;
        format.setAnchor(true);
        format.setAnchorHref(link.address);
        format.setFontUnderline(true);
        format.setForeground(colour);
        formats.append({static_cast<int>(link.at), static_cast<int>(link.length), format});
    }
    layout.setFormats(formats);
    layOut(layout, box.width(), right);
    m_painter.setPen(colour);
    layout.draw(&m_painter, box.topLeft());
}

// Draws digits at equal distances, so that columns of numbers line up: by a font whose digits are as wide as each
// other, or one by one, which a reader of the file copies with blanks between them.
void PdfPages::drawFigures(const QRectF& box, const QString& text, const QFont& font, const QColor& colour)
{
    const QFontMetricsF metrics(font, &m_writer);
    const double digit = metrics.horizontalAdvance(QLatin1Char('0'));
    m_painter.setPen(colour);
    m_painter.setFont(font);
    if (std::abs(metrics.horizontalAdvance(QLatin1Char('1')) - digit) < 1)
        return m_painter.drawText(QPointF(box.right() - metrics.horizontalAdvance(text), box.top() + metrics.ascent()),
                                  text);
    double x = box.right();
    for (qsizetype i = text.size(); i-- > 0;) {
        const QChar character = text[i];
        const double width = metrics.horizontalAdvance(character);
        const double step = character.isDigit() ? std::max(digit, width) : width;
        x -= step;
        m_painter.drawText(QPointF(x + (step - width) / 2, box.top() + metrics.ascent()), QString(character));
    }
}

void PdfPages::need(double points)
{
    if (m_y > 0 && m_y + u(points) > m_height) breakPage();
}

void PdfPages::breakPage()
{
    pageFooter();
    m_writer.newPage();
    ++m_page;
    m_y = 0;
}

void PdfPages::pageFooter()
{
    const QFont font = sized(7.5);
    const double top = m_height + footerHeight - u(12);
    m_painter.setPen(QPen(lineColour, u(0.5)));
    m_painter.drawLine(QPointF(0, top - u(4)), QPointF(m_width, top - u(4)));
    const QString left = QFontMetricsF(font, &m_writer).elidedText(m_footer, Qt::ElideMiddle, m_width - u(40));
    drawText({0, top, m_width - u(40), u(12)}, left, font, mutedColour, false);
    drawText({m_width - u(40), top, u(40), u(12)}, QString::number(m_page), font, mutedColour, true);
}

void PdfPages::paragraph(const QString& whole, Style style)
{
    const QString text = onOnePage(whole);
    const Look look = this->look(style);
    const double height = textHeight(text, look.font, m_width);
    if (m_y > 0) m_y += look.before;
    if (m_y > 0 && m_y + height > m_height) breakPage();
    drawText({0, m_y, m_width, height}, text, look.font, look.colour, false, m_links.in(text));
    m_y += height + look.after;
}

std::vector<double> PdfPages::columnWidths(const std::vector<PdfCell>& heads,
                                           const std::vector<std::vector<PdfCell>>& rows) const
{
    const QFontMetricsF metrics(sized(tableTextPoints), &m_writer);
    std::vector<double> widths(heads.size(), 0);
    for (std::size_t i = 0; i < heads.size(); ++i)  // a title may break between its words
        for (const QString& word : heads[i].text.split(QLatin1Char(' ')))
            widths[i] = std::max(widths[i], metrics.horizontalAdvance(word) * 1.03);
    for (const auto& cells : rows) {
        for (std::size_t i = 0; i < cells.size() && i < widths.size(); ++i) {
            double width = metrics.horizontalAdvance(cells[i].text) * 1.03 + (cells[i].swatch ? swatchSpace : 0);
            if (cells[i].bar) width = std::max(width, shareColumn);
            widths[i] = std::max(widths[i], width);
        }
    }

    // Columns of figures keep their width; excess width is taken from text columns, the widest first.
    double excess = std::accumulate(widths.begin(), widths.end(), gutter * double(widths.size() - 1)) - m_width;
    while (excess > 0.5) {
        auto widest = widths.end();
        for (auto it = widths.begin(); it != widths.end(); ++it)
            if (!heads[std::size_t(it - widths.begin())].right && (widest == widths.end() || *it > *widest))
                widest = it;
        if (widest == widths.end() || *widest < u(40)) widest = std::max_element(widths.begin(), widths.end());
        if (*widest < u(1)) break;  // the gutters alone have no room
        const double cut = std::min(excess, *widest * 0.1);
        *widest -= cut;
        excess -= cut;
    }
    // A text column at the left takes some of the room that is left over.
    if (!heads.empty() && !heads[0].right && excess < 0) widths[0] += std::min(-excess, u(60));
    return widths;
}

double PdfPages::rowHeight(const std::vector<PdfCell>& cells, const std::vector<double>& widths,
                           const QFont& font) const
{
    double height = 0;
    for (std::size_t i = 0; i < cells.size() && i < widths.size(); ++i)
        height = std::max(height, textHeight(cells[i].text, font, widths[i] - (cells[i].swatch ? swatchSpace : 0))
                                      + (cells[i].bar ? barSpace : 0));
    return height + 2 * rowPadding;
}

void PdfPages::row(const std::vector<PdfCell>& cells, const std::vector<double>& widths, const QFont& font,
                   const QColor& colour)
{
    const double height = rowHeight(cells, widths, font);
    double x = 0;
    for (std::size_t i = 0; i < cells.size() && i < widths.size(); ++i) {
        const PdfCell& cell = cells[i];
        const double indent = cell.swatch ? swatchSpace : 0;
        const QRectF box(x + indent, m_y + rowPadding, widths[i] - indent, height);
        const bool figures = cell.right && colour == textColour;
        if (figures) drawFigures(box, cell.text, figureFont(font), colour);
        else if (cell.address.isEmpty()) drawText(box, cell.text, font, colour, cell.right, m_links.in(cell.text));
        else drawText(box, cell.text, font, colour, cell.right, {{0, cell.text.size(), cell.address}});
        if (cell.swatch) {
            const double ascent = QFontMetricsF(font, &m_writer).ascent();
            m_painter.fillRect(QRectF(x, box.top() + ascent - swatchSize, swatchSize, swatchSize), *cell.swatch);
        }
        if (cell.bar) {
            const double below = QFontMetricsF(font, &m_writer).height() + barSpace - barHeight;
            const QRectF track(x, box.top() + below, widths[i], barHeight);
            m_painter.fillRect(track, lineColour);
            m_painter.fillRect(QRectF(track.topLeft(),
                                      QSizeF(track.width() * std::clamp(*cell.bar, 0.0, 1.0), barHeight)),
                               barColour);
        }
        x += widths[i] + gutter;
    }
    m_y += height;
    const double width = std::accumulate(widths.begin(), widths.end(), gutter * double(widths.size() - 1));
    m_painter.setPen(QPen(lineColour, u(0.5)));
    m_painter.drawLine(QPointF(0, m_y), QPointF(width, m_y));
}

void PdfPages::table(const std::vector<PdfCell>& heads, std::vector<std::vector<PdfCell>> rows)
{
    if (heads.empty()) return;
    for (auto& cells : rows)
        for (PdfCell& cell : cells) cell.text = onOnePage(cell.text);
    const QFont font = sized(tableTextPoints);
    const std::vector<double> widths = columnWidths(heads, rows);
    const bool titled = std::any_of(heads.begin(), heads.end(),
                                    [](const PdfCell& cell) { return !cell.text.isEmpty(); });
    const double headHeight = titled ? rowHeight(heads, widths, font) : 0;
    if (m_y + headHeight + (rows.empty() ? 0 : rowHeight(rows[0], widths, font)) > m_height) breakPage();
    if (titled) row(heads, widths, font, mutedColour);
    for (const auto& cells : rows) {
        if (m_y + rowHeight(cells, widths, font) > m_height) {
            breakPage();
            if (titled) row(heads, widths, font, mutedColour);
        }
        row(cells, widths, font, textColour);
    }
    m_y += u(7);
}

void PdfPages::picture(const QImage& image, const QString& caption)
{
    if (image.isNull()) return;
    const double captionHeight = textHeight(caption, look(Style::Note).font, m_width);
    double height = m_width * image.height() / image.width();
    const double most = m_height - captionHeight - u(12);
    const double scale = std::min(1.0, most / height);
    height *= scale;
    if (m_y > 0 && m_y + height + captionHeight + u(8) > m_height) breakPage();
    m_y += u(3);
    m_painter.setRenderHint(QPainter::SmoothPixmapTransform);
    m_painter.drawImage(QRectF(0, m_y, m_width * scale, height), image);
    m_y += height + u(3);
    paragraph(caption, Style::Note);
}

void PdfPages::link(const QString& text, const QString& address)
{
    const Look look = this->look(Style::Note);
    const double height = textHeight(text, look.font, m_width);
    if (m_y > 0 && m_y + height > m_height) breakPage();
    drawText({0, m_y, m_width, height}, text, look.font, look.colour, false, {{0, text.size(), address}});
    m_y += height + look.after;
}

}  // namespace longpole
