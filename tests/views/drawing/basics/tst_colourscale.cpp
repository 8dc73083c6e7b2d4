// SPDX-License-Identifier: GPL-3.0-or-later
// Value axes and colour scales: positions, ticks, colours and the legend by value.
#include "views/drawing/basics/colourscale.h"

#include "support/testmain.h"

#include <QImage>
#include <QTest>

#include <cmath>
#include <limits>

using namespace longpole;

namespace {

double lightness(QRgb colour) { return 0.2126 * qRed(colour) + 0.7152 * qGreen(colour) + 0.0722 * qBlue(colour); }

QStringList labels(const ValueAxis& axis, int most)
{
    QStringList found;
    for (const ValueTick& tick : valueTicks(axis, most))
        if (!tick.label.isEmpty()) found << tick.label;
    return found;
}

}  // namespace

class TestColourScale : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void linearAxis()
    {
        const ValueAxis axis = valueAxis(0, 200, false, ValueUnit::Count);
        QCOMPARE(axis.position(50), 0.25);
        QCOMPARE(axis.value(0.25), 50.0);
        QCOMPARE(axis.position(-5), 0.0);
        QCOMPARE(axis.position(500), 1.0);
        QCOMPARE(labels(axis, 4), (QStringList{QStringLiteral("0"), QStringLiteral("50"), QStringLiteral("100"),
                                               QStringLiteral("150"), QStringLiteral("200")}));
    }

    void logAxis()
    {
        const ValueAxis axis = valueAxis(1000, 1e9, true, ValueUnit::Time);
        QCOMPARE(axis.position(1e6), 0.5);
        QVERIFY(std::abs(axis.value(0.5) - 1e6) < 1e-3);
        QCOMPARE(labels(axis, 7).size(), 7);
        QCOMPARE(valueTicks(axis, 7).size(), std::size_t(19));
        QCOMPARE(labels(axis, 3).size(), 3);
        QCOMPARE(labels(valueAxis(1, 100, true, ValueUnit::Count), 10),
                 (QStringList{QStringLiteral("1"), QStringLiteral("2"), QStringLiteral("5"), QStringLiteral("10"),
                              QStringLiteral("20"), QStringLiteral("50"), QStringLiteral("100")}));
    }

    void impossibleEnds()
    {
        QCOMPARE(valueAxis(5, 5, false, ValueUnit::Count), (ValueAxis{5, 6, false, ValueUnit::Count}));
        QCOMPARE(valueAxis(0, 100, true, ValueUnit::Count), (ValueAxis{1, 100, true, ValueUnit::Count}));
        QCOMPARE(valueAxis(0, 0, true, ValueUnit::Count).low < valueAxis(0, 0, true, ValueUnit::Count).high, true);
        const ValueAxis nan = valueAxis(std::nan(""), std::numeric_limits<double>::infinity(), false, ValueUnit::Share);
        QCOMPARE(nan, (ValueAxis{0, 1, false, ValueUnit::Share}));
        QVERIFY(!valueTicks(nan, 0).empty());
    }

    void integersHaveNoPartsOfTicks()
    {
        QCOMPARE(labels(valueAxis(0, 2, false, ValueUnit::Count), 10),
                 (QStringList{QStringLiteral("0"), QStringLiteral("1"), QStringLiteral("2")}));
        QCOMPARE(labels(valueAxis(0, 1, false, ValueUnit::Share), 2),
                 (QStringList{QStringLiteral("0 %"), QStringLiteral("50 %"), QStringLiteral("100 %")}));
        QCOMPARE(labels(valueAxis(0, 0.02, false, ValueUnit::Share), 4).at(1), QStringLiteral("0.5 %"));
    }

    void lightnessGrows_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<int>("kind");
        for (const bool dark : {true, false})
            for (const ColourScaleKind kind : {ColourScaleKind::Calm, ColourScaleKind::Cividis})
                QTest::addRow("%s %d", dark ? "dark" : "light", int(kind)) << dark << int(kind);
    }
    void lightnessGrows()
    {
        QFETCH(bool, dark);
        QFETCH(int, kind);
        const ColourScale scale(dark ? darkTheme() : lightTheme(), ColourScaleKind(kind),
                                valueAxis(0, 1, false, ValueUnit::Share));
        const bool grows = lightness(scale.at(1)) > lightness(scale.at(0));
        QCOMPARE(grows, dark || ColourScaleKind(kind) == ColourScaleKind::Cividis);
        for (int i = 1; i <= 20; ++i) {
            const double before = lightness(scale.at((i - 1) / 20.0));
            const double now = lightness(scale.at(i / 20.0));
            QVERIFY2(grows ? now > before : now < before, qPrintable(QString::number(i)));
        }
    }

    void colours()
    {
        const ColourScale linear(darkTheme(), ColourScaleKind::Cividis, valueAxis(10, 20, false, ValueUnit::Count));
        QCOMPARE(linear.colour(10), QRgb(0xff00224e));
        QCOMPARE(linear.colour(20), QRgb(0xfffee838));
        QCOMPARE(linear.colour(99), QRgb(0xfffee838));
        QCOMPARE(linear.colour(std::nan("")), linear.nothing());
        QVERIFY(linear.nothing() != linear.colour(10));
        const ColourScale logarithmic(darkTheme(), ColourScaleKind::Cividis, valueAxis(1, 100, true, ValueUnit::Count));
        QCOMPARE(logarithmic.colour(10), linear.colour(15));
        QCOMPARE(logarithmic.colour(0), logarithmic.nothing());
        const ColourScale calm(lightTheme(), ColourScaleKind::Calm, valueAxis(0, 1, false, ValueUnit::Share));
        QVERIFY(lightness(calm.at(0)) < lightness(calm.nothing()) - 15);
        QVERIFY(lightness(calm.at(0)) > lightness(lightTheme().utilization.rgb()) + 60);
        QCOMPARE(calm.at(1), qRgb(16, 36, 66));
    }

    void ink()
    {
        QCOMPARE(inkOn(qRgb(250, 250, 250)), qRgb(0, 0, 0));
        QCOMPARE(inkOn(qRgb(0, 34, 78)), qRgb(255, 255, 255));
    }

    void clipping()
    {
        std::vector<double> values;
        for (int i = 100; i >= 0; --i) values.push_back(i);
        values.push_back(std::nan(""));
        QCOMPARE(clippedRange(values, 0.05, 0.95), (std::pair<double, double>{5, 95}));
        QCOMPARE(clippedRange({}, 0, 1), (std::pair<double, double>{0, 0}));
        QCOMPARE(clippedRange({7}, 0, 1), (std::pair<double, double>{7, 7}));
    }

    void legend()
    {
        QImage image(300, int(colourLegendHeight), QImage::Format_RGB32);
        image.fill(lightTheme().window);
        QPainter painter(&image);
        const ColourScale scale(lightTheme(), ColourScaleKind::Cividis, valueAxis(1, 1000, true, ValueUnit::Bytes));
        paintColourLegend(painter, QRectF(0, 0, 300, colourLegendHeight), scale, lightTheme());
        painter.end();
        QCOMPARE(image.pixel(0, 6), scale.at(0.5 / 300));
        QCOMPARE(image.pixel(299, 6), scale.at(299.5 / 300));
        int inked = 0;
        for (int x = 0; x < 300; ++x) inked += image.pixel(x, 24) != lightTheme().window.rgb();
        QVERIFY(inked > 10);
    }
};

LONGPOLE_GUI_TEST(TestColourScale)
#include "tst_colourscale.moc"
