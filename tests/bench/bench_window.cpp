// SPDX-License-Identifier: GPL-3.0-or-later
// bench_window TRACE.longpole: the most memory that is resident while every view of the desktop window is opened once,
// at 1440 x 900.
#include "app/gui/openedviews.h"

#include "app/gui/frame/style.h"

#include <QTemporaryDir>

#include <cstdio>

using namespace longpole;

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: bench_window TRACE.longpole\n");
        return 2;
    }
    giveLargeArraysBack();
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    applyTheme(darkTheme());
    constexpr int patienceMs = 600'000;
    const test::OpenedViews opened = test::openEveryView(settings, QString::fromLocal8Bit(argv[1]), patienceMs);
    if (!opened.isOpen) {
        std::fprintf(stderr, "bench_window: %s does not open\n", argv[1]);
        return 3;
    }
    constexpr double goal = 400;
    const double peak = double(opened.peak) / (1 << 20);
    std::printf("window.peak %.0f MB (goal %.0f), during %s%s\n", peak, goal, qPrintable(opened.largest),
                opened.hasSettled ? "" : ", not all settled");
    std::printf("window.answers %.0f MB\n", double(opened.answers) / (1 << 20));
    return peak > 3 * goal ? 1 : 0;
}
