// SPDX-License-Identifier: GPL-3.0-or-later
// Times what histogram, noise and communication matrix read of an imported trace: bench_distributions TRACE.longpole.
// Prints "what: milliseconds ms, figures", each done twice on a store opened anew.
#include "analysis/noise/noise.h"
#include "analysis/statistics/commmatrix.h"
#include "analysis/statistics/histogram.h"

#include <chrono>
#include <cstdio>

using namespace longpole;

namespace {

template <typename Work>
void timed(const char* what, const QString& path, Work work)
{
    for (int i = 0; i < 2; ++i) {
        const auto store = TraceStore::open(path);
        if (!store) return;
        const auto begin = std::chrono::steady_clock::now();
        const std::int64_t figure = work(**store);
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
        std::printf("%s: %.0f ms, %lld\n", what, took.count(), static_cast<long long>(figure));
    }
}

}  // namespace

int main(int count, char** arguments)
{
    if (count != 2) {
        std::fprintf(stderr, "bench_distributions TRACE.longpole\n");
        return 2;
    }
    const QString path = QString::fromLocal8Bit(arguments[1]);
    for (const DistributedQuantity quantity :
         {DistributedQuantity::TaskDuration, DistributedQuantity::MessageSize, DistributedQuantity::IdleLength,
          DistributedQuantity::Latency, DistributedQuantity::QueueWait})
        timed(name(quantity), path, [quantity](const TraceStore& store) {
            DistributionRequest request;
            request.of = quantity;
            const auto found = distribution(store, request, Progress{});
            return found ? histogram(*found, {}).summary.count : -1;
        });
    for (const CommBy by : {CommBy::Pe, CommBy::Entry})
        timed(by == CommBy::Pe ? "comm-matrix pe" : "comm-matrix entry", path, [by](const TraceStore& store) {
            const auto found = commMatrix(store, {.by = by}, Progress{});
            return found ? found->total.messages : -1;
        });
    timed("noise", path, [](const TraceStore& store) {
        const auto found = noise(store, {}, {}, Progress{});
        return found ? found->stretched : -1;
    });
    return 0;
}
