// SPDX-License-Identifier: GPL-3.0-or-later
// Opens every view of a trace in the desktop window, one after the other, each until nothing is computed any more, and
// tells the most memory that was resident meanwhile.
#pragma once

#include "app/gui/frame/settings.h"
#include "app/gui/window/mainwindow.h"
#include "app/gui/window/panels.h"
#include "support/residentmemory.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace longpole::test {

// Another thread runs, or waits for a processor, which on a busy machine it may not get for a while.
inline bool othersRun()
{
    const QString own = QString::number(::gettid());
    for (const QString& id : QDir(QStringLiteral("/proc/self/task")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile file(QStringLiteral("/proc/self/task/%1/stat").arg(id));
        if (id == own || !file.open(QIODevice::ReadOnly)) continue;
        const QByteArray stat = file.readAll();  // "ID (NAME) STATE ..."
        const QByteArray state = stat.mid(stat.lastIndexOf(')') + 2, 1);
        if (state == "R" || state == "D") return true;
    }
    return false;
}

inline double usedCpuMs()
{
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto ms = [](const timeval& time) { return double(time.tv_sec) * 1000 + double(time.tv_usec) / 1000; };
    return ms(used.ru_utime) + ms(used.ru_stime);
}

// Waits until the program has rested for some time. False: it did not within `patienceMs`.
inline bool settle(int patienceMs)
{
    constexpr int pollMs = 50, rests = 5;  // longer than settlingTime, after which views ask
    constexpr double restMs = 4;           // of CPU in a poll: timers that look for answers
    QElapsedTimer clock;
    clock.start();
    for (int rested = 0; rested < rests;) {
        const double before = usedCpuMs();
        QTest::qWait(pollMs);
        const bool isResting = usedCpuMs() - before < restMs && !othersRun();
        rested = isResting ? rested + 1 : 0;
        if (clock.elapsed() > patienceMs) return false;
    }
    return true;
}

struct OpenedViews {
    bool isOpen = false;       // the trace could be opened
    bool hasSettled = true;    // each view in time
    std::int64_t peak = 0;     // resident bytes
    std::int64_t tasks = 0;    // of the trace
    std::int64_t answers = 0;  // what Results holds at the end
    QString largest{};         // the view during which the peak came
};

// LONGPOLE_TELL=1 prints the memory of each view.
inline OpenedViews openEveryView(Settings& settings, const QString& trace, int patienceMs)
{
    OpenedViews opened;
    forgetPeak();
    MainWindow window(settings);
    window.resize(1440, 900);
    window.show();
    window.open(trace);
    QElapsedTimer clock;
    clock.start();
    while (!window.workspace() && clock.elapsed() < patienceMs) QTest::qWait(20);
    if (!window.workspace()) return opened;
    opened.isOpen = true;
    opened.tasks = window.workspace()->state().store().info().tasks;
    const bool tells = qEnvironmentVariableIsSet("LONGPOLE_TELL");
    const auto look = [&](const QString& view) {
        opened.hasSettled = settle(patienceMs) && opened.hasSettled;
        const std::int64_t peak = residentBytes("VmHWM:");
        if (peak > opened.peak) opened.largest = view;
        opened.peak = std::max(opened.peak, peak);
        if (!tells) return;
        std::printf("%-24s peak %4lld MB, now %4lld MB, answers %4lld MB, %lld s\n", qPrintable(view),
                    static_cast<long long>(peak >> 20), static_cast<long long>(residentBytes("VmRSS:") >> 20),
                    static_cast<long long>(window.workspace()->state().results()->bytes() >> 20),
                    static_cast<long long>(clock.elapsed() / 1000));
        if (qEnvironmentVariableIntValue("LONGPOLE_TELL") > 1)
            for (const HeldAnswer& held : window.workspace()->state().results()->held())
                if (held.bytes > 1 << 20)
                    std::printf("    %s %lld MB%s\n", held.question, static_cast<long long>(held.bytes >> 20),
                                held.isKept ? "" : ", in use only");
        std::fflush(stdout);
    };
    look(QStringLiteral("timeline"));
    for (const PanelSpec* spec : panelSpecs()) {
        window.showTab(QLatin1String(spec->id));
        look(QLatin1String(spec->id));
    }
    opened.answers = window.workspace()->state().results()->bytes();
    return opened;
}

}  // namespace longpole::test
