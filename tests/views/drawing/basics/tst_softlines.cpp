// SPDX-License-Identifier: GPL-3.0-or-later
// Lines as pixels: where they are covered, what several of them give, and that a line costs by what is seen of it.
#include "views/drawing/basics/softlines.h"

#include "views/drawing/basics/curve.h"

#include "support/testmain.h"

#include <QBuffer>
#include <QElapsedTimer>
#include <QImage>
#include <QPainter>
#include <QPainterPath>
#include <QRegularExpression>
#include <QSvgGenerator>
#include <QTest>

#include <cmath>
#include <random>
#include <vector>

namespace longpole {

namespace {

QColor halfOpaque(QColor colour)
{
    colour.setAlphaF(0.5f);
    return colour;
}

// White on black, at so many pixels a unit.
QImage softImage(std::span<const SoftLine> lines, QSize size, const QColor& colour, double width, int scale = 1)
{
    QImage image(size * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    image.fill(Qt::black);
    QPainter painter(&image);
    paintSoftLines(painter, lines, colour, width);
    return image;
}

QImage strokedImage(std::span<const SoftLine> lines, QSize size, const QColor& colour, double width, int scale)
{
    QImage image(size * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    image.fill(Qt::black);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::FlatCap));
    for (const SoftLine& line : lines) painter.drawPath(connectorCurve(line.from, line.to));
    return image;
}

int greyOf(const QImage& image, int x, int y) { return qGreen(image.pixel(x, y)); }

// A character is a pixel of one row: '#' covered, '.' not, '+' in part.
QString pixelRow(const QImage& image, int y)
{
    QString row;
    for (int x = 0; x < image.width(); ++x) {
        const int grey = greyOf(image, x, y);
        row += QLatin1Char(grey == 255 ? '#' : grey == 0 ? '.' : '+');
    }
    return row;
}

SoftLine straightLine(double x0, double y0, double x1, double y1, bool dashed = false)
{
    return {.from = {x0, y0}, .to = {x1, y1}, .dashed = dashed, .curved = false};
}

}  // namespace

class TestSoftLines : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void aLineCoversItsWidth()
    {
        const std::vector<SoftLine> lines{straightLine(3, 2, 3, 8)};
        const QImage image = softImage(lines, {8, 10}, Qt::white, 2);
        QCOMPARE(pixelRow(image, 1), QStringLiteral("........"));
        QCOMPARE(pixelRow(image, 2), QStringLiteral("..##...."));
        QCOMPARE(pixelRow(image, 7), QStringLiteral("..##...."));
        QCOMPARE(pixelRow(image, 8), QStringLiteral("........"));
        const std::vector<SoftLine> between{straightLine(3.5, 0, 3.5, 10)};
        QCOMPARE(pixelRow(softImage(between, {8, 10}, Qt::white, 2), 4), QStringLiteral("..+#+..."));
    }

    void dashesFollowTheWay()
    {
        const std::vector<SoftLine> lines{straightLine(1, 0.5, 19, 0.5, true)};
        QCOMPARE(pixelRow(softImage(lines, {20, 1}, Qt::white, 1), 0), QStringLiteral(".####..####..####..."));
        const std::vector<SoftLine> back{straightLine(19, 0.5, 1, 0.5, true)};
        QCOMPARE(pixelRow(softImage(back, {20, 1}, Qt::white, 1), 0), QStringLiteral("...####..####..####."));
    }

    // Where lines cross they do not get brighter; over each other in two calls they do.
    void opacityCountsOnce()
    {
        const std::vector<SoftLine> lines{straightLine(0, 5.5, 10, 5.5), straightLine(5.5, 0, 5.5, 10)};
        const QImage image = softImage(lines, {10, 10}, halfOpaque(Qt::white), 1);
        QCOMPARE(greyOf(image, 5, 5), greyOf(image, 2, 5));
        QVERIFY(std::abs(greyOf(image, 2, 5) - 128) <= 1);
    }

