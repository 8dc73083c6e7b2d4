// SPDX-License-Identifier: GPL-3.0-or-later
// Runs independent pieces of work that can fail on several threads.
#pragma once

#include "core/base/parallel.h"
#include "core/base/progress.h"
#include "core/base/result.h"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>

namespace longpole {

// The part of a whole computation's progress that a piece of it makes, as fractions at its begin and end.
struct ProgressSpan {
    double from = 0;
    double to = 1;
};

// Calls work(i), which returns a Result<>, for each i in [0, count) as parallelFor does, and reports how many are done
// over `span`. After a first error, or when cancelled, the rest is skipped. Errors: the first one of work; cancelled.
template <typename Work>
Result<> parallelResult(std::size_t count, const Progress& progress, const Work& work, ProgressSpan span = {})
{
    std::atomic<std::size_t> done{0};
    std::atomic<bool> hasFailed{false};
    std::mutex mutex;
    std::optional<Error> error;
    parallelFor(count, [&](std::size_t i) {
        if (hasFailed || progress.isCancelled()) return;
        if (const Result<> result = work(i); !result) {
            const std::lock_guard lock(mutex);
            hasFailed = true;
            if (!error) error = result.error();
        }
        progress.report(span.from + (span.to - span.from) * static_cast<double>(++done) / static_cast<double>(count));
    });
    if (error) return *error;
    if (progress.isCancelled()) return cancelledError();
    return Unit{};
}

}  // namespace longpole
