// SPDX-License-Identifier: GPL-3.0-or-later
// Lines become short straight pieces, which are painted into bands of the picture that fit into the processor's cache.
#include "views/drawing/basics/softlines.h"

#include "views/drawing/basics/curve.h"

#include <QImage>
#include <QPaintEngine>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace longpole {

namespace {

constexpr int softBandHeight = 96;                 // device pixels
constexpr double bendTolerance = 0.1;              // device pixels between a curve and its straight pieces
constexpr int mostHalvings = 64;                   // more than any distance between two times has bits
constexpr int partsOfPixel = 256;                  // steps in which the covered part of a pixel is counted
constexpr double dashOfWidth = 4, gapOfWidth = 2;  // times the width, as Qt's dashes

// A straight piece, in device pixels; its dashes begin `along` pixels before it.
struct SoftPiece {
    QPointF from;
    QPointF to;
    double along = 0;
    bool dashed = false;
};

double lengthOf(QPointF way) { return std::hypot(way.x(), way.y()); }

class SoftPieces {
public:
    explicit SoftPieces(const QRectF& seen) : m_seen(seen) {}

    void add(const SoftLine& line, const QTransform& toDevice)
    {
        m_along = 0;
        m_dashed = line.dashed;
        if (!line.curved) {
            piece(toDevice.map(line.from), toDevice.map(line.to));
            return;
        }
        std::array<QPointF, 4> curve = connectorPoints(line.from, line.to);
        for (QPointF& point : curve) point = toDevice.map(point);
        halve(curve, mostHalvings);
    }

    std::vector<SoftPiece> take() { return std::move(m_pieces); }

private:
    bool isSeen(std::span<const QPointF> points) const
    {
        constexpr double most = std::numeric_limits<double>::max();
        double left = most, top = most, right = -most, bottom = -most;
        for (const QPointF& point : points) {
            left = std::min(left, point.x());
            right = std::max(right, point.x());
            top = std::min(top, point.y());
            bottom = std::max(bottom, point.y());
        }
        return right >= m_seen.left() && left <= m_seen.right() && bottom >= m_seen.top() && top <= m_seen.bottom();
    }

    void piece(QPointF from, QPointF to)
    {
        if (const std::array ends{from, to}; isSeen(ends)) m_pieces.push_back({from, to, m_along, m_dashed});
        m_along += lengthOf(to - from);
    }

    // A curve bends no further from the line between its ends than its other points do.
    static bool isFlat(const std::array<QPointF, 4>& curve)
    {
        const QPointF way = curve[3] - curve[0];
        const QPointF first = curve[1] - curve[0];
        const QPointF second = curve[3] - curve[2];
        const double most = bendTolerance * bendTolerance * QPointF::dotProduct(way, way);
        const double aside1 = way.x() * first.y() - way.y() * first.x();
        const double aside2 = way.x() * second.y() - way.y() * second.x();
        return aside1 * aside1 <= most && aside2 * aside2 <= most && QPointF::dotProduct(way, first) >= 0
               && QPointF::dotProduct(way, second) >= 0;
    }

    // A curve lies within its four points. Parts that are not seen are not looked at closer.
    void halve(const std::array<QPointF, 4>& curve, int halvings)
    {
        const auto& [a, b, c, d] = curve;
        if (halvings == 0 || isFlat(curve) || !isSeen(curve)) {
            piece(a, d);
            return;
        }
        const QPointF ab = (a + b) / 2, bc = (b + c) / 2, cd = (c + d) / 2;
        const QPointF abc = (ab + bc) / 2, bcd = (bc + cd) / 2;
        const QPointF middle = (abc + bcd) / 2;
        halve({a, ab, abc, middle}, halvings - 1);
        halve({middle, bcd, cd, d}, halvings - 1);
    }