    void agreesWithStrokes_data()
    {
        QTest::addColumn<int>("scale");
        QTest::addColumn<double>("width");
        for (const int scale : {1, 2})
            for (const double width : {1.2, 3.0}) QTest::addRow("%d %g", scale, width) << scale << width;
    }
    void agreesWithStrokes()
    {
        QFETCH(const int, scale);
        QFETCH(const double, width);
        std::mt19937 random(7);
        std::uniform_real_distribution<double> place(-40, 240);
        for (int round = 0; round < 40; ++round) {
            const std::vector<SoftLine> lines{{{place(random), place(random)}, {place(random), place(random)}}};
            const QImage ours = softImage(lines, {200, 200}, Qt::white, width, scale);
            const QImage theirs = strokedImage(lines, {200, 200}, Qt::white, width, scale);
            double sum = 0, difference = 0;
            for (int y = 0; y < ours.height(); ++y)
                for (int x = 0; x < ours.width(); ++x) {
                    sum += greyOf(theirs, x, y);
                    difference += std::abs(greyOf(ours, x, y) - greyOf(theirs, x, y));
                }
            QVERIFY2(difference <= 0.12 * sum + 255 * 8,
                     qPrintable(QStringLiteral("round %1: %2 of %3").arg(round).arg(difference).arg(sum)));
        }
    }

    // Pictures are as high as many bands.
    void bandsMeet()
    {
        const std::vector<SoftLine> lines{straightLine(2.5, 0, 2.5, 1000)};
        const QImage image = softImage(lines, {5, 1000}, Qt::white, 1);
        for (int y = 0; y < image.height(); ++y) QCOMPARE(pixelRow(image, y), QStringLiteral("..#.."));
    }

    void onlyInsideTheClip()
    {
        QImage image(20, 20, QImage::Format_RGB32);
        image.fill(Qt::black);
        QPainter painter(&image);
        painter.translate(4, 2);
        painter.setClipRect(QRect(0, 0, 5, 5));
        const std::vector<SoftLine> lines{straightLine(-10, 1.5, 30, 1.5)};
        paintSoftLines(painter, lines, Qt::white, 1);
        painter.end();
        QCOMPARE(pixelRow(image, 2), QStringLiteral("...................."));
        QCOMPARE(pixelRow(image, 3), QStringLiteral("....#####..........."));
        QCOMPARE(pixelRow(image, 4), QStringLiteral("...................."));
    }

    // A message in flight, seen at the deepest zoom: Qt's stroke of one took half a second.
    void farEndsCostNothing()
    {
        std::vector<SoftLine> lines;
        for (const double far : {1e4, 1e6, 1e9, 1e14, 1e18})
            for (const bool dashed : {false, true})
                for (const bool curved : {false, true}) lines.push_back({{-far, 20}, {far, 30}, dashed, curved});
        for (int i = 0; i < 200; ++i) lines.push_back({{-3e6, 10}, {3e6, 90}});
        QElapsedTimer timer;
        timer.start();
        const QImage image = softImage(lines, {100, 100}, Qt::white, 1);
        QVERIFY(timer.elapsed() < 5000);
        // Both halves of the curve pass the middle.
        QVERIFY(greyOf(image, 50, 24) + greyOf(image, 50, 25) >= 254);
        QVERIFY(greyOf(image, 50, 49) + greyOf(image, 50, 50) >= 254);
    }

    void aDrawingHasCurves()
    {
        QBuffer bytes;
        bytes.open(QIODevice::WriteOnly);
        QSvgGenerator generator;
        generator.setOutputDevice(&bytes);
        generator.setSize({100, 100});
        generator.setResolution(96);
        QPainter painter(&generator);
        const std::vector<SoftLine> lines{{{10, 10}, {90, 80}}, straightLine(0, 50, 100, 50)};
        paintSoftLines(painter, lines, halfOpaque(Qt::red), 1);
        painter.end();
        QVERIFY(bytes.data().contains("C"));
        QVERIFY(!bytes.data().contains("<image"));
        QCOMPARE(bytes.data().count("<path") + bytes.data().count("<polyline"), 2);
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestSoftLines)
#include "tst_softlines.moc"
