// SPDX-License-Identifier: GPL-3.0-or-later
// Processors on a grid, and animations: places, hits, and files that PNG readers take.
#include "views/drawing/basics/animatedpng.h"
#include "views/drawing/charts/gridframe.h"
#include "views/drawing/charts/processorgrid.h"

#include "support/testmain.h"

#include <QBuffer>
#include <QImageReader>
#include <QTest>
#include <QtEndian>

#include <cmath>
#include <set>

using namespace longpole;

namespace {

std::vector<ProcessorId> firstPes(std::uint32_t count)
{
    std::vector<ProcessorId> pes;
    for (std::uint32_t pe = 0; pe < count; ++pe) pes.push_back(ProcessorId{pe});
    return pes;
}

ProcessorGrid gridOf(std::uint32_t count, const GridShape& shape = {}) { return {firstPes(count), {}, shape}; }

// Type and data of every chunk.
std::vector<std::pair<QByteArray, QByteArray>> chunksOf(const QByteArray& png)
{
    std::vector<std::pair<QByteArray, QByteArray>> chunks;
    for (qsizetype at = 8; at + 12 <= png.size();) {
        const auto length = static_cast<qsizetype>(qFromBigEndian<quint32>(png.constData() + at));
        chunks.emplace_back(png.mid(at + 4, 4), png.mid(at + 8, length));
        at += 12 + length;
    }
    return chunks;
}

}  // namespace

class TestProcessorGrid : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void nearSquares_data();
    void nearSquares();
    void shapes_data();
    void shapes();
    void nodesAreRows();
    void cellsAndHits();
    void cellsBelowAPixelMix();
    void animation();
    void framesMustFit();
};

void TestProcessorGrid::nearSquares_data()
{
    QTest::addColumn<unsigned>("count");
    QTest::addColumn<int>("columns");
    QTest::addColumn<int>("rows");
    QTest::newRow("1") << 1u << 1 << 1;
    QTest::newRow("2") << 2u << 2 << 1;
    QTest::newRow("4") << 4u << 2 << 2;
    QTest::newRow("6") << 6u << 3 << 2;
    QTest::newRow("7: prime") << 7u << 3 << 3;
    QTest::newRow("8") << 8u << 4 << 2;
    QTest::newRow("12") << 12u << 4 << 3;
    QTest::newRow("1024") << 1024u << 32 << 32;
    QTest::newRow("1000") << 1000u << 40 << 25;
    QTest::newRow("none") << 0u << 1 << 0;
}

void TestProcessorGrid::nearSquares()
{
    QFETCH(const unsigned, count);
    const ProcessorGrid grid = gridOf(count);
    QTEST(grid.columns(), "columns");
    QTEST(grid.rows(), "rows");
}

void TestProcessorGrid::shapes_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("columns");  // 0: refused
    QTest::addColumn<int>("rows");
    QTest::newRow("square") << "square" << 3 << 2;
    QTest::newRow("columns") << "4" << 4 << 2;
    QTest::newRow("dimensions") << "2 x 3" << 2 << 3;
    QTest::newRow("roomy") << "5x4" << 5 << 4;
    QTest::newRow("huge") << "1000000000x1000000000" << 0 << 0;
    QTest::newRow("wider than all") << "7" << 0 << 0;
    QTest::newRow("too few") << "2x2" << 0 << 0;
    QTest::newRow("zero") << "0" << 0 << 0;
    QTest::newRow("negative") << "3x-1" << 0 << 0;
    QTest::newRow("three") << "2x2x2" << 0 << 0;
    QTest::newRow("words") << "torus" << 0 << 0;
}

void TestProcessorGrid::shapes()
{
    QFETCH(const QString, text);
    QFETCH(const int, columns);
    const auto shape = parseGridShape(text, 6);
    QCOMPARE(shape.ok(), columns > 0);
    if (!shape) {
        QVERIFY(!shape.error().what.isEmpty());
        return;
    }
    const ProcessorGrid grid = gridOf(6, *shape);
    QCOMPARE(grid.columns(), columns);
    QTEST(grid.rows(), "rows");
}

void TestProcessorGrid::nodesAreRows()
{
    std::vector<Processor> processors;
    for (std::uint32_t pe = 0; pe < 5; ++pe)
        processors.push_back({.pe = ProcessorId{pe}, .node = pe % 2 ? 7u : 3u, .name = {}});
    const ProcessorGrid grid(firstPes(5), processors, {.kind = GridShape::Kind::Nodes});
    QCOMPARE(grid.rows(), 2);
    QCOMPARE(grid.columns(), 3);
    QCOMPARE(grid.nodeOf(0), std::optional<std::uint32_t>(3));
    QCOMPARE(grid.nodeOf(1), std::optional<std::uint32_t>(7));
    const QRectF box(0, 0, 30, 20);
    QCOMPARE(grid.cell(4, box), QRectF(20, 0, 10, 10));
    QCOMPARE(grid.cell(3, box), QRectF(10, 10, 10, 10));
    QCOMPARE(gridOf(4).nodeOf(0), std::nullopt);
}

