// SPDX-License-Identifier: GPL-3.0-or-later
// An MPI run to a .longpole file: locations, matching, ranks. Every row lands in the same place whatever the number of
// threads.
#include "importers/mpirows/trace.h"

#include "importers/mpirows/definitions.h"
#include "importers/mpirows/namecount.h"
#include "importers/mpirows/rankblock.h"

#include <QElapsedTimer>
#include <QFileInfo>

namespace longpole {
namespace {

constexpr double readShare = 0.6;    // of the work, for the progress
constexpr double matchShare = 0.75;  // until matching is done
constexpr double rowShare = 0.98;

}  // namespace

Result<ImportReport> importMpiRun(MpiSource& source, const QString& target, const ImportOptions& options,
                                  const Progress& progress)
{
    QElapsedTimer timer;
    timer.start();
    if (const Result<> plausible = checkNames(source.names()); !plausible) return plausible.error();
    Result<std::unique_ptr<TraceWriter>> created = TraceWriter::create(target);
    if (!created) return created.error();
    TraceWriter& writer = **created;
    const MpiLayout layout(source.names());
    MpiRankBlock ranks(layout, 0, layout.ranks(), QFileInfo(target).absolutePath(), options.threads);
    if (const Result<> read = ranks.read(source, writer, progress, readShare); !read) return read.error();

    ImportLog log;
    const Result<MpiMatches> matched = matchMpi(ranks.ranks(), layout.names(), options.threads, log, progress);
    if (!matched) return matched.error();
    progress.report(matchShare);
    if (const std::optional<Error> reason = ranks.stopReason(progress)) return *reason;
    const std::unique_ptr<MpiPartners> partners = partnersInMemory(ranks.ranks(), *matched, ranks.begins());
    const Result<> written = ranks.writeRanks(*partners, writer, progress, {matchShare, rowShare});
    if (!written) return written.error();

    log.merge(source.log());
    for (const ImportLog& one : ranks.logs()) log.merge(one);
    for (const ImportLog& one : ranks.rankLogs()) log.merge(one);
    const MpiRunResults results{layout, ranks.results(), ranks.totals(), ranks.sendsFrom(), log};
    if (const Result<> added = addDefinitions(writer, results); !added) return added.error();
    writer.setInfo(traceInfo(results));
    if (const Result<> finished = writer.finish(progress); !finished) return finished.error();

    ImportReport report;
    report.file = target;
    for (const MpiLocationResult& result : ranks.results()) report.records += result.records;
    report.issues = log.issues();
    report.seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
    return report;
}

}  // namespace longpole
