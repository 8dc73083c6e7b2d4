// SPDX-License-Identifier: GPL-3.0-or-later
// Measures hops, reductions and exchanges, each several times, of which the least counts: other work disturbs.
#include "distributed/transport/measure.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <span>

namespace longpole {

namespace {

constexpr std::uint16_t hopPass = 21;
constexpr std::uint16_t exchangePass = 22;
constexpr int repetitions = 7;

// The least time of `run` over the repetitions, at the process that took longest.
template <typename Run>
double leastSeconds(Transport& transport, Run run)
{
    double least = 1e30;
    for (int i = 0; i < repetitions && !transport.failed(); ++i) {
        transport.quiet(exchangePass, [](int, const Payload&) {});  // all begin together
        const auto begin = std::chrono::steady_clock::now();
        run();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        least = std::min(least,
                         reduceOne(transport, seconds, [](double& one, double other) { one = std::max(one, other); }));
    }
    return least;
}

// A message that goes round `rounds` times.
void goRound(Transport& transport, int rounds)
{
    const int next = (transport.process() + 1) % transport.processes();
    for (int i = 0; i < rounds && !transport.failed(); ++i) {
        if (transport.isRoot()) transport.send(next, hopPass, Payload(16));
        (void)transport.receive(hopPass, Wait::Yes);
        if (!transport.isRoot()) transport.send(next, hopPass, Payload(16));
    }
}

}  // namespace

TransportCosts measureTransport(Transport& transport)
{
    const int count = transport.processes();
    if (count == 1) return {};
    TransportCosts costs;
    constexpr int rounds = 100;
    costs.hop = leastSeconds(transport, [&] { goRound(transport, rounds); }) / rounds / count;
    transport.quiet(hopPass, [](int, const Payload&) {});
    const auto depth = static_cast<int>(std::bit_width(static_cast<unsigned>(count - 1)));
    costs.treeStep = leastSeconds(transport,
                                  [&] {
                                      for (int i = 0; i < rounds; ++i)
                                          (void)reduceOne(transport, std::int64_t{i},
                                                          [](std::int64_t& one, std::int64_t other) {
                                                              one = std::max(one, other);
                                                          });
                                  })
                     / rounds / (2 * depth);
    costs.quietPass = leastSeconds(transport,
                                   [&] {
                                       for (int i = 0; i < rounds; ++i)
                                           transport.exchange(exchangePass,
                                                              std::vector<Payload>(static_cast<std::size_t>(count)),
                                                              [](int, const Payload&) {});
                                   })
                      / rounds;
    constexpr std::size_t bytes = std::size_t{4} << 20;
    costs.exchanged20 = leastSeconds(transport,
                                     [&] {
                                         transport.exchange(exchangePass,
                                                            std::vector<Payload>(static_cast<std::size_t>(count),
                                                                                 Payload(bytes)),
                                                            [](int, const Payload&) {});
                                     })
                        / (static_cast<double>(bytes) * count / 20);
    return costs;
}

}  // namespace longpole
