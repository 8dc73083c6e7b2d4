// SPDX-License-Identifier: GPL-3.0-or-later
// bench_frames TRACE.longpole: time to the first frame, then 200 zooms and pans at 1920 x 1080: without the critical
// path, over rows as well as time, with the path (edges: order), and coloured and dimmed by slack as well. A frame is
// what the interface's thread does from the gesture to painted pixels. One number a line; the goal is 16 ms at the 99th
// percentile.
#include "analysis/paths/criticalpath.h"
#include "analysis/paths/slackpyramid.h"
#include "core/store/tracestore.h"
#include "views/timeline/canvas.h"
#include "views/timeline/view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QThread>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <vector>

namespace longpole {

namespace {

constexpr double goal = 16;  // ms

double milliseconds(const QElapsedTimer& timer) { return static_cast<double>(timer.nsecsElapsed()) / 1e6; }

double threadMilliseconds()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double percentile(std::vector<double> values, double share)
{
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// Zooms in 100 times around a wandering place and out again, panning between: every scale is met.
TimeRange rangeOf(int step, TimeRange run)
{
    const int depth = step < 100 ? step : 200 - step;
    const double length = std::max(1000.0, static_cast<double>(run.length()) * std::pow(0.88, depth));
    const double room = static_cast<double>(run.length()) - length;
    const double place = 0.5 + 0.45 * std::sin(step * 0.07);
    const auto begin = run.begin + static_cast<TimeNs>(room * place);
    return {begin, begin + static_cast<TimeNs>(length)};
}

// Zooms over the rows until all of them show, and back, while the time that shows wanders: 2^k processors share a row.
void zoomOverRows(RowModel& rows, int step)
{
    rows.setRowHeight(rows.rowHeight() * (step < 100 ? 1 / 1.15 : 1.15), rows.viewportHeight() / 2);
}

// Gestures, and the 99th percentile of their frames.
double measure(const char* name, ViewState& state, TimelineView& view, bool overRows = false)
{
    QElapsedTimer timer;
    std::vector<double> frames;
    std::vector<double> deliveries;
    std::vector<double>
        busy;  // the thread's own time of a gesture's frame: what another program's load does not change
    for (int step = 0; step < 200; ++step) {
        timer.start();
        const double busyBefore = threadMilliseconds();
        if (overRows) zoomOverRows(view.rows(), step);
        state.setRange(rangeOf(overRows ? step % 40 : step, state.fullRange()), false);
        view.repaint();
        frames.push_back(milliseconds(timer));
        busy.push_back(threadMilliseconds() - busyBefore);
        // Data that arrives between two gestures is a frame as well.
        for (int turn = 0; turn < 4; ++turn) {
            QElapsedTimer delivery;
            delivery.start();
            QCoreApplication::processEvents(QEventLoop::AllEvents);
            deliveries.push_back(milliseconds(delivery));
            QThread::msleep(3);
        }
    }
    frames.insert(frames.end(), deliveries.begin(), deliveries.end());
    std::erase_if(frames, [](double value) { return value < 0.3; });  // turns of the loop without a frame
    std::printf("%s.median_ms %.2f ms\n", name, percentile(frames, 0.5));
    std::printf("%s.p99_ms %.2f ms\n", name, percentile(frames, 0.99));
    std::printf("%s.thread_median_ms %.2f ms\n", name, percentile(busy, 0.5));
    std::printf("%s.thread_p99_ms %.2f ms\n", name, percentile(busy, 0.99));
    return percentile(frames, 0.99);
}

int run(const QString& file)
{
    QElapsedTimer timer;
    timer.start();
    const auto store = TraceStore::open(file);
    if (!store) {
        std::fprintf(stderr, "%s\n", qPrintable(toText(store.error())));
        return 3;
    }
    const double opened = milliseconds(timer);
    ViewState state(*store);
    TimelineView view(&state);
    view.resize(1920, 1080);
    view.show();
    view.repaint();
    const double first = milliseconds(timer);

    std::printf("frames.open_ms %.2f ms\n", opened);
    std::printf("frames.first_ms %.2f ms\n", first);
    const double plain = measure("frames", state, view);
    measure("frames.rows", state, view, true);
    const auto graph = loadActivityGraph(**store, Progress{});
    if (!graph) {
        std::fprintf(stderr, "%s\n", qPrintable(toText(graph.error())));
        return 3;
    }
    auto path = workPath(**graph, workHeads(**graph, EdgeLevel::Order, Progress{}));
    if (!path) {
        std::fprintf(stderr, "%s\n", qPrintable(toText(path.error())));
        return 3;
    }
    const auto shown = std::make_shared<const CriticalPath>(std::move(*path));
    state.setPath(shown);
    measure("frames.path_by_steps", state, view);
    state.setPath(nullptr);
    state.setPath(shown, std::make_shared<const PathPyramid>(*shown));
    const double withPath = measure("frames.path", state, view);
    const auto slack = slackOfTasks(**graph, {.mode = PathMode::Work, .edges = dependencies(**graph, EdgeLevel::Order)},
                                    nullptr, Progress{});
    if (!slack) {
        std::fprintf(stderr, "%s\n", qPrintable(toText(slack.error())));
        return 3;
    }
    state.setColour(ColourMode::Slack);
    state.setSlack(std::make_shared<const SlackPyramid>(*graph, *slack), (*slack)->length);
    state.setMostSlack((*slack)->length / 100);
    const double bySlack = measure("frames.slack", state, view);
    const double worst = std::max({plain, withPath, bySlack});
    std::printf("frames.p99_over_goal %.2f ratio\n", worst / goal);
    return worst > 3 * goal ? 1 : 0;
}

}  // namespace

}  // namespace longpole

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: bench_frames TRACE.longpole\n");
        return 2;
    }
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    return longpole::run(QString::fromLocal8Bit(argv[1]));
}