    QRectF m_seen;
    std::vector<SoftPiece> m_pieces;
    double m_along = 0;
    bool m_dashed = false;
};

// Some rows of the device, and the lines in them.
class SoftBand {
public:
    SoftBand(const QRect& seen, const QColor& colour, double width)
        : m_image(seen.width(), std::min(softBandHeight, seen.height()), QImage::Format_ARGB32_Premultiplied),
          m_seen(seen), m_width(width)
    {
        for (int i = 0; i <= partsOfPixel; ++i) {
            const double alpha = std::round(double{colour.alphaF()} * 255 * i / partsOfPixel);
            m_colours[static_cast<std::size_t>(i)] = qPremultiply(qRgba(colour.red(), colour.green(), colour.blue(),
                                                                        static_cast<int>(alpha)));
        }
    }

    // Starts an empty band whose first row is `top`.
    void begin(int top)
    {
        m_top = top;
        m_bottom = std::min(top + m_image.height(), m_seen.top() + m_seen.height());
        m_left = m_image.width();
        m_right = 0;
        m_image.fill(Qt::transparent);
        m_pixels = reinterpret_cast<QRgb*>(m_image.bits());
    }

    void add(const SoftPiece& piece)
    {
        const double reach = m_width + 1;
        if (std::max(piece.from.y(), piece.to.y()) < m_top - reach
            || std::min(piece.from.y(), piece.to.y()) > m_bottom + reach)
            return;
        const QPointF origin(m_seen.left(), m_top);
        const QPointF from = piece.from - origin;
        const QPointF to = piece.to - origin;
        const QPointF way = to - from;
        const Axis across{m_seen.width(), 1};
        const Axis down{m_bottom - m_top, m_image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb))};
        if (std::abs(way.y()) >= std::abs(way.x())) run(piece, {from.y(), from.x(), way.y(), way.x()}, down, across);
        else run(piece, {from.x(), from.y(), way.x(), way.y()}, across, down);
    }

    void paint(QPainter& painter, const QTransform& fromDevice) const
    {
        if (m_right <= m_left) return;
        const QRect part(m_left, 0, m_right - m_left, m_bottom - m_top);
        painter.drawImage(fromDevice.mapRect(QRectF(part.translated(m_seen.left(), m_top))), m_image, part);
    }

    int bottom() const { return m_bottom; }

private:
    struct Axis {
        int size = 0;  // pixels [0, size)
        qsizetype stride = 0;
    };
    struct Way {
        double longFrom = 0;   // along the axis on which the piece is longer
        double shortFrom = 0;  // along the other one
        double longWay = 0;
        double shortWay = 0;
    };

    // For each pixel of the long axis what the line covers of the short one.
    void run(const SoftPiece& piece, const Way& way, const Axis& longer, const Axis& shorter)
    {
        if (!(std::abs(way.longWay) > 0)) return;
        const double slope = way.shortWay / way.longWay;
        const double stretch = std::sqrt(1 + slope * slope);
        const double half = m_width / 2 * stretch;
        double first = std::min(way.longFrom, way.longFrom + way.longWay);
        double last = std::max(way.longFrom, way.longFrom + way.longWay);
        if (slope != 0) {  // where it enters and leaves the short axis
            const double enters = way.longFrom + (-half - way.shortFrom) / slope;
            const double leaves = way.longFrom + (shorter.size + half - way.shortFrom) / slope;
            first = std::max(first, std::min(enters, leaves) - 1);
            last = std::min(last, std::max(enters, leaves) + 1);
        }
        first = std::max(first, 0.0);
        last = std::min<double>(last, longer.size);
        if (!(first < last)) return;
        const auto end = std::min(longer.size, static_cast<int>(std::ceil(last - 0.5)));
        const auto begin = static_cast<int>(std::ceil(first - 0.5));
        const double passed = begin + 0.5 - way.longFrom;
        const auto thickness = static_cast<int>(2 * half * partsOfPixel);
        const auto step = static_cast<std::int64_t>(slope * partsOfPixel * partsOfPixel);
        auto from = static_cast<std::int64_t>((way.shortFrom + passed * slope - half) * partsOfPixel * partsOfPixel);
        const double period = (dashOfWidth + gapOfWidth) * m_width;
        const double along = way.longWay > 0 ? stretch : period - stretch;  // or back by less than a period
        double phase = piece.dashed ? std::fmod(piece.along + std::abs(passed) * stretch, period) : 0;
        for (int at = begin; at < end; ++at, from += step) {
            const auto side = static_cast<int>(from / partsOfPixel);
            if (phase <= dashOfWidth * m_width) cover(m_pixels + at * longer.stride, shorter, side, side + thickness);
            if (!piece.dashed) continue;
            phase += along;
            if (phase >= period) phase -= period;
        }
        if (longer.stride == 1 && begin < end) widen(begin, end);
    }

    // Of lines over each other the one that covers most of a pixel counts: its colour is the largest number.
    void cover(QRgb* line, const Axis& axis, int from, int to)
    {
        const int begin = std::max(from, 0);
        const int end = std::min(to, axis.size * partsOfPixel);
        for (int i = begin / partsOfPixel; i * partsOfPixel < end; ++i) {
            const int covered = std::min(end, (i + 1) * partsOfPixel) - std::max(begin, i * partsOfPixel);
            QRgb* const pixel = line + std::ptrdiff_t{i} * axis.stride;
            *pixel = std::max(*pixel, m_colours[static_cast<std::size_t>(covered)]);
        }
        if (axis.stride == 1 && begin < end) widen(begin / partsOfPixel, (end - 1) / partsOfPixel + 1);
    }

    void widen(int left, int right)
    {
        m_left = std::min(m_left, left);
        m_right = std::max(m_right, right);
    }

    QImage m_image;
    QRgb* m_pixels = nullptr;
    QRect m_seen;
    double m_width;
    std::array<QRgb, partsOfPixel + 1> m_colours{};  // by how much of a pixel is covered
    int m_top = 0;
    int m_bottom = 0;
    int m_left = 0;   // columns with pixels, from here
    int m_right = 0;  // to here
};

