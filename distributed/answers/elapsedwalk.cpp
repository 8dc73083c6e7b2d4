// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/elapsedwalk.h"

#include "analysis/paths/elapsedsteps.h"
#include "core/base/translate.h"
#include "distributed/exchange/pack.h"
#include "distributed/tasks/hostedarrivals.h"
#include "distributed/transport/records.h"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

constexpr std::uint32_t noRank = WorkPass::noPlace;

// When what a task needs was left, by the number of the need.
struct LeftAt {
    std::uint32_t number = 0;
    TimeNs time = 0;
};

// A task and the time in it up to which it is on the path.
struct ElapsedPlace {
    TimeNs time = minTime;
    std::uint32_t rank = noRank, task = noRank;
    std::uint32_t segment = 0;
    friend bool operator==(const ElapsedPlace&, const ElapsedPlace&) = default;
};

// The latest, of these the first by rank and task.
void takeLatest(ElapsedPlace& into, const ElapsedPlace& from)
{
    if (std::tie(into.time, from.rank, from.task) < std::tie(from.time, into.rank, into.task)) into = from;
}

struct ElapsedMessage {
    enum Kind : std::uint32_t {
        GoOn,   // to the host of a rank: the walk comes there
        Begin,  // to the host of a rank: walk a segment again, from there
        Ended,  // to process 0: the walk has left its segment and comes there, or to the run's begin
        Finish  // to all: the path is known
    };
    Kind kind = GoOn;
    std::uint32_t segment = 0, attempt = 0;
    ElapsedPlace place;
    std::uint64_t number = 0;
};

// Notes the steps of one walk after the other.
class StepNotes final : public ElapsedParts {
public:
    explicit StepNotes(ElapsedWalk& walk) : ElapsedParts(minTime), m_walk(walk) {}

    void goOn(std::uint32_t segment, std::uint32_t attempt, std::uint64_t number, TimeNs time)
    {
        m_segment = segment;
        m_attempt = attempt;
        m_number = number;
        setTime(time);
    }
    // The next steps are of that task.
    void at(const HostedTasks& tasks, std::uint32_t task)
    {
        m_tasks = &tasks;
        m_task = task;
    }
    std::uint32_t attempt() const { return m_attempt; }
    std::uint64_t number() const { return m_number; }

private:
    void count(const ElapsedTask&, TimeRange counted) override
    {
        m_counted = counted.length();
        if (m_tasks->nested == nullptr) return;
        m_walk.shares[{m_segment, m_attempt}].add(m_tasks->nested.get(), m_task, m_tasks->entry[m_task], counted);
    }
    void take(const PathStep& step) override
    {
        m_walk.steps.push_back({m_segment, m_attempt, m_number++, step, std::exchange(m_counted, -1)});
    }

    ElapsedWalk& m_walk;
    const HostedTasks* m_tasks = nullptr;
    std::uint32_t m_task = 0;
    std::uint32_t m_segment = 0, m_attempt = 0;
    std::uint64_t m_number = 0;
    TimeNs m_counted = -1;
};

class ElapsedWalker {
public:
    ElapsedWalker(const WorkPass& pass, const TraceStore& store)
        : m_pass(pass), m_transport(pass.transport()), m_store(store), m_run(store.info().range()),
          m_isOfRanks(store.info().hasRanks()), m_left(static_cast<std::size_t>(m_transport.processes())),
          m_arrivals(pass.ranks().size()), m_notes(m_walk), m_toSend(m_left.size())
    {
    }

    ElapsedWalk walk()
    {
        tellLeft();
        findEnds();
        if (!m_transport.failed()) beginAll();
        while (!m_transport.failed()) {
            takeOwn();
            flush();
            if (m_isFinished) break;
            std::optional<Incoming> come = m_transport.receive(ElapsedPassNumber::WalkElapsed, Wait::Yes);
            for (; come; come = m_transport.receive(ElapsedPassNumber::WalkElapsed, Wait::No)) takeAll(come->bytes);
        }
        m_transport.quiet(ElapsedPassNumber::WalkElapsed, [this](int, const Payload& bytes) { takeAll(bytes); });
        return std::move(m_walk);
    }

private:
    const WorkPass::Rank& rankOf(std::uint32_t rank) const { return m_pass.ranks()[rank - m_pass.firstRank()]; }
    static TimeNs endOf(const HostedTasks& tasks, std::size_t task) { return tasks.begin[task] + tasks.duration[task]; }

