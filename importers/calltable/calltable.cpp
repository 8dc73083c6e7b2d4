// SPDX-License-Identifier: GPL-3.0-or-later
// A table of calls as a source of MPI events, and the comparison of its parts with computed ones.
#include "importers/calltable/calltable.h"

#include "core/base/endsatonce.h"
#include "core/base/mayneverend.h"
#include "core/base/translate.h"
#include "core/file/filedata.h"
#include "importers/calltable/rows.h"
#include "importers/mpi/matching.h"
#include "importers/mpi/waits.h"
#include "importers/mpirows/trace.h"
#include "importers/projections/files.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <optional>

namespace longpole {
namespace {

// A request's serial is the number of the row that starts it.
class CallTableSource final : public MpiSource {
public:
    CallTableSource(CallTable table, TraceInfo info, ImportLog log, const Progress& progress)
        : m_table(std::move(table)), m_log(std::move(log))
    {
        m_names.info = std::move(info);
        m_names.info.begin = timeZero(progress);
        m_names.ranks = std::uint32_t(m_table.ranks.size());
        for (const QByteArray& name : m_table.regions)
            m_names.regions.push_back({QString::fromUtf8(name), QStringLiteral("MPI"), MpiRegionKind::Mpi});
        m_names.communicators = m_table.communicators;
        addLocations();
    }

    const MpiRunNames& names() const override { return m_names; }
    const ImportLog& log() const override { return m_log; }
    ImportLog& log() { return m_log; }
    const CallTable& table() const { return m_table; }

    Result<> read(std::size_t location, MpiEvents& events, ImportLog&, const Progress& progress) override
    {
        const CallTableRank& rank = m_table.ranks[m_names.locations[location].rank];
        std::size_t given = 0;
        for (const std::uint32_t row : rank.rowsOf(m_threadOf[location])) {
            if (given++ % 65536 == 0 && progress.isCancelled()) return cancelledError();
            give(rank, row, events);
        }
        return Unit{};
    }

private:
    // Unfinished if it is cancelled.
    TimeNs timeZero(const Progress& progress) const
    {
        std::uint32_t looked = 0;
        TimeNs init = maxTime;
        TimeNs first = maxTime;
        for (const CallTableRank& rank : m_table.ranks) {
            for (const CallRow& row : rank.rows) {
                if (++looked % 65536 == 0 && progress.isCancelled()) return first;
                first = std::min(first, row.begin);
                if (m_table.regions[row.region].startsWith("MPI_Init")) init = std::min(init, row.end);
            }
        }
        return init == maxTime ? first : init;
    }

    void addLocations()
    {
        const auto add = [this](std::uint32_t rank, std::uint32_t thread) {
            m_names.locations.push_back({.name = thread == 0 ? QStringLiteral("Rank %1").arg(rank)
                                                             : QStringLiteral("Thread %1").arg(thread),
                                         .host = {},
                                         .rank = rank,
                                         .kind = thread == 0 ? TrackKind::Rank : TrackKind::Thread,
                                         .hasEvents = !m_table.ranks[rank].rows.empty()});
            m_threadOf.push_back(thread);
        };
        for (std::uint32_t rank = 0; rank < m_names.ranks; ++rank) {
            add(rank, 0);
            if (m_table.ranks[rank].rows.empty())
                m_log.addAt(IssueKind::MissingLog, QStringLiteral("rank %1").arg(rank));
        }
        for (std::uint32_t rank = 0; rank < m_names.ranks; ++rank) {
            const CallTableRank& calls = m_table.ranks[rank];
            for (std::uint32_t thread = 1; thread < calls.threads; ++thread) add(rank, thread);
            if (calls.threads > 1)
                m_log.addAt(IssueKind::GuessedThreads, QStringLiteral("rank %1").arg(rank), std::ssize(calls.rows));
        }
    }

    void give(const CallTableRank& rank, std::size_t number, MpiEvents& events) const
    {
        const CallRow& row = rank.rows[number];
        events.record("row");
        events.beginCall(row.begin, row.region);
        const CallName& call = m_table.calls[row.region];
        const auto request = std::int64_t(number);
        switch (call.role) {
        case CallRole::Send: giveSend(row, blocking, call, events); break;
        case CallRole::StartSend: giveSend(row, request, call, events); break;
        case CallRole::Receive: giveReceived(row, row.peer, row.tag, blocking, events); break;
        case CallRole::SendReceive:
            giveSend(row, blocking, call, events);
            giveReceived(row, row.from, row.fromTag, blocking, events);
            break;
        case CallRole::StartReceive:
            if (row.peer != noRank) events.postReceive(request);
            break;
        case CallRole::Collective: giveCollective(row, blocking, events); break;
        case CallRole::StartCollective: giveCollective(row, request, events); break;
        default: giveCompletions(rank, row, events); break;
        }
        events.endCall(row.end);
    }