bool paintsPixels(const QPainter& painter)
{
    const QPaintEngine* engine = painter.paintEngine();
    const QTransform& at = painter.deviceTransform();
    return engine && engine->type() == QPaintEngine::Raster && at.type() <= QTransform::TxScale && at.m11() > 0
           && at.m11() == at.m22() && painter.compositionMode() == QPainter::CompositionMode_SourceOver;
}

void strokeLines(QPainter& painter, std::span<const SoftLine> lines, const QColor& colour, double width)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    for (const SoftLine& line : lines) {
        painter.setPen(QPen(colour, width, line.dashed ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap));
        if (line.curved) painter.drawPath(connectorCurve(line.from, line.to));
        else painter.drawLine(line.from, line.to);
    }
}

// In device pixels.
QRect devicePixelsOf(const QPainter& painter)
{
    QRectF seen = painter.worldTransform().inverted().mapRect(QRectF(painter.window()));
    if (painter.hasClipping()) seen = seen.intersected(painter.clipBoundingRect());
    return painter.deviceTransform().mapRect(seen).toAlignedRect();
}

}  // namespace

void paintSoftLines(QPainter& painter, std::span<const SoftLine> lines, const QColor& colour, double width)
{
    if (lines.empty()) return;
    painter.save();
    if (!paintsPixels(painter)) {
        strokeLines(painter, lines, colour, width);
        painter.restore();
        return;
    }
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    const QTransform toDevice = painter.deviceTransform();
    const QTransform fromDevice = toDevice.inverted();
    const QRect seen = devicePixelsOf(painter);
    const double deviceWidth = width * toDevice.m11();
    const double reach = deviceWidth + 1;
    SoftPieces pieces(QRectF(seen).adjusted(-reach, -reach, reach, reach));
    for (const SoftLine& line : lines) pieces.add(line, toDevice);
    const std::vector<SoftPiece> all = pieces.take();
    if (!all.empty() && !seen.isEmpty()) {
        SoftBand band(seen, colour, deviceWidth);
        for (int top = seen.top(); top < seen.top() + seen.height(); top = band.bottom()) {
            band.begin(top);
            for (const SoftPiece& piece : all) band.add(piece);
            band.paint(painter, fromDevice);
        }
    }
    painter.restore();
}

}  // namespace longpole
