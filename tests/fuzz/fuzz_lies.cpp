// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes what the processes of one analysis tell each other: one of them lies about any number, length or place of what
// it sends, or of rows. The others end with an error or answer something; they keep to their memory.
#include "analysis/base/thresholds.h"
#include "analysis/expert/expertquestions.h"
#include "analysis/phases/phasequestions.h"
#include "analysis/results/results.h"
#include "analysis/whatif/zeroing.h"
#include "distributed/advice/hostedadvice.h"
#include "distributed/answers/hostedcauses.h"
#include "distributed/answers/hostedelapsed.h"
#include "distributed/answers/hostedloop.h"
#include "distributed/answers/hostedpath.h"
#include "distributed/answers/hostedprofile.h"
#include "distributed/answers/hostedslack.h"
#include "distributed/answers/hostedwaits.h"
#include "distributed/answers/hostedwork.h"
#include "distributed/answers/hostedzeroing.h"
#include "distributed/answers/keptwishes.h"
#include "distributed/lyingwire.h"
#include "distributed/nearpaths/hostednear.h"
#include "distributed/projections/hostedprojections.h"
#include "distributed/recording/wholetrace.h"
#include "distributed/simulation/madesource.h"
#include "distributed/transport/threadwire.h"
#include "fuzz/drawnlogs.h"
#include "fuzz/drawnrecording.h"
#include "fuzz/lyingrows.h"

#include <QFile>

#include <functional>

using namespace longpole;
using namespace longpole::tests;

namespace {

using Read = std::function<Result<HostedTrace>(Transport& transport)>;

// Numbers, the bytes they are made of, and how many there are; rarely the transport's own heading, as a message that is
// lost to it is waited for.
class Lies {
public:
    explicit Lies(Choices& choices) : m_choices(choices), m_oneIn(1 + choices.below(24)) {}

    void tell(Payload& bytes)
    {
        if (m_choices.isEmpty() || m_choices.below(m_oneIn) != 0 || bytes.size() < heading) return;
        const auto own = static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size() - heading, 65000));
        const std::size_t at = own == 0 ? 0 : m_choices.below(own);
        switch (m_choices.below(16)) {
        case 0: cut(bytes, at); break;
        case 1: put(bytes, at, m_choices.number()); break;
        case 2: put(bytes, at, static_cast<std::int32_t>(m_choices.number())); break;
        case 3: put(bytes, at / 8 * 8, m_choices.number()); break;
        case 4: put(bytes, at / 4 * 4, static_cast<std::int32_t>(m_choices.number())); break;
        case 5:
            bytes.insert(bytes.begin(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
            fit(bytes);
            break;
        case 6:
            if (m_choices.below(16) == 0) putHeading(bytes, m_choices.below(3), m_choices.number());
            break;
        default:
            if (own > 0) put(bytes, at, static_cast<std::uint8_t>(m_choices.below(256)));
        }
    }

private:
    static void putHeading(Payload& bytes, std::size_t field, std::int64_t value)
    {
        std::memcpy(bytes.data() + bytes.size() - heading + 8 * field, &value, sizeof value);
    }
    // The heading says how long the rest is.
    static void fit(Payload& bytes) { putHeading(bytes, 1, static_cast<std::int64_t>(bytes.size() - heading)); }
    static void cut(Payload& bytes, std::size_t at)
    {
        bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    bytes.end() - static_cast<std::ptrdiff_t>(heading));
        fit(bytes);
    }

    Choices& m_choices;
    std::uint32_t m_oneIn;
};

// Any of several readers: a recording, a folder of logs, a run that is made on the fly.
Read readerOf(Choices& choices)
{
    const HostingOptions options{.scratch = fuzzFile("")};
    switch (choices.below(4)) {
    case 0: {
        const QString folder = drawnrecording::write(choices);
        return [=](Transport& transport) { return hostRecording(transport, folder, options, Progress()); };
    }
    case 1: {
        const QString folder = fuzzFile("folder");
        QDir(folder).removeRecursively();
        QDir().mkpath(folder);
        drawnlogs::write(choices, folder, 1 + choices.below(4), drawnlogs::Broadcasts::Many);
        return [=](Transport& transport) { return hostProjections(transport, folder, options, Progress()); };
    }
    default: break;
    }
    const auto patterns = allMadePatterns();
    const MadePattern pattern = patterns[choices.below(static_cast<std::uint32_t>(patterns.size()))];
    const SimulatedRun run{pattern, leastRanks(pattern) + choices.below(6), 1 + choices.below(12), choices.below(256)};
    return [=](Transport& transport) {
        MadeSource source(run);
        const Hosting hosting = Hosting::balanced(std::vector<std::uint64_t>(run.ranks, 0), transport.processes());
        return hostSource(transport, source, hosting, options, Progress());
    };
}

