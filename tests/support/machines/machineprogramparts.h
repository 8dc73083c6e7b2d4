// SPDX-License-Identifier: GPL-3.0-or-later
// What programs for the machine are made of: numbers drawn from a seed, and a main chare that begins iterations.
#pragma once

#include "support/machines/machine.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <random>

namespace longpole::machineprogram {

using Call = Machine::Call;

class Draw {
public:
    explicit Draw(std::uint64_t seed) : m_random(seed) {}
    int between(int low, int high)
    {
        return low + static_cast<int>(m_random() % static_cast<unsigned>(high - low + 1));
    }
    bool oneIn(int n) { return between(1, n) == 1; }

private:
    std::mt19937_64 m_random;
};

constexpr auto onZero = [](std::uint32_t) { return 0u; };

// A main chare that begins an iteration by `go` whenever `parts` parts of the one before have reported to `part`.
struct Driver {
    std::uint32_t main = 0;
    int iterations = 0;
    int parts = 0;
    int iteration = 0;
    int reported = 0;
    std::function<void(Call&, int)> go;

    void part(Call& call)
    {
        call.work(0.5);
        if (++reported < parts) return;
        reported = 0;
        if (++iteration < iterations) go(call, iteration);
    }
};

inline std::shared_ptr<Driver> driver(Machine& machine, int iterations, int parts)
{
    auto made = std::make_shared<Driver>();
    made->main = machine.chare("Main", 1, onZero);
    made->iterations = iterations;
    made->parts = parts;
    return made;
}

inline std::uint32_t startOf(Machine& machine, const std::shared_ptr<Driver>& driver)
{
    return machine.entry(driver->main, "Main", [driver](Call& call) {
        call.work(20);
        driver->go(call, 0);
    });
}

}  // namespace longpole::machineprogram