    // The process of a task's source knows when it was left; whoever comes to the task must know it too.
    void tellLeft()
    {
        for (const WorkPass::Rank& rank : m_pass.ranks())
            for (const WorkPass::Slot& slot : rank.slots) {
                std::vector<TimeNs>& left = m_left[slot.process];
                if (left.size() <= slot.number) left.resize(slot.number + std::size_t{1}, 0);
            }
        std::vector<std::vector<LeftAt>> told(m_left.size());
        const auto self = static_cast<std::uint32_t>(m_transport.process());
        for (const WorkPass::Rank& rank : m_pass.ranks())
            for (const WorkPass::Reader& reader : rank.readers) {
                const TimeNs time = rank.tasks.begin[reader.source] + reader.work;
                if (reader.process != self) told[reader.process].push_back({reader.number, time});
                else if (reader.number < m_left[self].size()) m_left[self][reader.number] = time;
            }
        std::vector<Payload> packed;
        for (std::vector<LeftAt>& rows : told) {
            std::sort(rows.begin(), rows.end(), [](const LeftAt& a, const LeftAt& b) { return a.number < b.number; });
            Packer packer;
            if (!rows.empty()) packer.putTable(rows, &LeftAt::number, &LeftAt::time);
            std::vector<LeftAt>().swap(rows);
            packed.push_back(packer.take());
        }
        m_transport.exchange(ElapsedPassNumber::TellLeft, std::move(packed), [this](int from, const Payload& bytes) {
            Unpacker unpacker(bytes);
            const auto rows = unpacker.table<LeftAt>(&LeftAt::number, &LeftAt::time);
            std::vector<TimeNs>& left = m_left[static_cast<std::size_t>(from)];
            for (const LeftAt& row : rows) {
                if (row.number >= left.size()) return refuse();
                left[row.number] = row.time;
            }
            if (!unpacker.isWhole()) refuse();
        });
    }

    // Where the path ends, and where it probably leaves each segment: in the task that ends last.
    void findEnds()
    {
        m_began.assign(m_pass.segments(), {});
        for (const WorkPass::Strand& strand : m_pass.strands()) {
            if (strand.first == strand.end) continue;
            const HostedTasks& tasks = m_pass.ranks()[strand.rank].tasks;
            std::size_t last = strand.end - 1;
            const std::uint32_t rank = strand.rank + m_pass.firstRank();
            const auto placeOf = [&](std::size_t task) {
                return ElapsedPlace{endOf(tasks, task), rank, static_cast<std::uint32_t>(task), strand.segment};
            };
            takeLatest(m_began[strand.segment], placeOf(last));
            if (strand.end != tasks.begin.size()) continue;
            while (last > 0 && endOf(tasks, last - 1) == endOf(tasks, strand.end - 1)) --last;
            ElapsedPlace place = placeOf(last);
            place.segment = m_pass.ranks()[strand.rank].segmentOf(place.task);
            takeLatest(m_end, place);
        }
        m_end = reduceOne(m_transport, m_end, takeLatest);
        reduceValues(m_transport, std::span(m_began), takeLatest);
        m_endRow = noRank;  // which the process of the rank alone knows
        if (m_pass.hosting().hosts(m_transport.process(), m_end.rank) && isTask(m_end))
            m_endRow = rankOf(m_end.rank).tasks.rowOf(m_end.task);
        m_endRow = reduceOne(m_transport, m_endRow,
                             [](std::uint32_t& into, const std::uint32_t& from) { into = std::min(into, from); });
    }

    bool isTask(const ElapsedPlace& place) const { return place.task < rankOf(place.rank).tasks.begin.size(); }

    void beginAll()
    {
        if (m_end.rank == noRank) {
            m_isFinished = true;
            return;
        }
        m_walk.to = {ProcessorId{m_end.rank}, m_endRow};
        if (m_end.segment >= m_began.size()) return refuse();
        m_began[m_end.segment] = m_end;
        m_walk.attempts.assign(m_began.size(), ElapsedWalk::noAttempt);
        m_attempts.assign(m_began.size(), 0);
        m_entered.resize(m_began.size());
        m_compared = m_end.segment;
        for (std::uint32_t segment = 0; segment <= m_end.segment; ++segment) {
            const ElapsedPlace& place = m_began[segment];
            if (place.rank == noRank) continue;
            ++m_open;
            ++m_walk.walks;
            if (!m_pass.hosting().hosts(m_transport.process(), place.rank)) continue;
            if (place.segment != segment || !isHere(place)) return refuse();  // all have a say in it
            m_notes.goOn(segment, 0, 0, place.time);
            m_notes.at(rankOf(place.rank).tasks, place.task);
            if (segment == m_end.segment) m_notes.end(named(place.rank, place.task), place.time, m_run.end);
            walk(segment, place);
        }
    }

    ElapsedTask named(std::uint32_t rank, std::uint32_t task) const
    {
        const HostedTasks& tasks = rankOf(rank).tasks;
        ElapsedTask named;
        named.task = {ProcessorId{rank}, tasks.rowOf(task)};
        named.entry = EntryId{tasks.entry[task]};
        named.begin = tasks.begin[task];
        if (const Processor* const processor = m_store.processor(ProcessorId{rank})) named.active = processor->active();
        return named;
    }

