// SPDX-License-Identifier: GPL-3.0-or-later
// Where predicted and measured gains stand above each other.
#include "views/drawing/charts/gainstrip.h"

#include "support/testmain.h"

#include <QImage>
#include <QPainter>
#include <QTest>

using namespace longpole;

class TestGainStrip : public QObject {
    Q_OBJECT

    // Pairs of 100 without, and with as much less as they gain in percent.
    static Trial gaining(const std::vector<TimeNs>& gains)
    {
        Trial trial;
        for (const TimeNs gain : gains) {
            trial.runs.push_back({false, 100});
            trial.runs.push_back({true, 100 - gain});
        }
        return trial;
    }

private Q_SLOTS:
    void oneAxisForBoth()
    {
        Trial trial = gaining({10, 20, 30, 40, 50});
        trial.prediction = Prediction{.gainLow = 0.25, .gainHigh = 0.45};
        const GainStrip strip = gainStrip(trial, {206, 48}, 100);  // a hundred pixels for 50 points
        QCOMPARE(strip.axis.left(), 103.0);
        QCOMPARE(strip.axis.width(), 100.0);
        QCOMPARE(strip.zero, 103.0);
        QCOMPARE(strip.predicted.left(), 153.0);
        QCOMPARE(strip.predicted.right(), 193.0);
        QCOMPARE(strip.pairs.size(), std::size_t(5));
        QCOMPARE(strip.pairs[3].x(), 183.0);
        QCOMPARE(strip.median, 163.0);
        QCOMPARE(strip.measured.left(), 123.0);
        QCOMPARE(strip.measured.right(), 203.0);
        QVERIFY(strip.predicted.bottom() < strip.measured.top());
        QVERIFY(strip.measured.bottom() < strip.axis.top());
        QCOMPARE(strip.most, QStringLiteral("50.0 %"));
    }

    void lossesLieLeftOfZero()
    {
        const GainStrip strip = gainStrip(gaining({-50, 50}), {206, 48}, 100);
        QCOMPARE(strip.zero, 153.0);
        QCOMPARE(strip.pairs[0].x(), 103.0);
        QCOMPARE(strip.pairs[1].x(), 203.0);
        QVERIFY(strip.predicted.isEmpty());
    }

    void asLongAsNoPairIsComplete()
    {
        Trial trial;
        trial.runs.push_back({false, 100});
        const GainStrip strip = gainStrip(trial, {206, 48}, 100);
        QVERIFY(strip.pairs.empty() && strip.measured.isEmpty());
        QCOMPARE(strip.most, QStringLiteral("1.0 %"));                      // an axis all the same
        QVERIFY(gainStrip(gaining({7}), {10, 48}, 100).axis.width() >= 1);  // no room
    }

    void isPaintedInBothThemes()
    {
        Trial trial = gaining({10, 20, 30, 40, 50});
        trial.prediction = Prediction{.gainLow = 0.25, .gainHigh = 0.45};
        const GainStrip strip = gainStrip(trial, {206, 48}, 100);
        for (const Theme* theme : {&darkTheme(), &lightTheme()}) {
            QImage image(206, 48, QImage::Format_ARGB32_Premultiplied);
            image.fill(theme->panel);
            QPainter painter(&image);
            paintGainStrip(painter, strip, *theme);
            painter.end();
            QCOMPARE(image.pixelColor(strip.predicted.center().toPoint()), theme->accent);
            QCOMPARE(image.pixelColor(QPoint(143, 24)), theme->utilization);  // the second pair
            QCOMPARE(image.pixelColor(QPoint(205, 8)), theme->panel);
        }
    }
};

LONGPOLE_GUI_TEST(TestGainStrip)
#include "tst_gainstrip.moc"
