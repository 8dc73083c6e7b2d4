// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/timelinepainter.h"

#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/drawing/basics/font.h"
#include "views/drawing/basics/softlines.h"
#include "views/drawing/timeline/hatching.h"

#include <QFontDatabase>
#include <QFontMetricsF>
#include <QImage>

#include <algorithm>
#include <cmath>
#include <vector>

namespace longpole {

namespace {

constexpr double mostPlate = 0.75;               // of an MPI call's width that its name may take
constexpr int boundaryWidth = 4;                 // columns: the ends of narrower blocks are not marked
constexpr std::size_t mostRectangles = 100'000;  // of a vector picture: a kilobyte of memory each

QRgb opaque(const QColor& colour) { return colour.rgb() | 0xff000000u; }

class RowPainter {
public:
    RowPainter(QPainter& painter, const TimelineGeometry& geometry, const PaintStyle& style)
        : m_painter(painter), m_geometry(geometry), m_style(style), m_theme(*style.theme),
          m_hatching(*style.theme, geometry.columnsPerPixel, style.vector)
    {
        m_flush = overheadBrush(OverheadKind::Flush, m_theme);
        m_untraced = overheadBrush(OverheadKind::Untraced, m_theme);
        m_pack = overheadBrush(OverheadKind::Pack, m_theme);
        m_unpack = overheadBrush(OverheadKind::Unpack, m_theme);
        m_quiet = unknownBrush(m_theme);
        std::size_t blocks = 0;
        for (const RowGeometry& row : geometry.rows) blocks += row.blocks.size();
        m_isCoarse = style.vector && blocks > mostRectangles;
    }

    void paint(const RowGeometry& row)
    {
        if (row.loaded && row.hasLog && !row.blocks.empty()) {
            if (row.kind == RowKind::Group) paintProfile(row);
            else if (m_style.vector && !m_isCoarse) paintRectangles(row);
            else paintStrip(row);
            paintHatching(row);
        }
        paintStartup(row);
        if (!row.hasLog) hatch(row, 0, m_geometry.at.width);
        else paintLacks(row);
        paintUnknown(row);
        paintShared(row);
        paintOverheads(row);
        paintIntervals(row);
        if (row.kind != RowKind::Group) paintNames(row);
        paintCallNames(row);
    }

private:
    QRectF bodyRect(const RowGeometry& row, int first, int last) const
    {
        const double x0 = m_geometry.columnX(first);
        return {x0, row.blockTop, m_geometry.columnX(last) - x0, row.blockHeight};
    }

    // A row is one line of an image that is stretched over the body: drawing it costs as much as it has pixels, however
    // many blocks there are.
    void paintStrip(const RowGeometry& row)
    {
        const int first = row.blocks.front().first;
        const int last = row.blocks.back().last;
        if (m_strip.width() < last - first) m_strip = QImage(last - first, 1, QImage::Format_ARGB32_Premultiplied);
        auto* line = reinterpret_cast<QRgb*>(m_strip.scanLine(0));
        int filled = first;
        for (const Block& block : row.blocks) {
            std::fill(line + (filled - first), line + (block.first - first), 0u);
            const QRgb colour = colourOf(block);
            std::fill(line + (block.first - first), line + (block.last - first), colour);
            if (hasMark(block)) line[block.last - 1 - first] = boundaryColour(colour);
            filled = block.last;
        }
        const QRect part(0, 0, last - first, 1);
        // The painter of SVG does not know parts of an image.
        if (m_isCoarse) m_painter.drawImage(bodyRect(row, first, last), m_strip.copy(part), part);
        else m_painter.drawImage(bodyRect(row, first, last), m_strip, part);
    }

    void paintRectangles(const RowGeometry& row)
    {
        const double column = 1 / m_geometry.columnsPerPixel;
        for (const Block& block : row.blocks) {
            const QRgb colour = colourOf(block);
            const QRectF rect = bodyRect(row, block.first, block.last);
            m_painter.fillRect(rect, QColor::fromRgb(colour));
            if (hasMark(block))
                m_painter.fillRect(QRectF(rect.right() - column, rect.top(), column, rect.height()),
                                   QColor::fromRgb(boundaryColour(colour)));
        }
    }

    bool isHatched(const Block& block) const
    {
        return !m_isCoarse && block.part != CallPart::None && !block.dimmed
               && m_geometry.columnX(block.last) - m_geometry.columnX(block.first) >= leastHatched;
    }
    QRgb colourOf(const Block& block) const
    {
        return isHatched(block) ? opaque(QColor::fromRgb(partColour(block.part, m_theme, true)))
                                : blockColour(block, m_style);
    }

