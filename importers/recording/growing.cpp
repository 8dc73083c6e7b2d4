// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/recording/growing.h"

#include <algorithm>
#include <tuple>

namespace longpole {
namespace {

// What the recorder writes once, when it opens the file.
auto identityOf(const lp_header& header)
{
    return std::tie(header.version, header.run, header.rank, header.size, header.pid, header.start, header.start_wall);
}

bool stillRuns(const RecordingRun& run)
{
    return std::any_of(run.ranks.begin(), run.ranks.end(), [](const auto& rank) { return rank && !rank->isClosed(); });
}

bool continues(const std::vector<std::uint32_t>& before, const std::vector<std::uint32_t>& now)
{
    return before.size() <= now.size() && std::equal(before.begin(), before.end(), now.begin());
}

// Whether the rank's numbers are all below what a file of its size may have: one that grows may have more of them.
bool hasPlaces(const RecordedRank& rank)
{
    const std::uint32_t most = mostNumbers(rank);
    const auto isBelow = [most](const auto& numbers) { return numbers.empty() || numbers.rbegin()->first < most; };
    return isBelow(rank.regions) && isBelow(rank.functions) && isBelow(rank.stacks)
           && std::all_of(rank.comms.begin(), rank.comms.end(),
                          [most](const RecordedComm& comm) { return comm.head.comm < most; });
}

}  // namespace

void GrowingRecording::forget()
{
    m_growth.reset();
    m_places.clear();
    m_headers.clear();
    m_numbers.clear();
    m_clocks.clear();
}

bool GrowingRecording::isSameRun(const RecordingRun& run) const
{
    if (!m_growth || m_headers.size() != run.ranks.size() || !goesOn(*m_growth, run.names)) return false;
    for (std::size_t rank = 0; rank < m_headers.size(); ++rank) {
        if (!(run.clocks[rank] == m_clocks[rank])) return false;
        const RecordingNumbers& before = m_numbers[rank];
        const RecordingNumbers& now = run.numbers[rank];
        if (!run.ranks[rank] || identityOf(run.ranks[rank]->header) != identityOf(m_headers[rank])) return false;
        if (before.world != now.world || !continues(before.comms, now.comms) || !continues(before.regions, now.regions)
            || !continues(before.stacks, now.stacks))
            return false;
    }
    return true;
}

Result<ImportReport> GrowingRecording::import(const QString& path, const QString& target, const ImportOptions& options,
                                              const Progress& progress)
{
    m_wentOn = false;
    Result<std::unique_ptr<RecordingSource>> opened = RecordingSource::open(path, options.threads, progress);
    if (!opened) return opened.error();
    RecordingSource& source = **opened;
    if (!stillRuns(source.run()) || !canGrow(source.names())) {
        forget();
        return importMpiRun(source, target, options, progress);
    }
    if (isSameRun(source.run()) && source.goOnFrom(m_places)) {
        Result<ImportReport> grown = importFrom(m_growth.get(), source, target, options, progress);
        if (grown || wasCancelled(grown.error())) {
            m_wentOn = grown.ok();
            return grown;
        }
    }
    forget();
    source.goOnFrom({});
    return importFrom(nullptr, source, target, options, progress);
}

Result<ImportReport> GrowingRecording::importFrom(const MpiGrowth* from, RecordingSource& source, const QString& target,
                                                  const ImportOptions& options, const Progress& progress)
{
    source.choosePlaces(options.threads, progress);
    if (progress.isCancelled()) return cancelledError();
    Result<GrownImport> grown = importGrowingMpiRun(source, from, target, options, progress);
    if (!grown) return grown.error();
    const auto& ranks = source.run().ranks;
    if (grown->place && std::all_of(ranks.begin(), ranks.end(), [](const auto& rank) { return hasPlaces(*rank); })) {
        m_growth = std::move(grown->growth);
        m_places = source.takePlaces(*grown->place);
        m_numbers = source.run().numbers;
        m_clocks = source.run().clocks;
        m_headers.clear();
        for (const auto& rank : ranks) m_headers.push_back(rank->header);
    }
    return grown->report;
}

}  // namespace longpole
