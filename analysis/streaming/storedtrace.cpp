// SPDX-License-Identifier: GPL-3.0-or-later
// Merges the PEs of a trace into one stream of events that never receives before it sends, and feeds the algorithm.
#include "analysis/streaming/storedtrace.h"

#include "analysis/graph/tracelane.h"
#include "analysis/streaming/beginqueue.h"
#include "analysis/streaming/departures.h"
#include "core/base/drawnhash.h"
#include "core/base/limits.h"
#include "core/base/result.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/issues.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

namespace longpole {

namespace {

constexpr std::size_t windowBytes = std::size_t{192} << 20;  // for the rows of all PEs
constexpr std::size_t rowBytes = sizeof(LaneTaskRow) + sizeof(LaneMessageRow);
constexpr std::uint32_t leastWindow = 64;
constexpr std::int64_t tasksBetweenLooks = 1 << 16;  // at whether to stop

struct SourceOrder {
    bool operator()(const LaneSource& a, const LaneSource& b) const
    {
        return std::tie(a.pe, a.row, a.message, a.offset) < std::tie(b.pe, b.row, b.message, b.offset);
    }
};

// A PE between two begins of tasks: what its current task still has to do.
struct Pe {
    TraceLane lane;
    bool isRunning = false;
    TimeNs cpu = 0;  // CPU time before the current task
    std::size_t nextSend = 0;
    std::size_t nextPiece = 0;
    std::vector<TimeNs> openPieces{};  // their ends, innermost last
    LaneSource awaited{};              // what its next task waits for, while the queue has it wait
    std::size_t nextMerge = 0;         // of its next task's merges: those before it need not be waited for any more
    std::set<LaneSource, SourceOrder> dropped{};  // of what its next task came from, to break circles of ties
    std::size_t nextDeparture = 0;                // of a rank
    std::vector<LaneSend> departures{};           // of the rank's current task
    TimeNs tie = minTime;                         // where tieEnd holds
    std::uint32_t tieEnd = 0;
    std::optional<std::uint32_t> afterNext{};  // lane.rowAfterNext(), once it was asked for
};

std::vector<std::uint32_t> procedureOfEntry(const std::vector<std::vector<EntryId>>& procedures)
{
    std::vector<std::uint32_t> procedureOf;
    for (std::uint32_t procedure = 0; procedure < procedures.size(); ++procedure)
        for (const EntryId entry : procedures[procedure]) {
            if (index(entry) >= mostIds) continue;
            if (index(entry) >= procedureOf.size()) procedureOf.resize(index(entry) + 1, noProcedure);
            procedureOf[index(entry)] = procedure;
        }
    return procedureOf;
}

class TraceStream {
public:
    TraceStream(const TraceStore& store, const StreamingRequest& request, const Progress& progress)
        : m_store(store), m_request(request), m_progress(progress), m_run(store.info().range()),
          m_ofRanks(store.info().hasRanks()), m_procedureOf(procedureOfEntry(request.procedures)),
          m_path(shapeOf(store, request))
    {
    }

    Result<StreamingResult> run()
    {
        if (Result<> counted = countReceivers(); !counted) return counted.error();
        if (Result<> opened = openAll(); !opened) return opened.error();
        const TimeRange range = intersection(m_run, m_request.range);
        if (startsLater(m_request, m_run)) {
            if (Result<> played = playTo(range.begin); !played) return played.error();
            for (std::uint32_t p = 0; p < m_pes.size(); ++p) m_path.start(p, cpuAt(p, range.begin));
        }
        if (Result<> sampled = sample(range); !sampled) return sampled.error();
        if (Result<> played = playTo(range.end); !played) return played.error();
        for (std::uint32_t p = 0; p < m_pes.size(); ++p) m_path.stop(p, cpuAt(p, range.end));
        return finish(range);
    }

private:
    static bool startsLater(const StreamingRequest& request, TimeRange run) { return request.range.begin > run.begin; }

