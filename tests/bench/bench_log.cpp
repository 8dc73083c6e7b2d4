// SPDX-License-Identifier: GPL-3.0-or-later
// bench_log TRACE.longpole: what somebody waits for in the log viewer: opening it, a page in the middle for the first
// time and again, pages one after the other, a record's place, and a search to the end.
#include "analysis/statistics/recordfields.h"
#include "analysis/statistics/recordlist.h"
#include "analysis/statistics/recordsearch.h"

#include <QElapsedTimer>
#include <QString>

#include <algorithm>
#include <cstdio>

using namespace longpole;

namespace {

double milliseconds(const QElapsedTimer& clock) { return static_cast<double>(clock.nsecsElapsed()) / 1e6; }

bool page(const RecordList& list, RecordReader& reader, std::int64_t first)
{
    constexpr std::int64_t rows = 120;  // a screen, and one below it
    const Result<std::vector<RecordRef>> refs = list.records(first, rows, Progress{});
    return refs.ok() && reader.read(*refs).ok();
}

}  // namespace

int main(int argc, char** argv)
{
    const auto store = TraceStore::open(QString::fromLocal8Bit(argc > 1 ? argv[1] : ""));
    if (!store) {
        std::fprintf(stderr, "%s\n", qPrintable(toText(store.error())));
        return 3;
    }
    QElapsedTimer clock;
    clock.start();
    const auto made = RecordList::make(*store, {}, Progress{});
    std::printf("open the list        %9.2f ms\n", milliseconds(clock));
    const RecordList& list = **made;
    std::printf("records              %9lld\n", static_cast<long long>(list.count()));
    RecordReader reader(*store);
    const std::int64_t middle = list.count() / 2;
    bool isFine = true;
    for (const char* text : {"first page in middle ", "the same again       "}) {
        clock.start();
        isFine = isFine && page(list, reader, middle);
        std::printf("%s%9.2f ms\n", text, milliseconds(clock));
    }
    double worst = 0;
    double sum = 0;
    constexpr int pages = 40;
    for (int i = 1; i <= pages; ++i) {
        clock.start();
        isFine = isFine && page(list, reader, middle + i * 50);
        worst = std::max(worst, milliseconds(clock));
        sum += milliseconds(clock);
    }
    std::printf("scroll, mean         %9.2f ms\nscroll, worst        %9.2f ms\n", sum / pages, worst);
    double far = 0;
    for (int i = 1; i < 20; ++i) {
        clock.start();
        isFine = isFine && page(list, reader, list.count() / 20 * i);
        far = std::max(far, milliseconds(clock));
    }
    std::printf("jump, worst of 19    %9.2f ms\n", far);
    const auto refs = list.records(list.count() / 3, 1, Progress{});
    clock.start();
    isFine = isFine && refs.ok() && list.position(refs->front(), Progress{}).ok();
    std::printf("place of a record    %9.2f ms\n", milliseconds(clock));
    const auto question = parseRecordQuestion(QStringLiteral("-4711"), **store, Progress{});
    clock.start();
    isFine = isFine && findRecord(list, *question, {}, true, Progress{}).ok();
    std::printf("search of all        %9.2f ms\n", milliseconds(clock));
    return isFine ? 0 : 1;
}
