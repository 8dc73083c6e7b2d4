// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/workwalk.h"

#include "core/base/translate.h"
#include "distributed/transport/records.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

constexpr std::uint32_t nobody = WorkPass::noPlace;

// A rank whose last task of a segment is on a longest path, by when that begins: the graph takes the earliest, if no
// message and no rank's own order brings as much.
struct Leaver {
    TimeNs begin = maxTime;
    std::uint32_t place = nobody;
    std::uint32_t rank = nobody;
    friend auto operator<=>(const Leaver&, const Leaver&) = default;
};

// The task in which the path of a lane ends.
struct PathEndOfRun {
    std::uint32_t rank = nobody, task = nobody, segment = 0;
    friend auto operator<=>(const PathEndOfRun&, const PathEndOfRun&) = default;
};

struct WalkMessage {
    enum Kind : std::uint32_t {
        GoOn,      // to the host of a task: the walk comes into it, over the need with that number
        Begin,     // to the host of a rank: walk a segment again, from the rank's last task in it
        WhenDoes,  // to the host of a task: when does it begin?
        Then,      // its answer
        Ended,     // to process 0: the walk has come out of its segment, into that rank, or to its start
        Left,      // to all: the path leaves the segment in that rank
        Finish     // to all: every path is known
    };
    Kind kind = GoOn;
    std::uint32_t lane = 0, segment = 0;
    std::uint32_t rank = nobody, task = nobody;
    std::uint32_t number = 0;     // of the need; of the question
    std::uint32_t candidate = 0;  // of the question
    std::uint32_t place = 0;
    std::uint64_t step = 0;
    TimeNs time = 0;  // the longest work before the task that the walk comes from; when a task begins
};

class Walk {
public:
    Walk(const WorkPass& pass, LeavingRanks& leaving, const VisitTask& visit)
        : m_pass(pass), m_transport(pass.transport()), m_visit(visit), m_leaving(leaving),
          m_toSend(static_cast<std::size_t>(m_transport.processes()))
    {
    }

    bool back()
    {
        findEnds();
        findLeavers();
        if (m_transport.failed()) return true;
        if (!areOfRun()) {
            refuse();
            return true;
        }
        findStarts();
        beginAll();
        while (!m_transport.failed()) {
            takeOwn();
            flush();
            if (m_isFinished) break;
            std::optional<Incoming> come = m_transport.receive(WorkPassNumber::WalkBack, Wait::Yes);
            for (; come; come = m_transport.receive(WorkPassNumber::WalkBack, Wait::No))
                takeAll(come->from, come->bytes);
        }
        m_transport.quiet(WorkPassNumber::WalkBack, [this](int from, const Payload& bytes) { takeAll(from, bytes); });
        return m_wasRight;
    }

private:
    // Where a walk is: in a task, of which so much lies on the path.
    struct At {
        std::uint32_t lane, segment;
        std::uint32_t rank, task;
        TimeNs head;    // the longest work before the task, from the run's begin on
        TimeNs length;  // of the task, on the path
        std::uint64_t step;
    };

    // A walk that waits to hear which of several sources begins first.
    struct Question {
        At at;
        std::vector<WorkPass::Slot> candidates;
        std::vector<std::pair<TimeNs, std::uint32_t>> begins;  // and place
        std::size_t missing = 0;
    };

    const WorkPass::Rank& rankOf(std::uint32_t rank) const { return m_pass.ranks()[rank - m_pass.firstRank()]; }
    int host(std::uint32_t rank) const { return m_pass.hosting().hostOf(rank); }

    // Of each rank its first task that comes as far as the path does; of these the first by rank.
    void findEnds()
    {
        m_ends.assign(m_pass.lanes(), {});
        for (std::size_t lane = 0; lane < m_pass.lanes(); ++lane) {
            const TimeNs all = m_pass.base(m_pass.segments(), lane);
            for (std::size_t strand = 0; strand < m_pass.strands().size(); ++strand) {
                const WorkPass::Strand& own = m_pass.strands()[strand];
                const WorkPass::Reached& reached = m_pass.reached(strand, lane);
                if (reached.task == nobody || m_pass.base(own.segment, lane) + reached.value != all) continue;
                m_ends[lane] = std::min(m_ends[lane], {own.rank + m_pass.firstRank(), reached.task, own.segment});
            }
        }
        reduceValues(m_transport, std::span(m_ends),
                     [](PathEndOfRun& into, const PathEndOfRun& from) { into = std::min(into, from); });
    }