    static StreamingShape shapeOf(const TraceStore& store, const StreamingRequest& request)
    {
        return {.processes = static_cast<std::uint32_t>(store.processors().size()),
                .procedures = static_cast<std::uint32_t>(request.procedures.size()),
                .shares = request.shares,
                .ties = request.ties,
                .zeroing = request.zeroing,
                .startsAtOnce = !startsLater(request, store.info().range())};
    }

    Result<> countReceivers()
    {
        if (m_ofRanks) {
            Result<Departures> read = Departures::read(m_store, m_progress);
            if (!read) return read.error();
            m_departures = std::move(*read);
            return Unit{};
        }
        if (Result<> counted = countMerges(); !counted) return counted;
        return countForwarded();
    }

    // Recorded merges keep a message longer than its execution does, which its sender does not know.
    Result<> countMerges()
    {
        auto merges = m_store.rows<MergeRow>(MergeRow::All);
        for (const MergeRow& merge : merges) {
            const LaneSource source{.pe = index(merge.sourcePe()),
                                    .message = static_cast<std::uint32_t>(merge.messageNumber().value_or(-1))};
            ++m_mergeReceivers[messageKey(peOf(source), source.message)];
        }
        return merges.result();
    }

    // So do executions to which a message led that was not meant for them. Few traces have any.
    Result<> countForwarded()
    {
        const QString kind = issueIdentifier(IssueKind::ForeignKey);
        const std::span<const Issue> issues = m_store.issues();
        if (std::none_of(issues.begin(), issues.end(), [&](const Issue& issue) { return issue.kind == kind; }))
            return Unit{};
        auto sources = m_store.rows<TaskSourceRow>(TaskSourceRow::Link | TaskSourceRow::Source
                                                   | TaskSourceRow::HasMessage);
        for (const TaskSourceRow& row : sources) {
            if (row.link() != Link::Forwarded || !row.hasMessage()) continue;
            const LaneSource source{.pe = index(row.sourcePe()),
                                    .message = static_cast<std::uint32_t>(*row.messageNumber())};
            ++m_mergeReceivers[messageKey(peOf(source), source.message)];
        }
        return sources.result();
    }

    std::uint32_t mergeReceiversOf(MessageKey key) const
    {
        if (m_mergeReceivers.empty()) return 0;
        const auto found = m_mergeReceivers.find(key);
        return found == m_mergeReceivers.end() ? 0 : found->second;
    }

    Result<> openAll()
    {
        const std::span<const Processor> processors = m_store.processors();
        const std::size_t room = windowBytes / rowBytes / std::max<std::size_t>(processors.size(), 1);
        const auto window = static_cast<std::uint32_t>(std::clamp<std::size_t>(room, leastWindow, chunkRows));
        m_pes.reserve(processors.size());
        for (const Processor& processor : processors) {
            m_pes.push_back({.lane = TraceLane(m_store, processor, window)});
            if (Result<> opened = open(static_cast<std::uint32_t>(m_pes.size() - 1)); !opened) return opened;
            m_rows += m_pes.back().lane.rows();
        }
        m_mostNumbers = static_cast<std::size_t>(limits::carriedNumbers.of(m_rows));
        return Unit{};
    }

    // The next task of a PE becomes its current one.
    Result<> open(std::uint32_t p)
    {
        TraceLane& lane = m_pes[p].lane;
        m_pes[p].afterNext.reset();
        if (Result<> opened = lane.open(); !opened) return opened;
        for (const LaneSource& source : lane.innerSources()) miss(source);
        if (lane.next()) m_queue.push({lane.next()->begin, p});
        return Unit{};
    }

    // Place of a PE among all; m_pes.size() if there is none.
    std::uint32_t peOf(const LaneSource& source) const
    {
        return static_cast<std::uint32_t>(placeOf(m_store, source.pe));
    }

    static MessageKey messageKey(std::uint32_t sender, std::uint32_t message)
    {
        return (MessageKey{sender} << 32) | message;
    }

    // What the path travels by; none if the trace does not say.
    std::optional<MessageKey> keyOf(std::uint32_t sender, const LaneSource& source) const
    {
        if (!m_ofRanks)
            return source.message == LaneSource::unknownMessage ? std::nullopt
                                                                : std::optional(messageKey(sender, source.message));
        const std::uint32_t departure = m_departures.find(sender, source.row, source.offset);
        return departure == Departures::none ? std::nullopt : std::optional(messageKey(sender, departure));
    }

