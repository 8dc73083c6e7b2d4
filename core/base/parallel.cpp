// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace longpole {

unsigned defaultThreads() { return std::clamp(std::thread::hardware_concurrency(), 1u, 16u); }

void parallelFor(std::size_t count, const std::function<void(std::size_t)>& body, unsigned threads)
{
    if (threads == 0) threads = defaultThreads();
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) body(i);
    };
    std::vector<std::jthread> others;
    const std::size_t wanted = std::min<std::size_t>(threads, count);
    for (std::size_t i = 1; i < wanted; ++i) others.emplace_back(work);
    work();
}

}  // namespace longpole
