// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/phases/foldedtrace.h"

#include "analysis/base/filebytes.h"
#include "analysis/phases/foldedprocessor.h"
#include "analysis/phases/pathphases.h"
#include "core/base/limits.h"
#include "core/base/parallel.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "core/trace/issues.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace longpole {

namespace {

constexpr std::uint32_t root = 0x7fffffff, firstNode = 0x60000000;

class TraceFolding {
public:
    TraceFolding(const TraceStore& store, Folding folding, TraceWriter& writer, const Progress& progress)
        : m_store(store), m_folding(std::move(folding)), m_writer(writer), m_progress(progress),
          m_processors(m_folding.pes.size())
    {
    }

    // Executions and messages, then what they came from, then how often each message was executed.
    Result<> fold()
    {
        if (auto cut = forEachProcessor([this](std::size_t pe) -> Result<> {
                auto folded = foldProcessor(m_store, m_folding, pe, m_writer, m_progress);
                if (!folded) return folded.error();
                m_processors[pe] = std::move(*folded);
                return Unit{};
            });
            !cut)
            return cut;
        if (auto linked = forEachProcessor([this](std::size_t pe) { return writeSources(pe); }); !linked) return linked;
        for (std::size_t pe = 0; pe < m_processors.size(); ++pe) writeExecutions(pe);
        return Unit{};
    }

    void define(FoldReport& report)
    {
        m_writer.add(Track{.id = TrackId{root},
                           .parent = noTrack,
                           .kind = TrackKind::Root,
                           .name = QStringLiteral("iterations"),
                           .pe = {}});
        for (std::size_t pe = 0; pe < m_processors.size(); ++pe) defineProcessor(pe, report);
        for (const Chare& chare : m_store.chares()) m_writer.add(chare);
        for (const Entry& entry : m_store.entries()) m_writer.add(entry);
        for (const Issue& issue : m_store.issues()) m_writer.add(issue);
        const auto count = [this](IssueKind kind, std::int64_t times) {
            if (times > 0) m_writer.add(Issue{issueIdentifier(kind), times, QString()});
        };
        report.droppedLinks = m_dropped;
        count(IssueKind::FoldedExecution, report.cutExecutions);
        count(IssueKind::FoldedMessage, report.droppedLinks);
        count(IssueKind::FoldedIteration, report.cutIterations);
        TraceInfo info = m_store.info();
        info.processors = report.rows;
        info.tasks = report.executions;
        info.messages = report.messages;
        info.messagesMatched = m_executed;
        info.executionsUnmatched = report.executions - m_matched;
        info.records = report.executions + report.messages;
        info.begin = info.startup = 0;
        info.end = m_folding.length;
        info.busy = m_busy;
        info.idle = m_idle;
        info.program = QStringLiteral("%1, %2 iterations folded").arg(info.program, formatCount(report.iterations));
        info.iterations = report.iterations;
        info.fingerprint.clear();
        info.cores = info.cpu = 0;
        info.withoutCore = info.withoutCoreMost = -1;
        m_writer.setInfo(info);
    }

private:
    template <typename Work>
    Result<> forEachProcessor(Work work)
    {
        std::mutex guard;
        std::optional<Error> failed;
        std::size_t done = 0;
        parallelFor(m_processors.size(), [&](std::size_t pe) {
            {
                const std::lock_guard lock(guard);
                if (failed) return;
            }
            const Result<> one = work(pe);
            const std::lock_guard lock(guard);
            if (!one && !failed) failed = one.error();
            ++m_steps;
            ++done;
            m_progress.report(static_cast<double>(m_steps) / static_cast<double>(2 * m_processors.size() + 1));
        });
        if (failed) return *failed;
        return Unit{};
    }

    std::uint32_t rows() const { return m_folding.row(m_folding.pes.size(), 0); }

    // Places in m_folding.pes; none for processors that are not folded.
    std::optional<std::size_t> placeOf(std::int64_t pe) const
    {
        const auto found = std::lower_bound(m_folding.pes.begin(), m_folding.pes.end(), ProcessorId{std::uint32_t(pe)});
        if (found == m_folding.pes.end() || index(*found) != pe) return {};
        return static_cast<std::size_t>(found - m_folding.pes.begin());
    }

    using SourceRow = std::array<std::int64_t, TaskSourceColumn::Count>;