    TimeNs cpuAt(std::uint32_t p, TimeNs time) const
    {
        const Pe& pe = m_pes[p];
        return pe.isRunning ? pe.cpu + (time - pe.lane.current().begin) : pe.cpu;
    }

    bool isTooMuch() const { return m_path.inFlight().mostNumbers() > m_mostNumbers; }
    Error tooMuch() const
    {
        return Error{.what = tr("Messages on their way carry more than %1 numbers, too many for a run of its size.")
                                 .arg(m_mostNumbers),
                     .where = m_store.path(),
                     .hint = tr("Follow fewer entry methods with --top-share.")};
    }

    // Everything that happens at or before `time`.
    Result<> playTo(TimeNs time)
    {
        if (Result<> begun = beginUntil(time); !begun) return begun;
        for (std::uint32_t p = 0; p < m_pes.size(); ++p) play(p, time);
        if (isTooMuch()) return tooMuch();
        return Unit{};
    }

    // All tasks that begin at or before `limit`, a sender always before what it sent. What runs in them is played only
    // as far as it is needed.
    Result<> beginUntil(TimeNs limit)
    {
        for (;;) {
            if (const std::optional<std::uint32_t> victim = m_queue.circle()) {
                if (m_progress.isCancelled()) return cancelledError();
                m_pes[*victim].dropped.insert(m_pes[*victim].awaited);
                m_queue.release(*victim);
            }
            const std::optional<BeginQueue::Begin> next = m_queue.pop(limit);
            if (!next) return Unit{};
            const Result<std::optional<std::uint32_t>> sender = senderToWaitFor(*next);
            if (!sender) return sender.error();
            if (*sender) {
                m_queue.wait(*next, **sender, m_pes[next->pe].awaited.row);
                continue;
            }
            if (Result<> begun = begin(next->pe, next->time); !begun) return begun;
            if (isTooMuch()) return tooMuch();
            if (++m_tasks % tasksBetweenLooks != 0) continue;
            if (m_progress.isCancelled()) return cancelledError();
            m_progress.report(static_cast<double>(m_rowsDone) / static_cast<double>(std::max<std::int64_t>(m_rows, 1)));
        }
    }

    // The PE whose task sent what the next task of a PE begins with, or waits for besides, if that one begins at the
    // same instant and has not begun yet.
    Result<std::optional<std::uint32_t>> senderToWaitFor(BeginQueue::Begin begin)
    {
        Pe& pe = m_pes[begin.pe];
        const TraceLane& lane = pe.lane;
        if (const auto& source = lane.next()->source) {
            const Result<bool> waits = waitsFor(begin, *source);
            if (!waits) return waits.error();
            if (*waits) return std::optional(peOf(*source));
        }
        // In a message-driven run the message that starts a task arrives after all that it merges with.
        if (!m_ofRanks) return std::optional<std::uint32_t>();
        for (; pe.nextMerge < lane.nextMerges().size(); ++pe.nextMerge) {
            const LaneSource& merge = lane.nextMerges()[pe.nextMerge];
            const Result<bool> waits = waitsFor(begin, merge);
            if (!waits) return waits.error();
            if (*waits) return std::optional(peOf(merge));
        }
        return std::optional<std::uint32_t>();
    }

    Result<bool> waitsFor(BeginQueue::Begin begin, const LaneSource& source)
    {
        Pe& pe = m_pes[begin.pe];
        const std::uint32_t sender = peOf(source);
        if (sender == m_pes.size() || source.row < m_pes[sender].lane.nextRow() || isDropped(pe, source)) return false;
        Pe& from = m_pes[sender];
        if (sender == begin.pe) {
            // Each of its merges may ask, and many tasks lie in each other before the next one.
            if (!pe.afterNext) {
                const Result<std::uint32_t> own = pe.lane.rowAfterNext();
                if (!own) return own.error();
                pe.afterNext = *own;
            }
            if (source.row < *pe.afterNext) return false;
        }
        if (from.tie != begin.time) {
            const Result<std::uint32_t> end = from.lane.endOfTie(begin.time);
            if (!end) return end.error();
            from.tie = begin.time;
            from.tieEnd = *end;
        }
        pe.awaited = source;
        return source.row < from.tieEnd;
    }