    // Goes on as long as the path stays on hosted ranks, from a place for which the notes are ready.
    void walk(std::uint32_t segment, ElapsedPlace place)
    {
        bool goesOn = true;
        while (goesOn && !m_transport.failed()) goesOn = step(segment, place);
    }

    // Writes the task and moves to what it comes from, if that is hosted here; else the walk goes on elsewhere.
    bool step(std::uint32_t segment, ElapsedPlace& place)
    {
        const WorkPass::Rank& own = rankOf(place.rank);
        const HostedTasks& tasks = own.tasks;
        const HostedArrivals* const arrivals = arrivalsOf(place.rank);
        if (arrivals == nullptr) return false;
        ElapsedTask task = named(place.rank, place.task);
        const bool isIdle = arrivals->has(place.task, ActivityGraph::AfterIdle);
        task.isOfRank = m_isOfRanks;
        task.isBlock = arrivals->has(place.task, ActivityGraph::BlockEdge);
        task.idled = isIdle;
        task.isFirst = place.task == 0;
        task.free = task.isFirst ? m_run.begin : endOf(tasks, place.task - 1);
        const WorkPass::Slot* const message = messageOf(own, place.task);
        task.hasSource = message != nullptr;
        task.arrival = arrivalAt(tasks, *arrivals, place.task, message);
        task.cameWhileIdle = !m_isOfRanks && task.arrival.isEstimated && isIdle && !task.isBlock;
        const bool isFree = m_isOfRanks ? task.free < task.arrival.ready : task.free <= task.arrival.ready;
        task.delays = message != nullptr ? delaysOf(task.arrival, task.begin, task.free, isFree, isIdle)
                                         : ElapsedDelays{task.begin - task.free, 0};
        const bool overMessage = message != nullptr && (task.isFirst || isIdle || isFree);
        m_notes.at(tasks, place.task);
        m_notes.before(task, overMessage);
        if (overMessage) return over(segment, place, *message);
        if (task.isFirst) return ended(segment, {});
        place = {m_notes.time(), place.rank, place.task - 1, own.segmentOf(place.task - 1)};
        return place.segment == segment || ended(segment, place);
    }

    // As arrivalOf() finds it in the graph.
    Arrival arrivalAt(const HostedTasks& tasks, const HostedArrivals& arrivals, std::uint32_t task,
                      const WorkPass::Slot* message) const
    {
        const TimeNs sent = arrivals.sent[task], begin = tasks.begin[task];
        if (message == nullptr && sent == minTime) return {};
        const TimeNs left = message != nullptr ? m_left[message->process][message->number] : sent;
        Arrival arrival = arrivalOf(m_run.begin, begin, left, sent != minTime ? sent : left);
        if (arrivals.received[task] != minTime)
            arrival.received = arrival.ready = std::clamp(arrivals.received[task], arrival.sent, begin);
        if (arrivals.has(task, ActivityGraph::BlockEdge)) {
            arrival.sent = arrival.received = begin;
            arrival.ready = arrival.left;
        }
        arrival.isEstimated = arrivals.has(task, ActivityGraph::Estimated);
        arrival.isMended = arrivals.has(task, ActivityGraph::Repaired) || (message != nullptr && message->isClamped);
        return arrival;
    }

    static const WorkPass::Slot* messageOf(const WorkPass::Rank& rank, std::uint32_t task)
    {
        for (const WorkPass::Slot& slot : rank.slotsOf(task))
            if (slot.isMessage) return &slot;
        return nullptr;
    }

    bool over(std::uint32_t segment, ElapsedPlace& place, const WorkPass::Slot& slot)
    {
        place = {m_notes.time(), slot.rank, slot.source, slot.crosses ? segment - 1 : segment};
        if (slot.crosses) return ended(segment, place);
        if (m_pass.hosting().hosts(m_transport.process(), slot.rank)) return isHere(place) || refused();
        send(m_pass.hosting().hostOf(slot.rank), {.kind = ElapsedMessage::GoOn,
                                                  .segment = segment,
                                                  .attempt = m_notes.attempt(),
                                                  .place = place,
                                                  .number = m_notes.number()});
        return false;
    }

    bool ended(std::uint32_t segment, const ElapsedPlace& place)
    {
        send(0, {.kind = ElapsedMessage::Ended, .segment = segment, .place = place});
        return false;
    }

    // Whether there is such a task here, and the time lies in it.
    bool isHere(const ElapsedPlace& place) const
    {
        if (!m_pass.hosting().hosts(m_transport.process(), place.rank)) return false;
        const WorkPass::Rank& own = rankOf(place.rank);
        return place.task < own.tasks.begin.size() && place.segment == own.segmentOf(place.task)
               && place.time >= own.tasks.begin[place.task] && place.time <= endOf(own.tasks, place.task);
    }