// Of runs without ranks one process answers what takes all rows, with those that the others give it.
void answerAtOnce(Transport& transport, const HostedTrace& trace, const Progress& progress)
{
    const auto whole = gatheredTrace(transport, trace, fuzzFile(""), progress);
    if (!whole || !transport.isRoot()) return;
    Results results(*whole);
    static_cast<void>(results.ask(PathPhasesQuestion{.path = {.edges = EdgeLevel::Merges}, .phases = {}}, progress));
    static_cast<void>(results.ask(ExpertQuestion{}, progress));
}

// All that commands ask for.
void answer(Transport& transport, const HostedTrace& trace)
{
    const Progress progress;
    const bool hasRanks = trace.store->info().hasRanks();
    const WaitOptions options{.mostWorst = 5, .withCauses = false};
    Result<WaitStates> waits = hasRanks ? hostedWaitStates(transport, trace, options, progress)
                                        : Result<WaitStates>(WaitStates{});
    if (!waits || (hasRanks && !findHostedCauses(transport, trace, options, *waits, progress))) return;
    WorkPass pass(transport, trace, trace.store->info().range(), progress);
    if (!pass.prepare()) return;
    const Result<HostedPath> path = hostedWorkPath(pass, *trace.store, progress);
    if (!path || (hasRanks && !hostedLoop(transport, *trace.store, progress))) return;
    if (!hasRanks && !transport.failed()) answerAtOnce(transport, trace, progress);
    const Result<HostedPath> elapsed = hostedElapsedPath(pass, *trace.store, progress);
    if (!elapsed) return;
    TailPass tails(pass);
    tails.run();
    if (!hostedSlack(pass, tails, 10, progress)) return;
    if (!hostedNearCritical(pass, std::move(tails), *path, *trace.store, NearCriticalOptions{}, progress)) return;
    if (!hostedZeroing(pass, path->path, {0, 1}, progress)) return;
    pass.dropValues();
    if (hasRanks && !hostedAdvice(pass, trace.store, *waits, path->path, elapsed->path, Thresholds{}, progress)) return;
    if (!hostedProfile(transport, *trace.store, progress) || !hostedEfficiency(pass, trace, progress)) return;
    KeptTrace kept;
    if (transport.isRoot() && hasRanks) kept = keptWishes({.bytes = 1000}, *trace.store, path->path, *waits);
    if (!hasRanks || !writeKeptTrace(transport, trace, kept, fuzzFile("part.longpole"), progress)) return;
    static_cast<void>(writeWholeTrace(transport, trace, fuzzFile("whole.longpole"), progress));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Choices choices(data, size);
    const std::uint32_t processes = 2 + choices.below(2), liar = choices.below(processes);
    const bool liesOfRows = choices.below(2) == 0;
    Lies lies(choices);
    const Read read = readerOf(choices);
    std::vector<std::unique_ptr<Wire>> wires = threadWires(static_cast<int>(processes));
    wires[liar] = std::make_unique<LyingWire>(std::move(wires[liar]), [&](std::uint16_t tag, Payload& bytes) {
        if (liesOfRows) lieOfRows(choices, tag, bytes);
        else lies.tell(bytes);
    });
    TransportLimits limits;
    limits.wait = std::chrono::milliseconds(200);
    const auto body = [&read](Transport& transport) {
        const Result<HostedTrace> trace = read(transport);
        if (trace) answer(transport, *trace);
        else transport.fail(trace.error());
    };
    static_cast<void>(runOnThreads(std::move(wires), body, limits));
    QFile::remove(fuzzFile("part.longpole"));
    QFile::remove(fuzzFile("whole.longpole"));
    return 0;
}