    // What a part came from, if that is in the same iteration.
    SourceRow sourceOf(const SourceRow& old, std::uint32_t iteration, TimeNs begin, bool& isKept)
    {
        SourceRow row{static_cast<std::int64_t>(Link::None), 0, 0, 0, 0, -1, 0};
        const auto link = static_cast<Link>(old[TaskSourceColumn::Link]);
        isKept = false;
        if (link == Link::None) return row;
        const auto creator = placeOf(old[TaskSourceColumn::CreatorPe]);
        const std::int64_t message = old[TaskSourceColumn::MessageIndex];
        if (creator && message >= 0) {
            const FoldedParts& parts = m_processors[*creator].parts;
            const auto at = static_cast<std::size_t>(message);
            if (at >= parts.message.size() || parts.messageIteration[at] != iteration) return row;
            row[TaskSourceColumn::MessageIndex] = parts.message[at];
            row[TaskSourceColumn::CreatorPe] = m_folding.row(*creator, iteration);
            if (link != Link::Forwarded)
                std::atomic_ref<std::uint32_t>(m_processors[*creator].parts.executions[at]).fetch_add(1);
        }
        row[TaskSourceColumn::Link] = static_cast<std::int64_t>(Link::NoTask);
        row[TaskSourceColumn::Latency] = old[TaskSourceColumn::Latency];
        isKept = true;
        const auto source = link == Link::NoTask ? std::nullopt : placeOf(old[TaskSourceColumn::SourcePe]);
        if (!source) return row;
        const auto task = static_cast<std::uint32_t>(old[TaskSourceColumn::SourceIndex]);
        const FoldedParts& parts = m_processors[*source].parts;
        const TimeNs sent = link == Link::Block ? begin : saturatingSubtract(begin, old[TaskSourceColumn::Latency]);
        const std::uint32_t part = parts.partAt(iteration, task, sent);
        if (part == FoldedParts::none) {
            // Sent outside of any part of its task in this iteration.
            isKept = row[TaskSourceColumn::MessageIndex] >= 0;
            if (!isKept) row = {static_cast<std::int64_t>(Link::None), 0, 0, 0, 0, -1, 0};
            return row;
        }
        row[TaskSourceColumn::Link] = static_cast<std::int64_t>(link);
        row[TaskSourceColumn::SourcePe] = m_folding.row(*source, iteration);
        row[TaskSourceColumn::SourceIndex] = part;
        const TimeNs began = parts.begin[parts.firstPart[iteration] + part];
        row[TaskSourceColumn::Offset] = link == Link::Block ? old[TaskSourceColumn::Offset] : sent - began;
        return row;
    }

    Result<> writeSources(std::size_t pe)
    {
        std::vector<SourceRow> sources;
        for (const ChunkRef& ref : m_store.chunks(ChunkKind::TaskSource, m_store.processor(m_folding.pes[pe])->track)) {
            if (m_progress.isCancelled()) return cancelledError();
            const auto chunk = m_store.read(ref);
            if (!chunk) return chunk.error();
            for (std::uint32_t i = 0; i < (*chunk)->rows; ++i) {
                SourceRow& row = sources.emplace_back();
                for (std::size_t column = 0; column < row.size(); ++column) row[column] = (*chunk)->at(column, i);
            }
        }
        const FoldedParts& parts = m_processors[pe].parts;
        const auto stream = m_writer.stream(rows() + static_cast<std::uint32_t>(pe));
        std::int64_t dropped = 0, matched = 0;
        for (std::uint32_t iteration = 0; iteration < m_folding.count(); ++iteration) {
            const TrackId track = foldedTrack(m_folding.row(pe, iteration));
            std::map<std::int64_t, std::pair<TimeNs, std::int64_t>> latencies;  // by source: the least, and of how many
            for (std::uint32_t part = parts.firstPart[iteration]; part < parts.firstPart[iteration + 1]; ++part) {
                SourceRow row{static_cast<std::int64_t>(Link::None), 0, 0, 0, 0, -1, 0};
                const bool isKnown = parts.isFirst[part] && parts.task[part] < sources.size()
                                     && sources[parts.task[part]][TaskSourceColumn::Link] != std::int64_t(Link::None);
                if (isKnown) {
                    bool isKept = false;
                    row = sourceOf(sources[parts.task[part]], iteration, parts.begin[part], isKept);
                    ++(isKept ? matched : dropped);
                    if (row[TaskSourceColumn::MessageIndex] >= 0) {
                        auto& [least, count] = latencies.try_emplace(row[TaskSourceColumn::CreatorPe], maxTime, 0)
                                                   .first->second;
                        least = std::min(least, row[TaskSourceColumn::Latency]);
                        ++count;
                    }
                }
                stream->append(ChunkKind::TaskSource, track, row);
            }
            for (const auto& [source, least] : latencies)
                stream->append(ChunkKind::Latency, track,
                               std::array<std::int64_t, LatencyColumn::Count>{source, least.first, least.second});
        }
        stream->close();
        m_dropped += dropped;
        m_matched += matched;
        return Unit{};
    }