    void findLeavers()
    {
        m_leavers.assign(m_pass.segments() * m_pass.lanes(), {});
        for (std::size_t strand = 0; strand < m_pass.strands().size(); ++strand) {
            const WorkPass::Strand& own = m_pass.strands()[strand];
            for (std::size_t lane = 0; lane < m_pass.lanes(); ++lane) {
                const TimeNs end = m_pass.base(own.segment, lane) + m_pass.reached(strand, lane).value;
                if (own.first == own.end || end != m_pass.base(own.segment + 1, lane)) continue;
                Leaver& leaver = m_leavers[own.segment * m_pass.lanes() + lane];
                const std::uint32_t rank = own.rank + m_pass.firstRank();
                const auto last = static_cast<std::uint32_t>(own.end - 1);
                leaver = std::min(leaver,
                                  {m_pass.ranks()[own.rank].tasks.begin[last], m_pass.placeOf(rank, last), rank});
            }
        }
        reduceValues(m_transport, std::span(m_leavers),
                     [](Leaver& into, const Leaver& from) { into = std::min(into, from); });
    }

    // All have added these up, and what an earlier walk found came from process 0.
    bool areOfRun() const
    {
        const auto isOfRun = [this](std::uint32_t rank) { return rank == nobody || rank < m_pass.hosting().ranks(); };
        return std::all_of(m_ends.begin(), m_ends.end(),
                           [&](const PathEndOfRun& end) {
                               return end.rank == nobody ? end == PathEndOfRun{} : isOfRun(end.rank) && isTask(end);
                           })
               && std::all_of(m_leavers.begin(), m_leavers.end(), [&](const Leaver& one) { return isOfRun(one.rank); })
               && std::all_of(m_leaving.begin(), m_leaving.end(), [&](const auto& one) { return isOfRun(one.second); });
    }
    // Whose tasks are not hosted here: as far as it can be known.
    bool isTask(const PathEndOfRun& end) const
    {
        if (end.segment >= m_pass.segments()) return false;
        if (host(end.rank) != m_transport.process()) return true;
        const WorkPass::Rank& own = rankOf(end.rank);
        return end.task < own.tasks.begin.size() && own.segmentOf(end.task) == end.segment;
    }

    // The first segments with time on the path, by lane.
    void findStarts()
    {
        for (std::uint32_t lane = 0; lane < m_pass.lanes(); ++lane) {
            std::uint32_t segment = 0;
            while (segment < m_ends[lane].segment && m_pass.base(segment + 1, lane) == 0) ++segment;
            m_starts.push_back(segment);
            m_compared.push_back(m_ends[lane].segment);
        }
    }
    std::uint32_t leaver(std::uint32_t lane, std::uint32_t segment) const
    {
        const auto known = m_leaving.find({lane, segment});
        return known != m_leaving.end() ? known->second : m_leavers[segment * m_pass.lanes() + lane].rank;
    }

    void beginAll()
    {
        for (std::uint32_t lane = 0; lane < m_pass.lanes(); ++lane) {
            const PathEndOfRun& end = m_ends[lane];
            if (end.rank == nobody) continue;
            for (std::uint32_t segment = m_starts[lane]; segment <= end.segment; ++segment) {
                ++m_open;
                const std::uint32_t rank = segment == end.segment ? end.rank : leaver(lane, segment);
                if (rank == nobody || host(rank) != m_transport.process()) continue;
                if (segment == end.segment) beginIn(lane, segment, rank, end.task);
                else beginAtEnd(lane, segment, rank);
            }
        }
        if (m_open == 0) m_isFinished = true;
    }

    void beginAtEnd(std::uint32_t lane, std::uint32_t segment, std::uint32_t rank)
    {
        const std::vector<std::uint32_t>& cuts = rankOf(rank).tasks.cuts;
        if (lane >= m_pass.lanes() || segment >= cuts.size() || cuts[segment] == 0) return refuse();
        beginIn(lane, segment, rank, cuts[segment] - 1);
    }

    // In a task that the path has run to its end when it leaves the segment.
    void beginIn(std::uint32_t lane, std::uint32_t segment, std::uint32_t rank, std::uint32_t task)
    {
        const WorkPass::Rank& own = rankOf(rank);
        const TimeNs length = own.tasks.weight[task];
        const TimeNs head = m_pass.base(segment + 1, lane) - m_pass.scaled(own, task, length, lane);
        walk({lane, segment, rank, task, head, length, 0});
    }

    // Goes on as long as the path stays on hosted ranks.
    void walk(At at)
    {
        for (bool goesOn = true; goesOn && !m_transport.failed();) goesOn = step(at);
    }

