// SPDX-License-Identifier: GPL-3.0-or-later
// Bookmarks on the axis: which show, how much room their text has, which one is under the pointer.
#include "views/drawing/timeline/timeflags.h"

#include "support/testmain.h"

#include <QRegularExpression>
#include <QTest>

using namespace longpole;

class TestTimeFlags : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void marks()
    {
        const std::vector<TimeFlag> flags{{{500, 600}, 2, QStringLiteral("later")},
                                          {{100, 300}, 1, {}},
                                          {{0, 50}, 3, {}},      // before the view
                                          {{900, 950}, 4, {}},   // behind it
                                          {{40, 2000}, 0, {}}};  // through it
        const std::vector<FlagMark> found = flagMarks(flags, {{50, 850}, 80});
        QCOMPARE(found.size(), std::size_t(3));
        QCOMPARE(found[0], (FlagMark{.x0 = 0, .x1 = 80, .room = 5, .flag = 4, .begins = false}));
        QCOMPARE(found[1], (FlagMark{.x0 = 5, .x1 = 25, .room = 40, .flag = 1, .begins = true}));
        QCOMPARE(found[2], (FlagMark{.x0 = 45, .x1 = 55, .room = 35, .flag = 0, .begins = true}));
        QVERIFY(flagMarks({}, {{50, 850}, 80}).empty());
        QVERIFY(flagMarks(flags, {{2000, 3000}, 80}).empty());
    }

    // The one that begins last of those under the pointer: a short one within a long one can be clicked.
    void whichIsUnderThePointer()
    {
        const std::vector<TimeFlag> flags{{{0, 1000}, 1, {}}, {{400, 500}, 2, {}}};
        const std::vector<FlagMark> marks = flagMarks(flags, {{0, 1000}, 1000});
        QCOMPARE(flagAt(marks, 100), std::optional<std::size_t>(0));
        QCOMPARE(flagAt(marks, 399), std::optional<std::size_t>(1));
        QCOMPARE(flagAt(marks, 450), std::optional<std::size_t>(1));
        QCOMPARE(flagAt(marks, 900), std::optional<std::size_t>(0));
        QCOMPARE(flagAt(flagMarks(std::vector<TimeFlag>{{{0, 10}, 1, {}}}, {{0, 1000}, 1000}), 500),
                 std::optional<std::size_t>());
    }

    // A staff where it begins, a line to its end, and text as far as there is room.
    void picture()
    {
        const std::vector<TimeFlag> flags{{{100, 400}, 0, {}}};
        QImage image(500, 16, QImage::Format_RGB32);
        image.fill(lightTheme().panel);
        QPainter painter(&image);
        paintFlags(painter, flags, flagMarks(flags, {{0, 500}, 500}), 0, 16, lightTheme());
        painter.end();
        const auto isDrawn = [&](int x, int y) { return image.pixelColor(x, y) == lightTheme().mutedText; };
        QVERIFY(isDrawn(100, 2) && isDrawn(100, 14) && isDrawn(250, 14) && isDrawn(399, 14));
        QVERIFY(!isDrawn(99, 14) && !isDrawn(401, 14) && !isDrawn(250, 2));
    }
};

LONGPOLE_GUI_TEST(TestTimeFlags)
#include "tst_timeflags.moc"