    // Read when the path first comes to the rank; null after an error.
    const HostedArrivals* arrivalsOf(std::uint32_t rank)
    {
        std::optional<HostedArrivals>& known = m_arrivals[rank - m_pass.firstRank()];
        const Processor* const processor = m_store.processor(ProcessorId{rank});
        if (!known && processor != nullptr) {
            Result<HostedArrivals> read = hostedArrivals(m_store, *processor, rankOf(rank).tasks);
            if (read) known = std::move(*read);
            else m_transport.fail(read.error());
        }
        return known && !m_transport.failed() ? &*known : nullptr;
    }

    void send(int to, const ElapsedMessage& message)
    {
        if (to == m_transport.process()) m_own.push_back(message);
        else appendRecord(m_toSend[static_cast<std::size_t>(to)], message);
    }

    void takeOwn()
    {
        while (!m_own.empty() && !m_transport.failed()) {
            const ElapsedMessage message = m_own.back();
            m_own.pop_back();
            take(message);
            m_transport.pulse();
        }
    }

    void flush()
    {
        for (std::size_t to = 0; to < m_toSend.size(); ++to)
            if (!m_toSend[to].empty())
                m_transport.send(static_cast<int>(to), ElapsedPassNumber::WalkElapsed,
                                 std::exchange(m_toSend[to], Payload()));
    }

    void takeAll(const Payload& bytes)
    {
        forEachRecord<ElapsedMessage>(m_transport, bytes, [this](const ElapsedMessage& message) { take(message); });
    }

    void take(const ElapsedMessage& message)
    {
        switch (message.kind) {
        case ElapsedMessage::GoOn:
        case ElapsedMessage::Begin:
            if (!isHere(message.place) || message.place.segment != message.segment) return refuse();
            m_notes.goOn(message.segment, message.attempt, message.number, message.place.time);
            return walk(message.segment, message.place);
        case ElapsedMessage::Ended: return note(message);
        case ElapsedMessage::Finish: m_isFinished = true; return;
        }
    }

    // Process 0: when all walks have ended, one that began elsewhere than the one behind it came out begins again.
    void note(const ElapsedMessage& message)
    {
        if (message.segment >= m_entered.size() || m_open == 0) return refuse();
        m_entered[message.segment] = message.place;
        if (--m_open > 0) return;
        for (;;) {
            m_walk.attempts[m_compared] = m_attempts[m_compared];
            const ElapsedPlace& next = m_entered[m_compared];
            if (next.rank == noRank) break;
            if (next.segment >= m_compared) return refuse();
            m_compared = next.segment;
            if (m_began[m_compared] == next) continue;
            m_began[m_compared] = next;
            ++m_open;
            ++m_walk.walks;
            return send(m_pass.hosting().hostOf(next.rank), {.kind = ElapsedMessage::Begin,
                                                             .segment = next.segment,
                                                             .attempt = ++m_attempts[m_compared],
                                                             .place = next});
        }
        for (int to = 1; to < m_transport.processes(); ++to) send(to, {.kind = ElapsedMessage::Finish, .place = {}});
        m_isFinished = true;
    }

    void refuse()
    {
        m_transport.fail({.what = tr("A path came to process %1 that cannot be.").arg(m_transport.process()),
                          .where = {},
                          .hint = {}});
    }
    bool refused()
    {
        refuse();
        return false;
    }

    const WorkPass& m_pass;
    Transport& m_transport;
    const TraceStore& m_store;
    const TimeRange m_run;
    const bool m_isOfRanks;
    std::vector<std::vector<TimeNs>> m_left;                // by process and number of a need
    std::vector<std::optional<HostedArrivals>> m_arrivals;  // by hosted rank, where they were read
    ElapsedWalk m_walk;
    StepNotes m_notes;
    ElapsedPlace m_end;
    std::uint32_t m_endRow = noRank;
    std::vector<ElapsedPlace> m_began;  // by segment
    std::vector<ElapsedMessage> m_own;
    std::vector<Payload> m_toSend;  // by process
    bool m_isFinished = false;
    // At process 0.
    std::uint64_t m_open = 0;               // walks
    std::vector<std::uint32_t> m_attempts;  // by segment: the newest
    std::vector<ElapsedPlace> m_entered;    // by segment: where its newest walk has come out
    std::uint32_t m_compared = 0;           // the walks of this segment and of later ones are right
};

}  // namespace

Result<ElapsedWalk> walkElapsed(const WorkPass& pass, const TraceStore& store)
{
    ElapsedWalk walk = ElapsedWalker(pass, store).walk();
    if (pass.transport().failed()) return pass.transport().failure();
    return walk;
}

}  // namespace longpole
