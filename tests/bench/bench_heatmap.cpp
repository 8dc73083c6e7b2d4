// SPDX-License-Identifier: GPL-3.0-or-later
// bench_heatmap TRACE.longpole: the detailed view at 1000 stages and 1920 x 1080: its first picture, other timesteps as
// a slider makes them and zooming (time of the interface's thread), and the memory of it all. One figure a line, with
// its goal.
#include "core/store/tracestore.h"
#include "views/projection/detailpanel.h"
#include "views/projection/stagefields.h"
#include "views/state/viewstate.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QThread>

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

namespace longpole {

using namespace test;

namespace {

double milliseconds(const std::function<void()>& work)
{
    QElapsedTimer timer;
    timer.start();
    work();
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

// The interface's own: what another program's load does not change.
double threadMilliseconds(const std::function<void()>& work)
{
    timespec begin{}, end{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    work();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return static_cast<double>(end.tv_sec - begin.tv_sec) * 1e3
           + static_cast<double>(end.tv_nsec - begin.tv_nsec) / 1e6;
}

double peakMegabytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Until the queued replot has been painted.
void paint(DetailPanel& panel)
{
    QCoreApplication::processEvents();
    panel.repaint();
}

void chooseStages(DetailPanel& panel, int count) { fill(stagesField(panel), QStringLiteral("stages=%1").arg(count)); }

void print(const char* name, std::vector<double> values, double goal)
{
    std::sort(values.begin(), values.end());
    std::printf("%s.median %.1f ms (goal %.0f)\n", name, values[values.size() / 2], goal);
    std::printf("%s.most %.1f ms\n", name, values.back());
}

int run(const QString& file)
{
    const auto store = TraceStore::open(file);
    if (!store) {
        std::fprintf(stderr, "%s\n", qPrintable(toText(store.error())));
        return 3;
    }
    const double before = peakMegabytes();
    ViewState state(*store);
    DetailPanel panel(state);
    panel.resize(1920, 1080);
    chooseStages(panel, 1000);
    std::printf("heatmap.processors %zu PEs\n", panel.bar().pes().size());
    const double first = milliseconds([&] {
        panel.show();
        while (panel.feed().answers().empty() || !panel.feed().answers().front()) {
            QCoreApplication::processEvents();
            QThread::msleep(1);
        }
        paint(panel);
    });
    std::printf("heatmap.first %.1f ms (goal 100)\n", first);
    std::vector<double> steps, zooms;
    for (int count = 1000; count >= 100; count -= 30)
        steps.push_back(threadMilliseconds([&] {
            chooseStages(panel, count);
            paint(panel);
        }));
    print("heatmap.timestep", steps, 16);
    chooseStages(panel, 1000);
    paint(panel);
    const PlotSpan whole = panel.map().xShown();
    for (int i = 0; i < 30; ++i)
        zooms.push_back(threadMilliseconds([&] {
            const double margin = (whole.second - whole.first) * 0.01 * i;
            panel.map().showX({whole.first + margin, whole.second - margin});
            paint(panel);
        }));
    print("heatmap.zoom", zooms, 10);
    QElapsedTimer exact;
    exact.start();
    while (panel.feed().isWorking() && exact.elapsed() < 120'000)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    std::printf("heatmap.exact %.0f ms\n", static_cast<double>(exact.elapsed()));
    std::printf("heatmap.memory %.0f MB (goal 300)\n", peakMegabytes() - before);
    return 0;
}

}  // namespace

}  // namespace longpole

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: bench_heatmap TRACE.longpole\n");
        return 2;
    }
    const QApplication app(argc, argv);
    return longpole::run(QString::fromLocal8Bit(argv[1]));
}