    void paintHatching(const RowGeometry& row)
    {
        for (const Block& block : row.blocks) {
            if (!isHatched(block)) continue;
            QRectF rect = bodyRect(row, block.first, block.last);
            if (hasMark(block)) rect.setRight(rect.right() - 1 / m_geometry.columnsPerPixel);
            m_hatching.fill(m_painter, rect, block.part);
        }
    }

    // Of a folded group: a bar as high as its members are busy, in the colour of the entry with most time.
    void paintProfile(const RowGeometry& row)
    {
        for (const Block& block : row.blocks) {
            QRectF rect = bodyRect(row, block.first, block.last);
            m_painter.fillRect(rect, m_theme.idle);
            if (block.busy == 0) continue;
            const double height = rect.height() * block.busy / 16.0;
            rect.setTop(rect.bottom() - height);
            Block full = block;
            full.busy = 16;
            full.idle = 0;
            m_painter.fillRect(rect, QColor::fromRgb(blockColour(full, m_style)));
        }
    }

    static bool hasMark(const Block& block) { return block.boundary && block.last - block.first >= boundaryWidth; }
    // Darker than the task in both themes.
    QRgb boundaryColour(QRgb colour) const
    {
        return mixed(colour, opaque(m_theme.dark ? m_theme.panel : m_theme.overhead), 0.5);
    }

    void hatch(const RowGeometry& row, double from, double to)
    {
        const QRectF rect(from, row.box.bodyTop, to - from, row.box.bodyHeight);
        if (rect.width() > 0) m_painter.fillRect(rect, m_quiet);
    }

    // Hatching and words over ranges whose events the trace does not keep: the mean values drawn there are no tasks,
    // and gaps between them are no idle time.
    void paintLacks(const RowGeometry& row)
    {
        for (const auto& [from, to] : row.lacks) {
            hatch(row, from, to);
            if (!m_style.names || row.box.bodyHeight < 13) continue;
            paintPlate({from, row.box.bodyTop, to - from, row.box.bodyHeight}, tr("not kept"));
        }
    }

    // What a rank or PE did after its log was cut is neither idle time nor overhead.
    void paintUnknown(const RowGeometry& row)
    {
        const auto [from, to] = row.unknown;
        if (to <= from) return;
        m_painter.fillRect(QRectF(from, row.box.bodyTop, to - from, row.box.bodyHeight), m_theme.panel);
        hatch(row, from, to);
    }

    void paintStartup(const RowGeometry& row)
    {
        if (row.kind == RowKind::Intervals) return;
        if (m_geometry.runBegin > 0 && row.hasLog) hatch(row, 0, std::min(m_geometry.runBegin, m_geometry.at.width));
    }

    // A dotted line along the foot of the body tells where several tasks share a pixel.
    void paintShared(const RowGeometry& row)
    {
        if (row.box.bodyHeight < 8 || m_isCoarse) return;
        const QColor dot = m_theme.dark ? QColor(0, 0, 0, 120) : QColor(255, 255, 255, 150);
        const double y = row.box.bodyTop + row.box.bodyHeight - 2;
        std::size_t i = 0;
        while (i < row.blocks.size()) {
            if (!row.blocks[i].shared) {
                ++i;
                continue;
            }
            const int first = row.blocks[i].first;
            int last = first;
            for (; i < row.blocks.size() && row.blocks[i].shared && (last == first || row.blocks[i].first == last); ++i)
                last = row.blocks[i].last;
            paintDots(m_geometry.columnX(first), m_geometry.columnX(last), y, dot);
        }
    }

    void paintDots(double from, double to, double y, const QColor& colour)
    {
        constexpr double spacing = 3;
        if (m_dots.isNull()) {
            m_dots = QImage(static_cast<int>(spacing), 1, QImage::Format_ARGB32_Premultiplied);
            m_dots.fill(Qt::transparent);
            m_dots.setPixelColor(0, 0, colour);
            m_dotBrush = QBrush(m_dots);
        }
        if (m_style.vector) {
            for (double x = std::ceil(from / spacing) * spacing; x < to; x += spacing)
                m_painter.fillRect(QRectF(x, y, 1, 1), colour);
        } else {
            m_painter.fillRect(QRectF(from, y, std::max(1.0, to - from), 1), m_dotBrush);
        }
    }

    void paintOverheads(const RowGeometry& row)
    {
        for (const OverheadBox& box : row.overheads) {
            switch (box.kind) {
            case OverheadKind::Pack: fillHatched(box.rect, m_pack); break;
            case OverheadKind::Unpack: fillHatched(box.rect, m_unpack); break;
            case OverheadKind::Flush:
                m_painter.fillRect(box.rect, m_theme.panel);
                m_painter.fillRect(box.rect, m_flush);
                break;
            case OverheadKind::Untraced:
                m_painter.fillRect(box.rect, m_theme.panel);
                m_painter.fillRect(box.rect, m_untraced);
                break;
            }
        }
    }