    // Writes the task and moves to what it comes from, if that is hosted here; else the walk goes on elsewhere.
    bool step(At& at)
    {
        const WorkPass::Rank& own = rankOf(at.rank);
        if (at.head == 0) return ended(at, PathEdge::Start, nobody);
        const auto fits = [&](const WorkPass::Slot& slot) {
            return m_pass.valueOf(slot, at.segment, at.lane) == at.head;
        };
        std::vector<WorkPass::Slot> candidates;
        for (const WorkPass::Slot& slot : own.slotsOf(at.task)) {
            if (!fits(slot)) continue;
            if (slot.isMessage) return over(at, slot);
            candidates.push_back(slot);
        }
        if (candidates.size() == 1) return over(at, candidates.front());
        if (!candidates.empty()) return ask(at, std::move(candidates));
        if (at.task == 0) return ended(at, PathEdge::Start, nobody);
        if (own.segmentOf(at.task - 1) != at.segment) return ended(at, PathEdge::Order, at.rank);
        write(at, PathEdge::Order, false);
        --at.task;
        at.length = own.tasks.weight[at.task];
        at.head -= m_pass.scaled(own, at.task, at.length, at.lane);
        ++at.step;
        return true;
    }

    void write(const At& at, PathEdge edge, bool isDoubtful)
    {
        m_visit({at.lane, at.segment, at.step, at.rank, at.task, at.length, edge, isDoubtful});
    }

    // The walk has come to the begin of its segment, which the path enters in `from`'s last task before.
    bool ended(const At& at, PathEdge edge, std::uint32_t from, bool isDoubtful = false)
    {
        write(at, edge, isDoubtful);
        send(0, {.kind = WalkMessage::Ended, .lane = at.lane, .segment = at.segment, .rank = from});
        return false;
    }

    bool over(At& at, const WorkPass::Slot& slot)
    {
        const PathEdge edge = slot.isMessage ? PathEdge::Message : PathEdge::RecordedMerge;
        const bool isDoubtful = slot.isDoubtful();
        if (slot.crosses) return ended(at, edge, slot.rank, isDoubtful);
        write(at, edge, isDoubtful);
        const WalkMessage next{.kind = WalkMessage::GoOn,
                               .lane = at.lane,
                               .segment = at.segment,
                               .rank = slot.rank,
                               .task = slot.source,
                               .number = slot.number,
                               .step = at.step + 1,
                               .time = at.head};
        if (static_cast<int>(slot.process) != m_transport.process()) {
            send(static_cast<int>(slot.process), next);
            return false;
        }
        const std::optional<At> here = placed(next, m_transport.process());
        if (here) at = *here;
        else refuse();
        return here.has_value();
    }

    // Where a walk comes out that follows a need of that process. Nothing if there is no such need.
    std::optional<At> placed(const WalkMessage& from, int process) const
    {
        if (!m_pass.hosting().hosts(m_transport.process(), from.rank) || from.lane >= m_pass.lanes()) return {};
        const WorkPass::Rank& own = rankOf(from.rank);
        if (own.segmentOf(from.task) != from.segment) return {};
        auto reader = std::lower_bound(own.readers.begin(), own.readers.end(), from.task,
                                       [](const WorkPass::Reader& one, std::uint32_t task) {
                                           return one.source < task;
                                       });
        for (; reader != own.readers.end() && reader->source == from.task; ++reader) {
            if (reader->number != from.number || static_cast<int>(reader->process) != process) continue;
            const TimeNs head = from.time - m_pass.scaled(own, from.task, reader->work, from.lane);
            return At{from.lane, from.segment, from.rank, from.task, head, reader->work, from.step};
        }
        return {};
    }

    // Of merges that bring the same the graph takes the one whose source it has first.
    bool ask(const At& at, std::vector<WorkPass::Slot> candidates)
    {
        const std::uint32_t number = m_questions++;
        Question& question = m_asked[number];
        question = {at, std::move(candidates), {}, 0};
        question.missing = question.candidates.size();
        question.begins.resize(question.candidates.size());
        for (std::uint32_t i = 0; i < question.candidates.size(); ++i)
            send(static_cast<int>(question.candidates[i].process), {.kind = WalkMessage::WhenDoes,
                                                                    .rank = question.candidates[i].rank,
                                                                    .task = question.candidates[i].source,
                                                                    .number = number,
                                                                    .candidate = i});
        return false;
    }

    void answer(const WalkMessage& message, int from)
    {
        if (!m_pass.hosting().hosts(m_transport.process(), message.rank)
            || message.task >= rankOf(message.rank).tasks.begin.size())
            return refuse();
        WalkMessage reply = message;
        reply.kind = WalkMessage::Then;
        reply.time = rankOf(message.rank).tasks.begin[message.task];
        reply.place = m_pass.placeOf(message.rank, message.task);
        send(from, reply);
    }

