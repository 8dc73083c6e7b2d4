// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace longpole {

namespace {

std::atomic<unsigned> askedFor{0};

}  // namespace

unsigned defaultThreads()
{
    if (const unsigned threads = askedFor.load(std::memory_order_relaxed); threads > 0) return threads;
    return std::clamp(std::thread::hardware_concurrency(), 1u, 16u);
}

void setDefaultThreads(unsigned threads) { askedFor.store(threads, std::memory_order_relaxed); }

void parallelFor(std::size_t count, const std::function<void(std::size_t)>& body, unsigned threads)
{
    if (threads == 0) threads = defaultThreads();
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;  // the first one: memory ran out
    const auto work = [&] {
        try {
            for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) body(i);
        } catch (...) {
            next = count;
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;
        const std::size_t wanted = std::min<std::size_t>(threads, count);
        try {
            for (std::size_t i = 1; i < wanted; ++i) others.emplace_back(work);
        } catch (const std::exception&) {  // no room for another thread: those that there are do it all
        }
        work();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace longpole