    static void giveSend(const CallRow& row, std::int64_t request, const CallName& call, MpiEvents& events)
    {
        if (row.peer != noRank)
            events.send(request, row.comm, std::uint32_t(row.peer), row.tag, -1, call.isSynchronous);
    }

    static void giveReceived(const CallRow& row, std::int32_t from, std::int32_t tag, std::int64_t request,
                             MpiEvents& events)
    {
        if (from != noRank) events.received(request, row.comm, std::uint32_t(from), tag, -1);
    }

    static void giveCollective(const CallRow& row, std::int64_t request, MpiEvents& events)
    {
        if (row.comm != noComm) events.collective(request, row.comm, row.peer, {-1, -1}, CollectiveKind::None);
    }

    void giveCompletions(const CallTableRank& rank, const CallRow& row, MpiEvents& events) const
    {
        for (std::uint32_t i = row.firstDone; i < row.firstDone + row.doneCount; ++i) {
            const std::uint32_t number = rank.doneRows[i];
            const CallRow& started = rank.rows[number];
            switch (m_table.calls[started.region].role) {
            case CallRole::StartSend:
                if (started.peer != noRank) events.sendCompleted(number);
                break;
            case CallRole::StartReceive: giveReceived(started, started.peer, started.tag, number, events); break;
            default:
                if (started.comm != noComm) events.collectiveCompleted(number);
                break;
            }
        }
    }

    CallTable m_table;
    ImportLog m_log;
    MpiRunNames m_names;
    std::vector<std::uint32_t> m_threadOf;  // by location
};

// A rank's rows in the form that matching takes; call n is row n. Unfinished if it is cancelled.
MpiRank asMpiRank(const CallTable& table, const CallTableRank& rank, const Progress& progress)
{
    MpiRank result;
    std::vector<std::uint32_t> indexOf(rank.rows.size(), noCall);  // by row: the index of the part that it starts
    const auto send = [&](std::uint32_t i, const CallRow& row, const CallName& call, std::uint32_t completion) {
        if (row.peer == noRank) return;
        indexOf[i] = std::uint32_t(result.sends.size());
        result.sends.push_back({i, completion, row.comm, std::uint32_t(row.peer), row.tag, call.isSynchronous, false,
                                -1});
    };
    const auto receive = [&](std::uint32_t i, const CallRow& row, std::int32_t from, std::int32_t tag,
                             std::uint32_t completion) {
        if (from == noRank) return;
        indexOf[i] = std::uint32_t(result.receives.size());
        result.receives.push_back({i, completion, row.comm, std::uint32_t(from), tag, false, -1});
    };
    for (std::uint32_t i = 0; i < rank.rows.size(); ++i) {
        if (i % 65536 == 0 && progress.isCancelled()) return result;
        const CallRow& row = rank.rows[i];
        const CallName& call = table.calls[row.region];
        MpiCall& added = result.calls.emplace_back();
        added.begin = row.begin;
        added.end = row.end;
        added.region = row.region;
        switch (call.role) {
        case CallRole::Send: send(i, row, call, i); break;
        case CallRole::StartSend: send(i, row, call, noCall); break;
        case CallRole::Receive: receive(i, row, row.peer, row.tag, i); break;
        case CallRole::StartReceive: receive(i, row, row.peer, row.tag, noCall); break;
        case CallRole::SendReceive:
            send(i, row, call, i);
            receive(i, row, row.from, row.fromTag, i);
            break;
        case CallRole::Collective:
        case CallRole::StartCollective:
            if (row.comm == noComm) break;
            indexOf[i] = std::uint32_t(result.collectives.size());
            result.collectives.push_back(
                {i, call.role == CallRole::Collective ? i : noCall, row.comm, call.kind, row.peer, {-1, 0}});
            break;
        default: break;
        }
        for (std::uint32_t k = row.firstDone; k < row.firstDone + row.doneCount; ++k) {
            const std::uint32_t started = rank.doneRows[k];
            if (indexOf[started] == noCall) continue;
            switch (table.calls[rank.rows[started].region].role) {
            case CallRole::StartSend: result.sends[indexOf[started]].completion = i; break;
            case CallRole::StartReceive: result.receives[indexOf[started]].completion = i; break;
            default: result.collectives[indexOf[started]].completion = i; break;
            }
        }
    }
    return result;
}

// Compares the parts of calls for which both sides use the same formula. Left out are collective calls that did not
// synchronize, whose execution is below zero in the table.
Result<> compareWaits(CallTableSource& source, const ImportOptions& options, const Progress& progress)
{
    const CallTable& table = source.table();
    std::vector<MpiRank> ranks;
    for (const CallTableRank& rank : table.ranks) ranks.push_back(asMpiRank(table, rank, progress));
    if (progress.isCancelled()) return cancelledError();
    ImportLog unused;
    const auto matches = matchMpi(ranks, source.names(), options.threads, unused, progress);
    if (!matches) return matches.error();
    const auto waits = mpiWaits(ranks, source.names(), *matches, options.threads, progress);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        for (std::size_t i = 0; i < waits[r].size(); ++i) {
            if (i % 65536 == 0 && progress.isCancelled()) return cancelledError();
            const CallRow& row = table.ranks[r].rows[i];
            if (row.hasWaits && row.execution >= 0
                && (row.before != waits[r][i].before || row.after != waits[r][i].after))
                source.log().add(IssueKind::CallPartsDiffer, row.line);
        }
    }
    return Unit{};
}

}  // namespace

