// SPDX-License-Identifier: GPL-3.0-or-later
// Bars in groups: where they lie, and that they are drawn there.
#include "views/drawing/charts/groupedbars.h"

#include "support/testmain.h"

#include <QImage>
#include <QRegularExpression>
#include <QTest>

#include <limits>

using namespace longpole;

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

GroupedBars threeGroups()
{
    return {.title = QStringLiteral("title"),
            .summary = QStringLiteral("rest"),
            .measures = {{QStringLiteral("red"), QColor(250, 0, 0)}, {QStringLiteral("blue"), QColor(0, 0, 250)}},
            .groups = {QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("a longer name")},
            .values = {{0.4, 0.1}, {none, -0.1}, {0, 0.2}}};
}

}  // namespace

class TestGroupedBars : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void geometry()
    {
        const GroupedBars bars = threeGroups();
        const ValueAxis axis = axisOf(bars);
        QCOMPARE(axis.low, -0.1);
        QCOMPARE(axis.high, 0.4);
        const QRectF plot(100, 50, 500, 300);
        const std::vector<GroupBar> found = barsOf(bars, axis, plot);
        QCOMPARE(found.size(), std::size_t(5));
        const double zero = 200;
        const auto spans = [&](std::size_t i, std::size_t group, std::size_t measure, double left, double right) {
            return found[i].group == group && found[i].measure == measure && qFuzzyCompare(found[i].rect.left(), left)
                   && qFuzzyCompare(found[i].rect.right(), right);
        };
        QVERIFY(spans(0, 0, 0, zero, 600));
        QVERIFY(spans(1, 0, 1, zero, 300));
        QVERIFY(spans(2, 1, 1, 100, zero));
        QVERIFY(spans(3, 2, 0, zero, zero));
        QVERIFY(spans(4, 2, 1, zero, 400));
        for (std::size_t i = 0; i < found.size(); ++i) {
            const double top = 50 + 100 * double(found[i].group);
            QVERIFY(found[i].rect.top() >= top && found[i].rect.bottom() <= top + 100);
            if (i > 0) QVERIFY(found[i].rect.top() >= found[i - 1].rect.bottom());
        }
    }

    void nothing()
    {
        GroupedBars bars;
        QVERIFY(barsOf(bars, axisOf(bars), QRectF(0, 0, 100, 100)).empty());
        QVERIFY(renderGroupedBars(bars, {}).ok());
        bars = threeGroups();
        for (auto& values : bars.values) values.assign(2, 0.0);
        QVERIFY(renderGroupedBars(bars, {}).ok());
    }

    void picture_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void picture()
    {
        QFETCH(bool, dark);
        ChartPicture picture{.size = {700, 0}, .theme = dark ? darkTheme() : lightTheme()};
        const auto bytes = renderGroupedBars(threeGroups(), picture);
        QVERIFY(bytes.ok());
        const QImage image = QImage::fromData(*bytes);
        QCOMPARE(image.width(), 700);
        QVERIFY(image.height() > 150 && image.height() < 300);
        // The longest of each colour; the legend's squares are shorter.
        int red = 0, blue = 0;
        for (int y = 0; y < image.height(); ++y) {
            int reds = 0, blues = 0;
            for (int x = 0; x < image.width(); ++x) {
                reds += image.pixelColor(x, y) == QColor(250, 0, 0);
                blues += image.pixelColor(x, y) == QColor(0, 0, 250);
            }
            red = std::max(red, reds);
            blue = std::max(blue, blues);
        }
        QVERIFY2(red > 250 && std::abs(red - 2 * blue) <= 4, qPrintable(QStringLiteral("%1 %2").arg(red).arg(blue)));
        picture.isVector = true;
        QVERIFY(renderGroupedBars(threeGroups(), picture)->contains("a longer name"));
    }
};

LONGPOLE_GUI_TEST(TestGroupedBars)
#include "tst_groupedbars.moc"
