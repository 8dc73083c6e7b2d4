// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures without a window.
#include "views/drawing/basics/palette.h"
#include "views/drawing/pictures/render.h"
#include "views/drawing/pictures/renderprojection.h"
#include "views/drawing/timeline/legend.h"
#include "views/drawnstore.h"

#include "support/testmain.h"

#include <QGuiApplication>
#include <QPainter>
#include <QSvgRenderer>
#include <QTest>

namespace longpole {

namespace {

const QStringList rows{QStringLiteral("AAAAAAAAAA..........BBBBBBBBBB          "),
                       QStringLiteral("..........CCCCCCCCCCCCCCCCCCCC..........")};

// Pixels of a colour in a picture.
int count(const QImage& image, QRgb colour)
{
    int found = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if ((image.pixel(x, y) | 0xff000000u) == (colour | 0xff000000u)) ++found;
    return found;
}

}  // namespace

class TestRender : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void areasFollowTheTimes()
    {
        const DrawnStore store(rows);
        TimelinePicture picture;
        picture.size = {1000, 0};
        picture.legend = false;
        const Result<QImage> image = renderTimeline(*store, picture);
        QVERIFY(image.ok());
        QCOMPARE(image->width(), 1000);
        const Palette palette(*store, picture.theme);
        const int a = count(*image, palette.entry(DrawnStore::entryOf('A')));
        const int c = count(*image, palette.entry(DrawnStore::entryOf('C')));
        QVERIFY(a > 1000);
        QVERIFY2(std::abs(c - 2 * a) < a / 8, qPrintable(QStringLiteral("%1 %2").arg(a).arg(c)));
    }