bool probeCallTable(const QString& path)
{
    QFile file(path);
    if (mayNeverEnd(path) || !QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) return false;
    const QByteArray head = file.readLine(4096).trimmed();  // whichever column is the last one
    return isCallTableHead({head.constData(), std::size_t(head.size())});
}

Result<QString> fingerprintCallTable(const QString& path, FingerprintOf of)
{
    ProjectionsFiles file;  // of a run that is one file
    file.folder = QFileInfo(path).absolutePath();
    file.symbols = path;
    return fingerprintOf(file, of);
}

Result<ImportReport> importCallTable(const QString& path, const QString& target, const ImportOptions& options,
                                     const Progress& progress)
{
    if (mayNeverEnd(path)) return Error{tr("This is no ordinary file."), path, tr("Check its name.")};
    std::optional<EndsAtOnce> reading(std::in_place);  // nothing is written yet
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return Error{tr("The table of calls cannot be read."), path, file.errorString()};
    if (const Result<> written = checkIsWritten(file.handle(), path); !written) return written.error();
    const QByteArray bytes = file.read(file.size());  // not mapped: the file may become shorter meanwhile
    if (bytes.isEmpty() && file.size() > 0)
        return Error{tr("The table of calls cannot be read."), path, file.errorString()};
    ImportLog log(QFileInfo(path).fileName());
    Result<CallTable> table = readCallTable({bytes.constData(), std::size_t(bytes.size())}, path, log, progress);
    if (!table) return table.error();
    const Result<QString> fingerprint = fingerprintCallTable(path, FingerprintOf::Content);
    if (!fingerprint) return fingerprint.error();
    TraceInfo info;
    info.format = QString(callTableFormat);
    info.vocabulary = ProgramKind::Mpi;
    info.version = QStringLiteral("1");
    info.program = QFileInfo(path).completeBaseName();
    info.source = QFileInfo(path).absoluteFilePath();
    info.fingerprint = *fingerprint;
    info.sourceBytes = file.size();
    CallTableSource source(std::move(*table), std::move(info), std::move(log), progress);
    if (Result<> compared = compareWaits(source, options, progress); !compared) return compared.error();
    reading.reset();
    return importMpiRun(source, target, options, progress);
}

extern const Importer callTableImporter;  // registry.cpp lists it
const Importer callTableImporter{
    .id = "mpi-calls",
    .title = QT_TRANSLATE_NOOP("longpole", "Tables of MPI calls"),
    .patterns = "*.csv",
    .reads = QT_TRANSLATE_NOOP(
        "longpole", "one row per MPI call with its rank and times, as CSV: written by the recorder, or by hand"),
    .document = "docs/formats/recording.md",
    .version = 1,
    .probe = probeCallTable,
    .fingerprint = fingerprintCallTable,
    .import = importCallTable,
};

}  // namespace longpole