    // Narrow boxes are plain: of a pattern they would show specks.
    void fillHatched(const QRectF& rect, const QBrush& brush)
    {
        QColor plain = brush.color();
        plain.setAlpha(plain.alpha() / 2);
        if (rect.width() < 4) m_painter.fillRect(rect, plain);
        else m_painter.fillRect(rect, brush);
    }

    void paintIntervals(const RowGeometry& row)
    {
        for (const IntervalBox& box : row.intervals) {
            const QRgb colour = m_style.palette->region(box.region);
            if (!box.mark) {
                m_painter.fillRect(box.rect, QColor::fromRgb(colour));
                if (m_style.names && box.rect.width() > 40 && box.rect.height() >= 11) {
                    const Region* region = m_style.names->region(box.region);
                    if (region) paintName(box.rect, region->name, colour);
                }
                continue;
            }
            const double x = box.rect.left();
            const double side = std::min(6.0, std::max(3.0, box.rect.height()));
            const QPointF points[3] = {{x - side / 2, box.rect.top()},
                                       {x + side / 2, box.rect.top()},
                                       {x, box.rect.top() + side}};
            m_painter.setPen(Qt::NoPen);
            m_painter.setBrush(QColor::fromRgb(colour));
            m_painter.drawPolygon(points, 3);
        }
    }

    void paintNames(const RowGeometry& row)
    {
        if (!m_style.names || row.box.bodyHeight < 13) return;
        for (const Block& block : row.blocks) {
            const QRectF rect = bodyRect(row, block.first, block.last);
            if (block.task == noTaskIndex || rect.width() < 64 || block.dimmed) continue;
            const Entry* entry = m_style.names->entry(block.entry);
            if (entry) paintName(rect, entryName(*entry), blockColour(block, m_style));
        }
    }

    // A name stands on a plate of the panel's colour: over hatching it could hardly be read.
    void paintCallNames(const RowGeometry& row)
    {
        if (!m_style.names || row.blockHeight < 13) return;
        for (const NamedCall& call : row.calls) {
            const Region* region = m_style.names->region(call.region);
            if (!region) continue;
            paintPlate(call.rect, region->name);
        }
    }

    // Nothing where it has no room: what it would cover says more than half a name.
    void paintPlate(const QRectF& rect, const QString& text)
    {
        useFont(rect.height());
        const QFontMetricsF metrics(m_painter.font());
        if (text.size() > lettersWithin(metrics, rect.width())) return;
        const double wanted = metrics.horizontalAdvance(text) + 12;
        if (wanted > mostPlate * rect.width()) return;
        QRectF plate = rect;
        plate.setWidth(wanted);
        QColor ground = m_theme.panel;
        ground.setAlphaF(0.72f);
        m_painter.fillRect(plate.adjusted(3, 3, -3, -3), ground);
        paintName(plate, text, opaque(m_theme.panel));
    }

    // Letters as large as the window's where the box has room for them, and never smaller than in pictures.
    void useFont(double height)
    {
        constexpr double usual = 11;
        const double pixels = std::max(usual, std::min(usual * m_style.textScale, height - 3));
        if (pixels == m_pixels) return;
        m_pixels = pixels;
        m_painter.setFont(timelineFont(pixels));
    }

    void paintName(const QRectF& rect, const QString& name, QRgb background)
    {
        useFont(rect.height());
        const QFontMetricsF metrics(m_painter.font());
        const QRectF inner = rect.adjusted(6, 0, -6, 0);
        const QString text = withinRoom(name, metrics, inner.width());
        if (text.size() < 3) return;
        const int light = (qRed(background) * 299 + qGreen(background) * 587 + qBlue(background) * 114) / 1000;
        m_painter.setPen(light > 110 ? QColor(14, 18, 24, 215) : QColor(255, 255, 255, 225));
        m_painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, text);
    }

    QPainter& m_painter;
    const TimelineGeometry& m_geometry;
    const PaintStyle& m_style;
    const Theme& m_theme;
    Hatching m_hatching;
    bool m_isCoarse = false;  // a vector picture whose rectangles would be too many: an image for each row
    QImage m_strip;
    QImage m_dots;
    QBrush m_dotBrush, m_flush, m_untraced, m_pack, m_unpack, m_quiet;
    double m_pixels = 0;  // of the painter's font
};

}  // namespace

