// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/hostedcauses.h"

#include "analysis/mpi/delayparts.h"
#include "analysis/mpi/threadcosts.h"
#include "core/base/translate.h"
#include "distributed/answers/causemeetings.h"
#include "distributed/answers/causerecords.h"
#include "distributed/answers/causereplay.h"
#include "distributed/exchange/pack.h"
#include "distributed/transport/records.h"

#include <optional>
#include <utility>

namespace longpole {
namespace {

Result<std::vector<CodeCost>> ownCodeCosts(Transport& transport, const HostedTrace& trace, const WaitChoice& choice,
                                           const Progress& progress, const Limit& most)
{
    const auto records = causeRecords(transport, trace, progress);
    if (!records) return records.error();
    const auto meetings = causeMeetings(transport, trace.hosting, *records, progress);
    if (!meetings) return meetings.error();
    return hostedDelayCosts(transport, trace.hosting, *records, *meetings, choice, progress, most);
}

// Waits of threads are for threads of the same rank. Only if all together are divided among more regions than they may
// do the processes count down one after the other, in the order of ranks.
std::vector<DelayCost> ownThreadCosts(Transport& transport, const HostedTrace& trace, const WaitChoice& choice,
                                      const Progress& progress, const Limit& limit)
{
    const std::uint32_t first = trace.hosting.first(transport.process());
    const std::uint32_t last = trace.hosting.last(transport.process());
    const auto sum = [](std::int64_t& into, const std::int64_t& from) { into = saturatingAdd(into, from); };
    const std::int64_t waits = reduceOne(transport, threadWaits(*trace.store, first, last), sum);
    if (waits <= 0 || transport.failed()) return {};
    const std::int64_t most = limit.of(waits);
    const auto costsWith = [&](std::int64_t& left) {
        Result<ThreadCosts> found = threadCosts(*trace.store, first, last, choice, left, progress);
        if (!found) transport.fail(found.error());
        return found ? std::move(*found) : ThreadCosts{};
    };
    std::int64_t left = most;
    ThreadCosts found = costsWith(left);
    const std::int64_t used = reduceOne(transport, found.isCut ? maxTime : most - left, sum);
    if (used <= most || transport.failed()) return std::move(found.costs);
    left = most;
    if (!transport.isRoot()) {
        const std::optional<Incoming> come = transport.receive(CausePassNumber::ThreadsInTurn, Wait::Yes);
        if (!come || come->bytes.size() != sizeof left) return {};
        left = std::clamp<std::int64_t>(recordsOf<std::int64_t>(transport, come->bytes).front(), 0, most);
    }
    found = costsWith(left);
    if (transport.process() + 1 < transport.processes())
        transport.send(transport.process() + 1, CausePassNumber::ThreadsInTurn, toBytes(std::vector{left}));
    return std::move(found.costs);
}

// Everybody's rows, at process 0.
template <typename Row>
std::vector<Row> gatheredRows(Transport& transport, const std::vector<Row>& own)
{
    std::vector<Row> all;
    for (const Payload& bytes : transport.gather(toBytes(own))) {
        const auto part = recordsOf<Row>(transport, bytes);
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

}  // namespace

Result<> findHostedCauses(Transport& transport, const HostedTrace& trace, const WaitOptions& options, WaitStates& waits,
                          const Progress& progress, const Limit& most)
{
    const WaitChoice choice(options, trace.store->info().range());
    const auto own = ownCodeCosts(transport, trace, choice, progress, most);
    if (!own) return own.error();
    const std::vector<CodeCost> all = gatheredRows(transport, *own);
    const std::vector<DelayCost> ofThreads = ownThreadCosts(transport, trace, choice, progress, most);
    transport.quiet(CausePassNumber::ThreadsInTurn, [](int, const Payload&) {});
    const std::vector<DelayCost> allOfThreads = gatheredRows(transport, ofThreads);
    if (transport.failed()) return transport.failure();
    if (!transport.isRoot()) return Unit{};
    DelayCosts costs = sumOfCosts(all);
    if (!allOfThreads.empty()) joinThreadCosts(allOfThreads, costs);
    waits.causes = std::move(costs.byEntry);
    waits.causesByRank = std::move(costs.byRank);
    for (const DelayCost& cause : waits.causes) waits.unexplained -= cause.sum();
    return Unit{};
}

}  // namespace longpole
