// SPDX-License-Identifier: GPL-3.0-or-later
// bench_phases: the best repeated phase of strings as iterative programs leave them. One figure a line, with its goal.
// With --by-support lines of CSV instead: milliseconds by a path's length and the least number of instances (Dooley,
// Arya, Kale 2010, figure 9).
#include "analysis/phases/phases.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <random>
#include <utility>
#include <vector>

using namespace longpole;

namespace {

using Symbols = std::vector<std::uint32_t>;

// Iterations of `period` symbols out of 24, of which one in `rare` is another.
Symbols noisy(std::size_t length, std::size_t period, std::uint32_t rare = 100)
{
    std::mt19937 random(1);
    Symbols iteration(period), symbols(length);
    for (std::uint32_t& symbol : iteration) symbol = random() % 24;
    for (std::size_t i = 0; i < length; ++i) symbols[i] = random() % rare == 0 ? random() % 24 : iteration[i % period];
    return symbols;
}

Symbols randomString(std::size_t length)
{
    std::mt19937 random(1);
    Symbols symbols(length);
    for (std::uint32_t& symbol : symbols) symbol = random() % 24;
    return symbols;
}

Symbols periodic(std::size_t length)
{
    Symbols symbols(length);
    for (std::size_t i = 0; i < length; ++i) symbols[i] = i % 97 % 24;
    return symbols;
}

Symbols fibonacci(std::size_t length)
{
    Symbols before{1}, symbols{0};
    while (symbols.size() < length) {
        Symbols next = symbols;
        next.insert(next.end(), before.begin(), before.end());
        before = std::exchange(symbols, std::move(next));
    }
    symbols.resize(length);
    return symbols;
}

// Milliseconds of this process, as others may be running.
double cpuMilliseconds() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void measureBySupport()
{
    constexpr std::int64_t supports[] = {2, 6, 20, 100};
    std::printf("length");
    for (const std::int64_t support : supports) std::printf(",%lld", static_cast<long long>(support));
    for (const std::size_t length : {500u, 1'721u, 5'000u, 20'000u, 100'000u, 500'000u}) {
        const Symbols symbols = noisy(length, 97);
        std::printf("\n%zu", length);
        for (const std::int64_t support : supports) {
            double least = 1e18;
            for (int turn = 0; turn < 5; ++turn) {
                const double begin = cpuMilliseconds();
                if (!phases(symbols, {.support = support}, Progress{})) return;
                least = std::min(least, cpuMilliseconds() - begin);
            }
            std::printf(",%.2f", least);
        }
    }
    std::printf("\n");
}

// The least of some turns.
void measure(const char* name, const Symbols& symbols, double goalMilliseconds, int turns, std::size_t count = 1)
{
    double least = 1e18;
    Phase best;
    std::size_t found = 0;
    for (int turn = 0; turn < turns; ++turn) {
        const double begin = cpuMilliseconds();
        const auto answer = phases(symbols, {.count = count}, Progress{});
        least = std::min(least, cpuMilliseconds() - begin);
        if (!answer) return;
        found = answer->phases.size();
        if (found > 0) best = answer->phases.front();
    }
    std::printf("phases.%s %.2f ms CPU (goal %g) found %zu: %zu x %zu, score %lld%s\n", name, least, goalMilliseconds,
                found, best.begins.size(), best.pattern.size(), static_cast<long long>(best.score),
                best.proven ? "" : ", not proven");
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc > 1 && std::strcmp(argv[1], "--by-support") == 0) {
        measureBySupport();
        return 0;
    }
    measure("1721.noisy97", noisy(1721, 97), 1, 20);
    measure("1721.noisy29", noisy(1721, 29), 1, 20);
    constexpr std::size_t million = 1'000'000;
    measure("1M.random", randomString(million), 1500, 3);
    measure("1M.periodic", periodic(million), 1500, 3);
    measure("1M.same", Symbols(million, 7), 1500, 3);
    measure("1M.fibonacci", fibonacci(million), 1500, 3);
    measure("1M.noisy97", noisy(million, 97), 1500, 3);
    measure("1M.noisy997", noisy(million, 997), 1500, 3);
    measure("1M.rare97", noisy(million, 97, 2000), 1500, 3);
    measure("1M.rare997", noisy(million, 997, 2000), 1500, 3);
    measure("1M.noisy97.five", noisy(million, 97), 1500, 1, 5);
    measure("1M.random.five", randomString(million), 1500, 1, 5);
    measure("10M.random", randomString(10 * million), 8000, 1);
    measure("10M.same", Symbols(10 * million, 7), 8000, 1);
    measure("10M.fibonacci", fibonacci(10 * million), 8000, 1);
    measure("10M.noisy97", noisy(10 * million, 97), 8000, 1);
    measure("10M.noisy997", noisy(10 * million, 997), 8000, 1);
    measure("10M.rare97", noisy(10 * million, 97, 2000), 8000, 1);
    measure("10M.rare997", noisy(10 * million, 997, 2000), 8000, 1);
    measure("10M.random.five", randomString(10 * million), 8000, 1, 5);
    measure("10M.noisy97.five", noisy(10 * million, 97), 8000, 1, 5);
    measure("10M.rare997.five", noisy(10 * million, 997, 2000), 8000, 1, 5);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("phases.memory %.0f MB\n", static_cast<double>(usage.ru_maxrss) / 1024);
    return 0;
}