void TestProcessorGrid::cellsAndHits()
{
    const ProcessorGrid grid = gridOf(6);
    const QRectF box(10, 10, 100, 100);  // 33 pixels a cell, centred
    QCOMPARE(grid.cellSize(box), 33.0);
    std::set<std::pair<double, double>> corners;
    for (std::size_t i = 0; i < 6; ++i) {
        const QRectF cell = grid.cell(i, box);
        QVERIFY(box.contains(cell));
        QVERIFY(corners.emplace(cell.x(), cell.y()).second);
        QCOMPARE(grid.at(cell.center(), box), std::optional<std::size_t>(i));
    }
    QCOMPARE(grid.at({11, 11}, box), std::nullopt);
    QVERIFY(gridOf(100'000).cellSize(box) > 0);
}

// 10,000 processors in 130 pixels: equal ones are one plane without a pattern; of others the picture keeps the mean.
void TestProcessorGrid::cellsBelowAPixelMix()
{
    const ProcessorGrid grid = gridOf(10'000);
    const QRectF box(0, 0, 130, 130);
    QCOMPARE(grid.cellSize(box), 1.3);
    Projection projection;
    projection.stages = equalStages({0, 1000}, 1);
    projection.pes = firstPes(10'000);
    projection.values.assign(10'000, 0.6);
    const ColourScale scale(darkTheme(), ColourScaleKind::Cividis, valueAxis(0, 1, false, ValueUnit::Share));
    const Theme theme = darkTheme();
    const auto painted = [&] {
        QImage image(130, 130, QImage::Format_RGB32);
        image.fill(Qt::red);
        QPainter painter(&image);
        paintGridFrame(painter, box, {.projection = &projection, .grid = &grid, .scale = &scale, .theme = &theme});
        return image;
    };
    const QImage plane = painted();
    for (int y = 0; y < 130; ++y)
        for (int x = 0; x < 130; ++x) QCOMPARE(plane.pixel(x, y), scale.colour(0.6));
    double green = 0;
    for (std::size_t i = 0; i < 10'000; ++i) {
        projection.values[i] = i % 2 == 0 ? 0.1 : 0.9;  // by columns, as the grid's rows are of even length
        green += QColor(scale.colour(projection.values[i])).green();
    }
    const QImage mixed = painted();
    double shown = 0;
    for (int y = 0; y < 130; ++y)
        for (int x = 0; x < 130; ++x) shown += qGreen(mixed.pixel(x, y));
    QVERIFY(std::abs(shown / (130 * 130) - green / 10'000) < 0.6);
}

void TestProcessorGrid::animation()
{
    QBuffer out;
    out.open(QIODevice::WriteOnly);
    AnimatedPng animation(out, 3, 40);
    const QRgb colours[] = {qRgb(255, 0, 0), qRgb(0, 255, 0), qRgb(0, 0, 255)};
    for (const QRgb colour : colours) {
        QImage frame(20, 10, QImage::Format_RGB32);
        frame.fill(colour);
        QVERIFY(bool(animation.add(frame)));
    }
    QVERIFY(bool(animation.finish()));

    const auto chunks = chunksOf(out.data());
    QByteArrayList types;
    std::uint32_t sequence = 0;
    for (const auto& [type, data] : chunks) {
        types << type;
        if (type == "fcTL" || type == "fdAT") QCOMPARE(qFromBigEndian<quint32>(data.constData()), sequence++);
        if (type == "acTL") QCOMPARE(qFromBigEndian<quint32>(data.constData()), 3u);
        if (type == "fcTL") QCOMPARE(qFromBigEndian<quint16>(data.constData() + 20), quint16(40));
    }
    QCOMPARE(types, (QByteArrayList{"IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND"}));

    // Programs that know no animation show the first frame.
    const QImage first = QImage::fromData(out.data(), "PNG");
    QCOMPARE(first.size(), QSize(20, 10));
    QCOMPARE(first.pixel(5, 5), colours[0]);
    // The others' data are those that the frame alone would have.
    QBuffer alone;
    alone.open(QIODevice::WriteOnly);
    QImage frame(20, 10, QImage::Format_RGB888);
    frame.fill(colours[1]);
    frame.save(&alone, "PNG");
    const auto ofAlone = chunksOf(alone.data());
    const auto isData = [](const auto& chunk) { return chunk.first == "IDAT"; };
    QCOMPARE(chunks[5].second.mid(4), std::find_if(ofAlone.begin(), ofAlone.end(), isData)->second);
}

void TestProcessorGrid::framesMustFit()
{
    QBuffer out;
    out.open(QIODevice::WriteOnly);
    AnimatedPng animation(out, 2, 40);
    QImage frame(4, 4, QImage::Format_RGB32);
    frame.fill(Qt::black);
    QVERIFY(bool(animation.add(frame)));
    QVERIFY(!animation.finish());
    QImage wider(5, 4, QImage::Format_RGB32);
    wider.fill(Qt::black);
    QVERIFY(!animation.add(wider));
    QVERIFY(bool(animation.add(frame)));
    QVERIFY(!animation.add(frame));
    QVERIFY(bool(animation.finish()));
    QBuffer closed;
    closed.open(QIODevice::ReadOnly);
    QTest::ignoreMessage(QtWarningMsg, "QIODevice::write (QBuffer): ReadOnly device");
    AnimatedPng refused(closed, 1, 40);
    QVERIFY(!refused.add(frame));
}

LONGPOLE_GUI_TEST(TestProcessorGrid)
#include "tst_processorgrid.moc"