    // Entry methods are known by any number, and a trace may have no PE to project.
    void whatIsNotThereTakesNoRoom()
    {
        const DrawnStore store(rows);
        TimelineGeometry geometry;
        geometry.rows.resize(1);
        Block block;
        block.last = 100;
        block.busy = 16;
        for (const EntryId entry : {EntryId{4'000'000'000}, DrawnStore::entryOf('A')}) {
            block.entry = entry;
            geometry.rows[0].blocks.push_back(block);
        }
        const std::vector<LegendItem> items = legendItems(geometry, *store, 10);
        QCOMPARE(items.size(), std::size_t(1));
        QCOMPARE(items[0].entry, DrawnStore::entryOf('A'));
        Projection nothing;
        nothing.attribute = *parseAttribute(QStringLiteral("user"), *store);
        nothing.stages = equalStages({0, 100}, 4);
        const Result<QByteArray> picture = renderHeatMap(*store, nothing, {});
        QVERIFY2(picture.ok() && !picture->isEmpty(), picture.ok() ? "" : qPrintable(picture.error().what));
    }

    void thePathIsDrawnOnlyWhenGiven()
    {
        const DrawnStore store(rows);
        TimelinePicture picture;
        picture.legend = false;
        const Result<QImage> without = renderTimeline(*store, picture);
        QCOMPARE(count(*without, picture.theme.accent.rgb()), 0);
        CriticalPath path;
        path.steps = {{.task = {ProcessorId{0}, 0}, .pe = ProcessorId{0}, .begin = 0, .end = 10000}};
        picture.path = &path;
        const Result<QImage> with = renderTimeline(*store, picture);
        QVERIFY(count(*with, picture.theme.accent.rgb()) > 500);
    }

    void someProcessorsAndScale()
    {
        const DrawnStore store(rows);
        TimelinePicture picture;
        picture.size = {500, 0};
        picture.pes = {ProcessorId{1}};
        const Result<QImage> one = renderTimeline(*store, picture);
        const Palette palette(*store, picture.theme);
        QCOMPARE(count(*one, palette.entry(DrawnStore::entryOf('A'))), 0);
        picture.scale = 2;
        const Result<QImage> two = renderTimeline(*store, picture);
        QCOMPARE(two->width(), 1000);
        QCOMPARE(two->height(), 2 * one->height());
    }

    void moreRowsThanRoomAreCounted()
    {
        const DrawnStore store(QStringList(3000, QStringLiteral("AB")));
        TimelinePicture picture;
        picture.size = {400, 0};
        const Result<QImage> image = renderTimeline(*store, picture);
        QVERIFY(image.ok());
        QVERIFY(image->height() <= 2020);
    }

    void svgIsValid()
    {
        const DrawnStore store(rows);
        TimelinePicture picture;
        picture.title = QStringLiteral("a < b & \"c\"");
        const Result<QByteArray> svg = renderTimelineFile(*store, picture, true);
        QVERIFY(svg.ok());
        QSvgRenderer renderer(*svg);
        QVERIFY(renderer.isValid());
        QCOMPARE(renderer.viewBox().width(), 1440);
        QVERIFY(!svg->contains("<image"));
    }

    // Each rectangle of an SVG takes a kilobyte while it is made; of very many an image a row is as exact as a picture.
    void manyBlocksAreImagesInSvg()
    {
        const DrawnStore store(QStringList(200, QStringLiteral("ABC.").repeated(250)));
        TimelinePicture picture;
        picture.legend = false;
        const Result<QByteArray> svg = renderTimelineFile(*store, picture, true);
        QVERIFY(svg.ok());
        QCOMPARE(svg->count("<image"), 200);
        QVERIFY2(svg->size() < 2'000'000, qPrintable(QString::number(svg->size())));
        QSvgRenderer renderer(*svg);
        QVERIFY(renderer.isValid());
        QImage drawn(renderer.defaultSize(), QImage::Format_ARGB32);
        drawn.fill(Qt::white);
        QPainter painter(&drawn);
        renderer.render(&painter);
        painter.end();
        const Palette palette(*store, picture.theme);
        const Result<QImage> image = renderTimeline(*store, picture);
        QVERIFY(image.ok());
        for (const char letter : {'A', 'B', 'C'}) {
            const QRgb colour = palette.entry(DrawnStore::entryOf(letter));
            const int inSvg = count(drawn, colour), inImage = count(*image, colour);
            QVERIFY2(inSvg > inImage / 2 && inSvg < 2 * inImage,
                     qPrintable(QStringLiteral("%1: %2 of %3").arg(QLatin1Char(letter)).arg(inSvg).arg(inImage)));
        }
    }

    void utilizationPlots()
    {
        const DrawnStore store(rows);
        TimelinePicture picture;
        picture.size = {600, 200};
        picture.legend = false;
        for (const auto& draw : {renderUtilizationOverTime, renderUtilizationPerProcessor}) {
            const Result<QImage> image = draw(*store, picture);
            QVERIFY(image.ok());
            QCOMPARE(image->size(), QSize(600, 200));
            const int user = count(*image, picture.theme.utilization.rgb());
            const int idle = count(*image, picture.theme.idle.rgb());
            const int overhead = count(*image, picture.theme.overhead.rgb());
            // 40 units of user, 30 of idle, 10 of overhead; the scale's lines lie over some of it.
            QVERIFY2(std::abs(user - idle * 4 / 3) < user / 6, qPrintable(QStringLiteral("%1 %2").arg(user).arg(idle)));
            QVERIFY2(std::abs(user - overhead * 4) < user / 4,
                     qPrintable(QStringLiteral("%1 %2").arg(user).arg(overhead)));
        }
    }

    void whatHasNoLogIsNoOverhead()
    {
        const DrawnStore store({rows[1], QStringLiteral("?")});
        TimelinePicture picture;
        picture.size = {600, 200};
        picture.legend = false;
        for (const auto& draw : {renderUtilizationOverTime, renderUtilizationPerProcessor}) {
            const Result<QImage> image = draw(*store, picture);
            QVERIFY(image.ok());
            QCOMPARE(count(*image, picture.theme.overhead.rgb()), 0);
            const int busyAndIdle = count(*image, picture.theme.utilization.rgb())
                                    + count(*image, picture.theme.idle.rgb());
            const int missing = count(*image, picture.theme.line.rgb());
            QVERIFY2(std::abs(missing - busyAndIdle) < busyAndIdle / 6,
                     qPrintable(QStringLiteral("%1 %2").arg(missing).arg(busyAndIdle)));
        }
    }

    void aPictureTooLargeIsAnError()
    {
        const DrawnStore store(rows);
        TimelinePicture picture;
        picture.size = {2000000000, 2000000000};
        picture.scale = 4;
        const Result<QImage> image = renderUtilizationPerProcessor(*store, picture);
        QVERIFY(!image.ok());
        QVERIFY(!image.error().hint.isEmpty());
    }
};

}  // namespace longpole

LONGPOLE_GUI_TEST(longpole::TestRender)
#include "tst_render.moc"
