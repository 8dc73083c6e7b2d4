// SPDX-License-Identifier: GPL-3.0-or-later
// Fills pages of a PDF from top to bottom with text, tables, bars and pictures; breaks and numbers pages. Lengths are
// points.
#pragma once

#include "app/report/tasklinks.h"

#include <QByteArray>
#include <QColor>
#include <QFont>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

class QBuffer;

namespace longpole {

struct PdfCell {
    QString text;
    bool right = false;
    std::optional<double> bar;     // 0..1, drawn below the text
    std::optional<QColor> swatch;  // drawn before the text
    QString address{};             // where the text leads; else its tasks are links
};

class PdfPages {
public:
    PdfPages(QBuffer& out, const QString& title, const QString& footer,
             const TaskLinks& links);  // which must outlive it
    ~PdfPages();

    enum class Style { Title, Subtitle, Section, Item, Fact, Heading, Body, Note, Query };
    void paragraph(const QString& whole, Style style);
    // The heads are repeated on every page that the table reaches. Text columns share the width that numbers leave.
    void table(const std::vector<PdfCell>& heads, std::vector<std::vector<PdfCell>> rows);
    void picture(const QImage& image, const QString& caption);
    void link(const QString& text, const QString& address);  // a line that leads there
    // Starts a new page unless this much is left.
    void need(double points);
    void finish();

private:
    struct Look {
        QFont font;
        QColor colour;
        double before, after;
    };
    Look look(Style style) const;
    double textHeight(const QString& text, const QFont& font, double width) const;
    void drawText(const QRectF& box, const QString& text, const QFont& font, const QColor& colour, bool right,
                  const std::vector<TextLink>& links = {});
    void drawFigures(const QRectF& box, const QString& text, const QFont& font, const QColor& colour);
    std::vector<double> columnWidths(const std::vector<PdfCell>& heads,
                                     const std::vector<std::vector<PdfCell>>& rows) const;
    double rowHeight(const std::vector<PdfCell>& cells, const std::vector<double>& widths, const QFont& font) const;
    void row(const std::vector<PdfCell>& cells, const std::vector<double>& widths, const QFont& font,
             const QColor& colour);
    void breakPage();
    void pageFooter();

    const TaskLinks& m_links;
    QPdfWriter m_writer;
    QPainter m_painter;
    QString m_footer;
    double m_width = 0;
    double m_height = 0;  // of the part that is filled; the footer lies below it
    double m_y = 0;
    int m_page = 1;
};

}  // namespace longpole