    void hear(const WalkMessage& message)
    {
        const auto found = m_asked.find(message.number);
        if (found == m_asked.end() || message.candidate >= found->second.begins.size()) return refuse();
        found->second.begins[message.candidate] = {message.time, message.place};
        if (--found->second.missing > 0) return;
        Question question = std::move(found->second);
        m_asked.erase(found);
        std::size_t first = 0;
        const auto key = [&](std::size_t i) {
            const WorkPass::Slot& slot = question.candidates[i];
            return std::tuple(question.begins[i].first, question.begins[i].second, slot.rank, slot.source);
        };
        for (std::size_t i = 1; i < question.candidates.size(); ++i)
            if (key(i) < key(first)) first = i;
        if (over(question.at, question.candidates[first])) walk(question.at);
    }

    void send(int to, const WalkMessage& message)
    {
        if (to == m_transport.process()) m_own.push_back(message);
        else appendRecord(m_toSend[static_cast<std::size_t>(to)], message);
    }

    void takeOwn()
    {
        while (!m_own.empty() && !m_transport.failed()) {
            const WalkMessage message = m_own.back();
            m_own.pop_back();
            take(message, m_transport.process());
            m_transport.pulse();
        }
    }

    void flush()
    {
        for (std::size_t to = 0; to < m_toSend.size(); ++to)
            if (!m_toSend[to].empty())
                m_transport.send(static_cast<int>(to), WorkPassNumber::WalkBack,
                                 std::exchange(m_toSend[to], Payload()));
    }

    void takeAll(int from, const Payload& bytes)
    {
        forEachRecord<WalkMessage>(m_transport, bytes, [&](const WalkMessage& message) { take(message, from); });
    }

    void take(const WalkMessage& message, int from)
    {
        switch (message.kind) {
        case WalkMessage::GoOn:
            if (const std::optional<At> here = placed(message, from)) return walk(*here);
            return refuse();
        case WalkMessage::Begin:
            if (!m_pass.hosting().hosts(m_transport.process(), message.rank)) return refuse();
            return beginAtEnd(message.lane, message.segment, message.rank);
        case WalkMessage::WhenDoes: return answer(message, from);
        case WalkMessage::Then: return hear(message);
        case WalkMessage::Ended: return note(message);
        case WalkMessage::Left:
            m_leaving[{message.lane, message.segment}] = message.rank;
            m_wasRight = false;
            return;
        case WalkMessage::Finish: m_isFinished = true; return;
        }
    }

    // Process 0: when all walks have ended, those that began elsewhere than the one behind them came out begin again.
    void note(const WalkMessage& message)
    {
        m_entered[{message.lane, message.segment}] = message.rank;
        if (--m_open > 0) return;
        for (std::uint32_t lane = 0; lane < m_pass.lanes(); ++lane) {
            if (m_ends[lane].rank == nobody) continue;
            for (std::uint32_t& segment = m_compared[lane]; segment > m_starts[lane]; --segment) {
                const std::uint32_t wanted = m_entered[{lane, segment}];
                if (wanted == leaver(lane, segment - 1)) continue;
                if (wanted == nobody) return refuse();
                m_leaving[{lane, segment - 1}] = wanted;
                m_wasRight = false;
                ++m_open;
                return send(host(wanted),
                            {.kind = WalkMessage::Begin, .lane = lane, .segment = segment - 1, .rank = wanted});
            }
        }
        for (int to = 1; to < m_transport.processes(); ++to) {
            if (!m_wasRight)
                for (const auto& [which, rank] : m_leaving)
                    send(to, {.kind = WalkMessage::Left, .lane = which.first, .segment = which.second, .rank = rank});
            send(to, {.kind = WalkMessage::Finish});
        }
        m_isFinished = true;
    }

    void refuse()
    {
        m_transport.fail({.what = tr("A path came to process %1 that cannot be.").arg(m_transport.process()),
                          .where = {},
                          .hint = {}});
    }

    const WorkPass& m_pass;
    Transport& m_transport;
    const VisitTask& m_visit;
    LeavingRanks& m_leaving;
    std::vector<PathEndOfRun> m_ends;     // by lane
    std::vector<std::uint32_t> m_starts;  // likewise, segments
    std::vector<Leaver> m_leavers;        // by segment and lane
    bool m_wasRight = true;
    std::map<std::uint32_t, Question> m_asked;
    std::uint32_t m_questions = 0;
    std::vector<WalkMessage> m_own;
    std::vector<Payload> m_toSend;  // by process
    bool m_isFinished = false;
    // At process 0.
    std::uint64_t m_open = 0;                                                    // walks
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> m_entered;  // by lane and segment: from which rank
    std::vector<std::uint32_t> m_compared;  // by lane: the walks of this segment and of later ones are right
};

}  // namespace

bool walkBack(const WorkPass& pass, LeavingRanks& leaving, const VisitTask& visit)
{
    return Walk(pass, leaving, visit).back();
}

}  // namespace longpole