namespace {

QRgb taskColour(const Block& block, const PaintStyle& style)
{
    if (!style.bySlack) return style.palette->entry(block.entry);
    if (block.slack == unknownSlack) return mixed(opaque(style.theme->idle), opaque(style.theme->faintText), 0.4);
    return slackColours(*style.theme)[block.slack];
}

}  // namespace

QRgb blockColour(const Block& block, const PaintStyle& style)
{
    const Theme& theme = *style.theme;
    if (block.part != CallPart::None) {
        const QRgb colour = opaque(QColor::fromRgb(partColour(block.part, theme, false)));
        return block.dimmed ? mixed(colour, opaque(theme.rowBackground), 0.8) : colour;
    }
    QRgb colour = opaque(block.isMpi ? theme.mpiExecution : theme.overhead);
    const QRgb idle = block.isMpi ? partColour(CallPart::WaitBefore, theme, false) : opaque(theme.idle);
    const int rest = 16 - block.busy;
    if (rest > 0 && block.idle > 0) colour = mixed(colour, idle, static_cast<double>(block.idle) / rest);
    if (block.busy > 0) {
        QRgb task = taskColour(block, style);
        if (block.dimmed) task = mixed(task, opaque(theme.rowBackground), 0.8);
        if (block.outside) task = mixed(task, opaque(theme.rowBackground), 0.55);
        colour = block.outside ? task : mixed(colour, task, block.busy / 16.0);
    }
    return colour;
}

void paintRows(QPainter& painter, const TimelineGeometry& geometry, const PaintStyle& style)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    RowPainter rows(painter, geometry, style);
    for (const RowGeometry& row : geometry.rows) rows.paint(row);
    for (const RowGeometry& row : geometry.rows)
        if (row.box.height >= 12)
            painter.fillRect(QRectF(0, row.box.bottom() - 1, geometry.at.width, 1), style.theme->line);
    painter.restore();
}

void paintGrid(QPainter& painter, std::span<const AxisTick> ticks, double height, const Theme& theme)
{
    for (const AxisTick& tick : ticks) painter.fillRect(QRectF(std::round(tick.x), 0, 1, height), theme.gridLine);
}

// Connectors that would cover the tasks are left out: the bars show where the path runs.
constexpr double tooCrowded = 0.25;

std::int64_t connectorsLeftOut(const PathGeometry& path)
{
    if (path.crowd < tooCrowded) return 0;
    auto count = static_cast<std::int64_t>(path.connectors.size());
    for (const ConnectorBundle& bundle : path.bundles) count += bundle.count;
    return count;
}

void paintPath(QPainter& painter, const PathGeometry& path, const Theme& theme, bool connectors, PathRole role)
{
    painter.save();
    const bool critical = role == PathRole::Critical;
    const QColor colour = critical ? theme.accent : theme.secondPath;
    const double pen = critical ? 1.2 : 0.9;
    QColor line = colour;
    if (connectors && path.crowd < tooCrowded) {
        // The denser they are, the fainter, so that the tasks stay in sight.
        const auto alpha = static_cast<float>(std::clamp(0.95 - 3.0 * path.crowd, 0.2, 0.85));
        line.setAlphaF(alpha * 0.6f);
        std::vector<SoftLine> lines;
        for (const ConnectorBundle& bundle : path.bundles)
            lines.push_back({.from = QPointF(bundle.x + 0.5, bundle.top),
                             .to = QPointF(bundle.x + 0.5, bundle.bottom),
                             .curved = false});
        paintSoftLines(painter, lines, line, 1);
        line.setAlphaF(alpha);
        lines.clear();
        for (const Connector& connector : path.connectors)
            lines.push_back({connector.from, connector.to, connector.inferred || connector.doubtful});
        paintSoftLines(painter, lines, line, pen);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const PathBar& bar : path.bars) {
        const double height = bar.waiting ? 1 : critical ? 4 : 2;
        painter.fillRect(QRectF(bar.x0, std::round(bar.y - height / 2), bar.x1 - bar.x0, height), colour);
    }
    painter.restore();
}

void paintAxis(QPainter& painter, std::span<const AxisTick> ticks, double width, double height, const Theme& theme,
               double textScale)
{
    painter.save();
    painter.setFont(timelineFont(11.5 * textScale));
    painter.setPen(theme.mutedText);
    const QFontMetricsF metrics(painter.font());
    for (const AxisTick& tick : ticks) {
        if (tick.label.isEmpty()) continue;
        const double half = metrics.horizontalAdvance(tick.label) / 2;
        if (tick.x < -1 || tick.x + half > width + 10) continue;
        const double x = tick.x;
        painter.drawText(QRectF(x - half - 2, 0, 2 * half + 4, height), Qt::AlignCenter, tick.label);
    }
    painter.restore();
}

}  // namespace longpole
