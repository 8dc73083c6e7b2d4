// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/paralleltogether.h"

#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace longpole {

bool runTogether(std::size_t count, const std::function<void(std::size_t)>& body)
{
    enum : int { Undecided, Go, Leave };
    std::atomic<int> decision{Undecided};
    std::vector<std::jthread> threads;
    const auto decide = [&](int what) {
        decision = what;
        decision.notify_all();
    };
    try {
        threads.reserve(count);
        for (std::size_t i = 1; i < count; ++i)
            threads.emplace_back([&, i] {
                decision.wait(Undecided);
                if (decision == Go) body(i);
            });
    } catch (const std::exception&) {  // no room for another thread
        decide(Leave);
        return false;
    }
    decide(Go);
    if (count > 0) body(0);
    return true;
}

}  // namespace longpole
