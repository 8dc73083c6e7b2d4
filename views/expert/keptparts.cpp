// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/expert/keptparts.h"

#include "analysis/base/naming.h"
#include "analysis/report/tracetables.h"
#include "core/base/timerange.h"
#include "core/trace/format.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>

namespace longpole {

namespace {

struct KeptWords {
    Q_DECLARE_TR_FUNCTIONS(longpole::KeptWords)
};

// What is kept of a rank.
struct KeptOfRank {
    ProcessorId pe{};
    std::int64_t stretches = 0;
    TimeNs time = 0;
};

std::vector<KeptOfRank> keptByRank(const TraceStore& store)
{
    std::vector<KeptOfRank> ranks;
    for (const KeptRange& range : store.kept()) {
        if (ranks.empty() || ranks.back().pe != range.pe) ranks.push_back({range.pe, 0, 0});
        ++ranks.back().stretches;
        ranks.back().time = saturatingAdd(ranks.back().time, overlap(store.info().range(), {range.begin, range.end}));
    }
    return ranks;
}

double shareOf(TimeNs time, TimeNs whole) { return whole > 0 ? std::min(1.0, double(time) / double(whole)) : 0; }

QString keptOfRankText(const KeptOfRank& rank, TimeNs duration)
{
    if (rank.time >= duration) return KeptWords::tr("all of it");
    return KeptWords::tr("%1 of its time, in %2")
        .arg(formatShare(shareOf(rank.time, duration)), counted("%1 stretches", "%1 stretch", rank.stretches));
}

HealthNote whatIsKept(const TraceStore& store)
{
    constexpr std::size_t most = 8;  // ranks with a line of their own
    const Vocabulary words = store.words();
    const TimeNs duration = store.info().duration();
    std::vector<KeptOfRank> ranks = keptByRank(store);
    std::vector<ProcessorId> without;
    auto next = ranks.begin();
    for (const Processor& processor : store.processors()) {
        while (next != ranks.end() && next->pe < processor.pe) ++next;
        if (next == ranks.end() || next->pe != processor.pe) without.push_back(processor.pe);
    }
    const double share = keptShare(store);
    HealthNote note{
        KeptWords::tr("Events kept %1").arg(formatShare(share)),
        words.say(KeptWords::tr("of the time of all PEs. Elsewhere the timeline draws sums, and no single "
                                "tasks, messages or calls."),
                  KeptWords::tr("of the time of all ranks. Elsewhere the timeline draws sums, and no single "
                                "tasks, messages or calls.")),
        share};
    std::ranges::stable_sort(ranks, std::ranges::greater(), &KeptOfRank::time);
    for (const KeptOfRank& rank : std::span(ranks).first(std::min(most, ranks.size())))
        note.lines.emplace_back(words.say(KeptWords::tr("PE %1"), KeptWords::tr("Rank %1")).arg(index(rank.pe)),
                                keptOfRankText(rank, duration));
    if (ranks.size() > most) {
        std::vector<ProcessorId> others;
        for (const KeptOfRank& rank : std::span(ranks).subspan(most)) others.push_back(rank.pe);
        std::ranges::sort(others);
        note.lines.emplace_back(KeptWords::tr("Less of"), formatProcessors(others));
    }
    if (!without.empty()) note.lines.emplace_back(KeptWords::tr("Nothing of"), formatProcessors(without));
    return note;
}

// Commands that can be copied. The path is in the text: in a command it could not be broken where a line ends.
HealthNote howToKeepMore(const TraceStore& store)
{
    const QString size = formatBytes(QFileInfo(store.path()).size());
    const QString source = store.info().source;
    HealthNote note{KeptWords::tr("To see more"),
                    source.isEmpty() ? KeptWords::tr("This file takes %1. Make another one of the recording:").arg(size)
                                     : KeptWords::tr("This file takes %1. Make another one of %2:").arg(size, source),
                    {}};
    note.lines.emplace_back(KeptWords::tr("All events:"), QStringLiteral("longpole import RECORDING -o all.longpole"));
    note.lines.emplace_back(KeptWords::tr("More of them:"),
                            QStringLiteral("longpole analyze RECORDING -o more.longpole --keep 1G"));
    note.lines.emplace_back(
        store.words().say(KeptWords::tr("Some PEs, some time:"), KeptWords::tr("Some ranks, some time:")),
        QStringLiteral("longpole analyze RECORDING -o some.longpole --keep-ranks 0-3 --keep-range 1s..2s"));
    return note;
}

}  // namespace

QString keptVerdict(Vocabulary words)
{
    return words.say(
        KeptWords::tr("This file keeps parts of the run's events. All totals are of the whole run, and so are "
                      "the answers that it brings, such as the critical path. How far to trust the run can "
                      "only be judged by all events."),
        KeptWords::tr("This file keeps parts of the run's events. All totals are of the whole run, and so are "
                      "the answers that it brings, such as the critical path and the wait states. How far to "
                      "trust the run can only be judged by all events."));
}

std::vector<HealthNote> keptNotes(const TraceStore& store) { return {whatIsKept(store), howToKeepMore(store)}; }

}  // namespace longpole