    static bool isDropped(const Pe& pe, const LaneSource& source) { return pe.dropped.contains(source); }

    Result<> begin(std::uint32_t p, TimeNs time)
    {
        Pe& pe = m_pes[p];
        play(p, time);
        m_rowsDone -= pe.lane.nextRow();
        if (Result<> opened = open(p); !opened) return opened;
        m_rowsDone += pe.lane.nextRow();
        for (const LaneSource& merge : pe.lane.merges()) receive(p, merge, isDropped(pe, merge), time);
        if (const auto& source = pe.lane.current().source) receive(p, *source, isDropped(pe, *source), time);
        pe.isRunning = true;
        pe.dropped.clear();
        pe.nextMerge = 0;
        pe.nextSend = 0;
        if (m_ofRanks) gatherDepartures(p);
        pe.nextPiece = 0;
        m_path.enter(p, procedureOf(pe.lane.current().entry), pe.cpu);
        m_queue.releaseBefore(p, pe.lane.nextRow());
        return Unit{};
    }

    // Those from the current task of a rank. The rank's tasks come in order.
    void gatherDepartures(std::uint32_t p)
    {
        Pe& rank = m_pes[p];
        rank.departures.clear();
        const std::span<const Departure> all = m_departures.ofRank(p);
        for (std::size_t& next = rank.nextDeparture; next < all.size() && all[next].row < rank.lane.nextRow(); ++next)
            if (all[next].row == rank.lane.current().row)
                rank.departures.push_back({rank.lane.sendTime(all[next].offset), static_cast<std::uint32_t>(next),
                                           all[next].receivers});
    }

    // The task of `p` that begins now takes the path that a message brings. (That of its own message comes last: it
    // wins ties where messages do.)
    void receive(std::uint32_t p, const LaneSource& source, bool isDropped, TimeNs time)
    {
        const Pe& pe = m_pes[p];
        const std::uint32_t sender = peOf(source);
        if (isDropped || sender == m_pes.size() || !hasBegun(sender, source.row, p)) {
            ++m_result.dropped;
            miss(source);
            return;
        }
        play(sender, time);
        const Pe& from = m_pes[sender];
        const std::optional<MessageKey> key = keyOf(sender, source);
        if (key && m_path.receive(p, *key, pe.cpu)) return;
        if (key && from.isRunning && source.row >= from.lane.current().row) {
            ++m_result.early;
            m_path.receiveEarly(p, *key, sender, pe.cpu);
            return;
        }
        ++m_result.lost;
    }

    // Whether the task around a row began before the one that `receiver` just begins.
    bool hasBegun(std::uint32_t sender, std::uint32_t row, std::uint32_t receiver) const
    {
        const TraceLane& lane = m_pes[sender].lane;
        return row < (sender == receiver ? lane.current().row : lane.nextRow());
    }

    void miss(const LaneSource& source)
    {
        const std::uint32_t sender = peOf(source);
        if (sender == m_store.processors().size()) return;
        if (const std::optional<MessageKey> key = keyOf(sender, source)) m_path.miss(*key);
    }

    std::uint32_t procedureOf(EntryId entry) const
    {
        return index(entry) < m_procedureOf.size() ? m_procedureOf[index(entry)] : noProcedure;
    }