    void writeExecutions(std::size_t pe)
    {
        const FoldedParts& parts = m_processors[pe].parts;
        const auto stream = m_writer.stream(rows() + static_cast<std::uint32_t>(m_processors.size() + pe));
        for (std::size_t message = 0; message < parts.message.size(); ++message) {
            if (parts.message[message] == FoldedParts::none) continue;
            stream->append(ChunkKind::MessageExecutions,
                           foldedTrack(m_folding.row(pe, parts.messageIteration[message])),
                           std::array<std::int64_t, 1>{parts.executions[message]});
            if (parts.executions[message] > 0) ++m_executed;
        }
        stream->close();
    }

    void defineProcessor(std::size_t pe, FoldReport& report)
    {
        const FoldedProcessor& folded = m_processors[pe];
        const QString name = m_store.processor(m_folding.pes[pe])->name;
        const TrackId node{firstNode + static_cast<std::uint32_t>(pe)};
        m_writer.add(Track{.id = node, .parent = TrackId{root}, .kind = TrackKind::Node, .name = name, .pe = {}});
        for (std::size_t i = 0; i < folded.rows.size(); ++i) {
            Processor row = folded.rows[i];
            row.name = QStringLiteral("%1 · iteration %2").arg(name, QString::number(i + 1));
            m_writer.add(Track{.id = row.track, .parent = node, .kind = TrackKind::Pe, .name = row.name, .pe = row.pe});
            m_writer.add(row);
            report.executions += row.tasks;
            report.messages += row.messages;
            addSaturating(m_busy, row.busy);
            addSaturating(m_idle, row.idle);
        }
        for (const ProfileRow& row : folded.profile) m_writer.add(row);
        report.cutExecutions += folded.cutExecutions;
    }

    const TraceStore& m_store;
    Folding m_folding;
    TraceWriter& m_writer;
    const Progress& m_progress;
    std::vector<FoldedProcessor> m_processors;
    std::atomic<std::int64_t> m_dropped = 0, m_matched = 0;  // executions
    std::int64_t m_executed = 0;                             // messages
    std::size_t m_steps = 0;
    TimeNs m_busy = 0, m_idle = 0;
};

// Disjoint and ascending, none longer than the axis; what is left out goes to the report.
Folding foldingOf(const TraceStore& store, std::span<const TimeRange> iterations, FoldReport& report)
{
    Folding folding{.length = foldedLength(iterations)};
    TimeNs inside = 0;
    for (std::size_t i = 0; i < iterations.size(); ++i) {
        TimeRange range = iterations[i];
        if (i + 1 < iterations.size()) range.end = std::min(range.end, iterations[i + 1].begin);
        if (range.isEmpty()) continue;
        addSaturating(inside, range.length());
        if (range.length() > folding.length) {
            ++report.cutIterations;
            addSaturating(report.cutTime, range.length() - folding.length);
            range.end = range.begin + folding.length;
        }
        folding.iterations.push_back(range);
    }
    for (const Processor& processor : store.processors())
        if (processor.kind != TrackKind::CommThread) folding.pes.push_back(processor.pe);
    report.iterations = folding.count();
    report.rows = std::int64_t(folding.pes.size()) * report.iterations;
    report.length = folding.length;
    report.outside = store.info().duration() - inside;
    return folding;
}

}  // namespace

TimeNs foldedLength(std::span<const TimeRange> iterations)
{
    const InstanceDurations durations = instanceDurations(iterations);
    const TimeNs limit = saturatingAdd(durations.median, saturatingMultiply(durations.spread, 3));
    TimeNs longest = 0;
    for (const TimeRange& range : iterations)
        if (range.length() <= limit) longest = std::max(longest, range.length());
    return longest;
}

Result<FoldReport> foldTrace(const TraceStore& store, std::span<const TimeRange> iterations, const QString& path,
                             const Progress& progress)
{
    if (const Result<> events = requireEvents(store); !events) return events.error();
    FoldReport report;
    Folding folding = foldingOf(store, iterations, report);
    if (report.iterations < 2)
        return Error{tr("There is nothing to lay over each other: a folded trace has at least two iterations."),
                     QString(), tr("Choose another phase, or fewer occurrences as its support.")};
    const std::int64_t bytes = fileBytes(store);
    const std::int64_t most = std::min(mostFoldedRows, limits::foldedRows.of(bytes / 64));
    if (report.rows > most)
        return Error{tr("%1 PEs or ranks with %2 iterations each are too many rows.")
                         .arg(formatCount(std::int64_t(folding.pes.size())), formatCount(report.iterations)),
                     QString(), tr("At most %1 are folded: take a part of the run first.").arg(formatCount(most))};
    const auto writer = TraceWriter::create(path);
    if (!writer) return writer.error();
    TraceFolding trace(store, std::move(folding), **writer, progress);
    if (const Result<> folded = trace.fold(); !folded) return folded.error();
    trace.define(report);
    if (const Result<> finished = (*writer)->finish(progress); !finished) return finished.error();
    return report;
}

}  // namespace longpole