    // What the current task of a PE does at or before `time`; nested pieces end at the latest with it, and not before
    // those inside them (as attributeToInnermost()).
    void play(std::uint32_t p, TimeNs time)
    {
        Pe& pe = m_pes[p];
        if (!pe.isRunning) return;
        const LaneTask& task = pe.lane.current();
        const std::vector<LaneSend>& sends = m_ofRanks ? pe.departures : pe.lane.sends();
        const std::vector<LanePiece>& pieces = pe.lane.pieces();
        for (;;) {
            const TimeNs send = pe.nextSend < sends.size() ? sends[pe.nextSend].time : maxTime;
            const TimeNs enter = pe.nextPiece < pieces.size() ? pieces[pe.nextPiece].begin : maxTime;
            const TimeNs leave = pe.openPieces.empty() ? maxTime : std::min(pe.openPieces.back(), task.end);
            const TimeNs next = std::min({send, enter, leave});
            if (next > std::min(time, task.end) || next == maxTime) break;
            if (leave <= enter && leave <= send) {
                m_path.leave(p, cpuAt(p, leave));
                pe.openPieces.pop_back();
            } else if (enter <= send) {
                const LanePiece& piece = pieces[pe.nextPiece++];
                m_path.enter(p, procedureOf(piece.entry), cpuAt(p, std::max(enter, task.begin)));
                pe.openPieces.push_back(piece.end);
            } else {
                if (isTooMuch()) return;  // and the run ends with an error
                const LaneSend& sent = sends[pe.nextSend++];
                const MessageKey key = messageKey(p, sent.message);
                m_path.send(p, key, sent.receivers + mergeReceiversOf(key), cpuAt(p, send));
            }
        }
        m_path.advance(p, cpuAt(p, std::min(time, task.end)));
        if (time >= task.end) end(p);
    }

    void end(std::uint32_t p)
    {
        Pe& pe = m_pes[p];
        pe.cpu = cpuAt(p, pe.lane.current().end);
        for (; !pe.openPieces.empty(); pe.openPieces.pop_back()) m_path.leave(p, pe.cpu);
        m_path.leave(p, pe.cpu);
        pe.isRunning = false;
    }

    Result<> sample(TimeRange range)
    {
        if (m_request.sampleEvery <= 0) return Unit{};
        for (TimeNs time = saturatingAdd(range.begin, m_request.sampleEvery); time < range.end;
             time = saturatingAdd(time, m_request.sampleEvery)) {
            if (Result<> played = playTo(time); !played) return played;
            if (m_progress.isCancelled()) return cancelledError();
            takeSample(time);
        }
        return Unit{};
    }

    void takeSample(TimeNs time)
    {
        PathReading reading = m_path.reading();
        m_result.samples.push_back({time, reading.length, std::move(reading.shares), reading.rest});
    }

    StreamingResult finish(TimeRange range)
    {
        if (m_request.sampleEvery > 0) takeSample(range.end);
        PathReading reading = m_path.reading();
        m_result.length = reading.length;
        m_result.duration = range.length();
        if (!m_pes.empty()) m_result.end = m_store.processors()[reading.process].pe;
        m_result.shares = std::move(reading.shares);
        m_result.rest = reading.rest;
        m_result.nets = m_path.netLengths();
        m_result.mostInFlight = static_cast<std::int64_t>(m_path.inFlight().mostAtOnce());
        m_result.leftInFlight = static_cast<std::int64_t>(m_path.inFlight().unsettled());
        m_progress.report(1.0);
        return std::move(m_result);
    }

    const TraceStore& m_store;
    const StreamingRequest& m_request;
    const Progress& m_progress;
    TimeRange m_run;
    bool m_ofRanks;
    std::size_t m_mostNumbers = 0;
    std::vector<std::uint32_t> m_procedureOf;
    StreamingPath m_path;
    std::unordered_map<MessageKey, std::uint32_t, DrawnHash> m_mergeReceivers;
    Departures m_departures;  // of ranks
    std::vector<Pe> m_pes;
    BeginQueue m_queue;  // of their next tasks
    std::int64_t m_tasks = 0;
    std::int64_t m_rows = 0;
    std::int64_t m_rowsDone = 0;
    StreamingResult m_result;
};

}  // namespace

std::vector<std::vector<EntryId>> oneByOne(const std::vector<EntryId>& entries)
{
    std::vector<std::vector<EntryId>> procedures;
    procedures.reserve(entries.size());
    for (const EntryId entry : entries) procedures.push_back({entry});
    return procedures;
}

Result<StreamingResult> streamingPath(const TraceStore& store, const StreamingRequest& request,
                                      const Progress& progress)
{
    return TraceStream(store, request, progress).run();
}

}  // namespace longpole
