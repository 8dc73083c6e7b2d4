// SPDX-License-Identifier: GPL-3.0-or-later
// The programs. In those whose ranks meet in each step one rank is late by more than all others differ, so that who
// comes last is known: it, or one that waits for it.
#include "distributed/simulation/madeprogram.h"

#include "importers/mpi/source.h"

#include <algorithm>
#include <array>
#include <vector>

namespace longpole {
namespace {

constexpr TimeNs initLength = 1'000'000;
constexpr TimeNs callLength = 400;  // of a call that waits for nobody
constexpr TimeNs latency = 2'000;   // from the begin of a send until its message is there
constexpr TimeNs work = 40'000;     // of a rank in a step
constexpr TimeNs imbalance = 8'000;
constexpr TimeNs lateness = 40'000;  // of the rank that is late
constexpr TimeNs afterwards = 10'000;
constexpr TimeNs afterwardsImbalance = 4'000;

// Scatters numbers evenly (Steele, Lea and Flood 2014, SplitMix).
std::uint64_t scattered(std::uint64_t number)
{
    number += 0x9e3779b97f4a7c15u;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
    number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
    return number ^ (number >> 31);
}

std::uint64_t drawn(std::uint64_t seed, std::uint64_t a, std::uint64_t b, std::uint64_t below)
{
    return scattered(scattered(scattered(seed) + a) + b) % below;
}

// Writes down a rank's calls, which follow each other from MPI_Init to MPI_Finalize, and adds up what has to be found.
class Writing {
public:
    explicit Writing(RankScript& script) : m_script(script)
    {
        begin(MadeCall::Init);
        m_script.meets(0);
        end(initLength);
    }

    bool goesOn() const { return m_script.goesOn(); }
    TimeNs now() const { return m_now; }
    void compute(TimeNs time) { m_now += time; }
    void begin(MadeCall call)
    {
        ++m_planted.calls;
        m_script.begin(call, m_now);
    }
    void end(TimeNs time) { m_script.end(m_now = time); }
    void end() { end(m_now + callLength); }
    // All ranks leave at `time`. Returns what has to be found of this one.
    PlantedRank finalize(TimeNs time)
    {
        begin(MadeCall::Finalize);
        m_script.meets(0);
        end(time);
        return m_planted;
    }
    // A call in which all members meet, of whom the last comes at `last`.
    void meet(MadeCall call, std::uint32_t communicator, TimeNs last)
    {
        begin(call);
        m_script.meets(communicator);
        m_planted.notYetAll += last - m_now;
        end(last + callLength);
    }
    void sends(std::int64_t request, std::uint32_t to, std::int32_t tag)
    {
        ++m_planted.messages;
        m_script.sends(request, to, tag);
    }
    void posts(std::int64_t request) { m_script.posts(request); }
    void received(std::int64_t request, std::uint32_t from, std::int32_t tag) { m_script.received(request, from, tag); }
    void sent(std::int64_t request) { m_script.sent(request); }
    // The call that has begun receives what is sent at `sent`.
    void waitsForSend(TimeNs sent) { m_planted.lateSender += std::max<TimeNs>(0, sent - m_now); }

private:
    RankScript& m_script;
    PlantedRank m_planted;
    TimeNs m_now = 0;
};

// All ranks begin each step together, with work of which one has more than all others.
class InSteps : public MadeProgram {
public:
    using MadeProgram::MadeProgram;

    PlantedRank play(std::uint32_t rank, RankScript& script) const final
    {
        Writing writing(script);
        for (std::uint32_t step = 0; step < m_run.steps && writing.goesOn(); ++step) {
            const TimeNs start = writing.now();
            writing.compute(before(rank, step));
            meet(rank, step, start, writing);
        }
        return writing.finalize(writing.now() + callLength);
    }
    TimeNs pathLength() const final
    {
        TimeNs length = 0;
        for (std::uint32_t step = 0; step < m_run.steps; ++step) length += pathThrough(step);
        return length;
    }

protected:
    // What a rank does behind its work, until all ranks have met; the step began at `start`.
    virtual void meet(std::uint32_t rank, std::uint32_t step, TimeNs start, Writing& writing) const = 0;
    // The part of the work path in a step.
    virtual TimeNs pathThrough(std::uint32_t step) const = 0;

    std::uint32_t late(std::uint32_t step) const
    {
        return static_cast<std::uint32_t>(drawn(m_run.seed, 1, step, m_run.ranks));
    }
    TimeNs before(std::uint32_t rank, std::uint32_t step) const
    {
        const auto more = static_cast<TimeNs>(drawn(m_run.seed, 2 + (std::uint64_t{step} << 32), rank, imbalance));
        return work + more + (rank == late(step) ? lateness : 0);
    }
    TimeNs after(std::uint32_t rank, std::uint32_t step) const
    {
        return afterwards
               + static_cast<TimeNs>(drawn(m_run.seed, 3 + (std::uint64_t{step} << 32), rank, afterwardsImbalance));
    }
};

class Halo2d final : public InSteps {
public:
    using InSteps::InSteps;

private:
    void meet(std::uint32_t rank, std::uint32_t step, TimeNs start, Writing& writing) const override
    {
        const std::int64_t received = std::int64_t{step} * 2 * sides;
        const std::int64_t sent = received + sides;
        for (int side = 0; side < sides; ++side) {
            writing.begin(MadeCall::Irecv);
            writing.posts(received + side);
            writing.end();
        }
        for (int side = 0; side < sides; ++side) {
            writing.begin(MadeCall::Isend);
            writing.sends(sent + side, neighbour(rank, side), side);
            writing.end();
        }
        writing.begin(MadeCall::Waitall);
        writing.waitsForSend(start + lastSent(rank, step));
        for (int side = 0; side < sides; ++side)
            writing.received(received + side, neighbour(rank, side), opposite(side));
        for (int side = 0; side < sides; ++side) writing.sent(sent + side);
        writing.end(start + arrival(rank, step));
        writing.compute(after(rank, step));
        TimeNs last = 0;
        for (const std::uint32_t candidate : lastOnes(step))
            last = std::max(last, arrival(candidate, step) + after(candidate, step));
        writing.meet(MadeCall::Allreduce, 0, start + last);
    }
    TimeNs pathThrough(std::uint32_t step) const override
    {
        TimeNs behind = 0;
        for (const std::uint32_t candidate : lastOnes(step)) behind = std::max(behind, after(candidate, step));
        return before(late(step), step) + behind;
    }

    static constexpr int sides = 4;
    static int opposite(int side) { return side ^ 1; }
    std::uint32_t neighbour(std::uint32_t rank, int side) const
    {
        const std::uint32_t away = side < 2 ? 1 : m_grid.width;
        return side % 2 == 0 ? (rank + away) % m_run.ranks : (rank + m_run.ranks - away % m_run.ranks) % m_run.ranks;
    }
    // The late rank and its neighbours.
    std::array<std::uint32_t, 1 + sides> lastOnes(std::uint32_t step) const
    {
        const std::uint32_t rank = late(step);
        return {rank, neighbour(rank, 0), neighbour(rank, 1), neighbour(rank, 2), neighbour(rank, 3)};
    }
    // From the begin of the step: when the last of a rank's messages was sent, and when its Waitall ends.
    TimeNs lastSent(std::uint32_t rank, std::uint32_t step) const
    {
        TimeNs last = 0;
        for (int side = 0; side < sides; ++side)
            last = std::max(last, before(neighbour(rank, side), step) + (sides + opposite(side)) * callLength);
        return last;
    }
    TimeNs arrival(std::uint32_t rank, std::uint32_t step) const
    {
        return std::max(before(rank, step) + 2 * TimeNs{sides} * callLength, lastSent(rank, step) + latency)
               + callLength;
    }
};

class Rows final : public InSteps {
public:
    using InSteps::InSteps;

private:
    void meet(std::uint32_t rank, std::uint32_t step, TimeNs start, Writing& writing) const override
    {
        const std::uint32_t row = rank / m_grid.width;
        writing.meet(MadeCall::Allreduce, 1 + row, start + lastOf(row, step));
        writing.compute(after(rank, step));
        const std::uint32_t slow = late(step) / m_grid.width;
        writing.meet(MadeCall::Allreduce, 0, start + lastOf(slow, step) + callLength + longestAfter(slow, step));
    }
    TimeNs pathThrough(std::uint32_t step) const override
    {
        return before(late(step), step) + longestAfter(late(step) / m_grid.width, step);
    }

    template <typename Time>
    TimeNs most(std::uint32_t row, Time time) const
    {
        TimeNs most = 0;
        for (std::uint32_t rank = row * m_grid.width; rank < (row + 1) * m_grid.width; ++rank)
            most = std::max(most, time(rank));
        return most;
    }
    TimeNs lastOf(std::uint32_t row, std::uint32_t step) const
    {
        return most(row, [&](std::uint32_t rank) { return before(rank, step); });
    }
    TimeNs longestAfter(std::uint32_t row, std::uint32_t step) const
    {
        return most(row, [&](std::uint32_t rank) { return after(rank, step); });
    }
};

class Transpose final : public InSteps {
public:
    using InSteps::InSteps;

private:
    void meet(std::uint32_t, std::uint32_t step, TimeNs start, Writing& writing) const override
    {
        writing.meet(MadeCall::Alltoall, 0, start + before(late(step), step));
    }
    TimeNs pathThrough(std::uint32_t step) const override { return before(late(step), step); }
};

// Rank (column, row) does plane k in slot column + row + k. What comes from outside of the grid comes from nobody, in
// calls like the others.
class Wavefront final : public MadeProgram {
public:
    using MadeProgram::MadeProgram;

    PlantedRank play(std::uint32_t rank, RankScript& script) const override
    {
        Writing writing(script);
        const std::uint32_t column = rank % m_grid.width;
        const std::uint32_t row = rank / m_grid.width;
        for (std::uint32_t plane = 0; plane < m_run.steps && writing.goesOn(); ++plane) {
            const TimeNs slot = beginning() + TimeNs{column + row + plane} * slotLength;
            const auto take = [&](bool comes, std::uint32_t from, std::int32_t tag, TimeNs sent, TimeNs until) {
                writing.begin(MadeCall::Recv);
                if (comes) writing.received(blocking, from, tag);
                if (comes) writing.waitsForSend(sent);
                // Who waits for nobody does not wait; behind the first plane calls just fill the slot.
                writing.end(comes || plane > 0 ? until : std::min(until, writing.now() + callLength));
            };
            const TimeNs sent = slot - latency - 2 * callLength;
            take(column > 0, rank - 1, 0, sent, slot + callLength);
            take(row > 0, rank - m_grid.width, 1, sent + callLength, slot + 2 * callLength);
            writing.compute(work);
            const auto give = [&](bool goes, std::uint32_t to, std::int32_t tag) {
                writing.begin(MadeCall::Send);
                if (goes) writing.sends(blocking, to, tag);
                writing.end();
            };
            give(column + 1 < m_grid.width, rank + 1, 0);
            give(row + 1 < m_grid.height, rank + m_grid.width, 1);
        }
        return writing.finalize(beginning() + TimeNs{slots()} * slotLength + callLength);
    }

    TimeNs pathLength() const override { return TimeNs{slots()} * work; }

private:
    static constexpr TimeNs slotLength = work + 4 * callLength + latency;
    std::uint32_t slots() const { return m_grid.width + m_grid.height - 2 + m_run.steps; }
};

// Rank 0 handles one job after the other, of ranks 1, 2, ... in turn; a rank's next result is there long before its
// turn.
class Master final : public MadeProgram {
public:
    explicit Master(const SimulatedRun& run) : MadeProgram(run), m_others(run.ranks - 1) {}

    PlantedRank play(std::uint32_t rank, RankScript& script) const override
    {
        Writing writing(script);
        if (rank == 0) master(writing);
        else worker(rank, writing);
        return writing.finalize(slot(std::uint64_t{m_others} * m_run.steps) + 2 * latency);
    }

    TimeNs pathLength() const override { return jobLength() + TimeNs{m_others} * m_run.steps * handling; }

private:
    static constexpr TimeNs handling = 5'000;
    static constexpr TimeNs slotLength = handling + 2 * callLength;
    TimeNs jobLength() const { return TimeNs{m_others - 1} * slotLength / 2; }
    // When the master has the result of a job.
    TimeNs slot(std::uint64_t job) const
    {
        return beginning() + jobLength() + latency + static_cast<TimeNs>(job) * slotLength;
    }

    void master(Writing& writing) const
    {
        writing.waitsForSend(writing.now() + jobLength());
        for (std::uint64_t job = 0; job < std::uint64_t{m_others} * m_run.steps && writing.goesOn(); ++job) {
            const auto from = static_cast<std::uint32_t>(1 + job % m_others);
            writing.begin(MadeCall::Recv);
            writing.received(blocking, from, 0);
            writing.end(slot(job) + callLength);
            writing.compute(handling);
            writing.begin(MadeCall::Send);
            writing.sends(blocking, from, 1);
            writing.end();
        }
    }

    void worker(std::uint32_t rank, Writing& writing) const
    {
        for (std::uint32_t step = 0; step < m_run.steps && writing.goesOn(); ++step) {
            writing.compute(jobLength());
            writing.begin(MadeCall::Send);
            writing.sends(blocking, 0, 0);
            writing.end();
            const TimeNs answered = slot(std::uint64_t{m_others} * step + rank - 1) + callLength + handling;
            writing.begin(MadeCall::Recv);
            writing.received(blocking, 0, 1);
            writing.waitsForSend(answered);
            writing.end(answered + latency + callLength);
        }
    }

    const std::uint32_t m_others;
};

constexpr MadePattern patterns[] = {MadePattern::Halo2d, MadePattern::Rows, MadePattern::Transpose,
                                    MadePattern::Wavefront, MadePattern::Master};

}  // namespace

TimeNs MadeProgram::beginning() { return initLength; }

std::unique_ptr<MadeProgram> MadeProgram::of(const SimulatedRun& run)
{
    switch (run.pattern) {
    case MadePattern::Halo2d: return std::make_unique<Halo2d>(run);
    case MadePattern::Rows: return std::make_unique<Rows>(run);
    case MadePattern::Transpose: return std::make_unique<Transpose>(run);
    case MadePattern::Wavefront: return std::make_unique<Wavefront>(run);
    case MadePattern::Master: return std::make_unique<Master>(run);
    }
    return {};
}

std::uint32_t leastRanks(MadePattern pattern) { return pattern == MadePattern::Master ? 4 : 2; }

const char* name(MadePattern pattern)
{
    switch (pattern) {
    case MadePattern::Halo2d: return "halo2d";
    case MadePattern::Rows: return "cg";
    case MadePattern::Transpose: return "fft";
    case MadePattern::Wavefront: return "wavefront";
    case MadePattern::Master: return "master";
    }
    return "";
}

std::optional<MadePattern> madePattern(std::string_view text)
{
    for (const MadePattern pattern : patterns)
        if (text == name(pattern)) return pattern;
    return std::nullopt;
}

std::span<const MadePattern> allMadePatterns() { return patterns; }

const char* name(MadeCall call)
{
    constexpr const char* names[] = {"MPI_Init", "MPI_Finalize", "MPI_Isend",     "MPI_Irecv",   "MPI_Waitall",
                                     "MPI_Send", "MPI_Recv",     "MPI_Allreduce", "MPI_Alltoall"};
    static_assert(std::size(names) == static_cast<std::size_t>(MadeCall::Count));
    return names[static_cast<std::size_t>(call)];
}

MadeGrid gridOf(std::uint32_t ranks)
{
    MadeGrid grid{1, ranks};
    for (std::uint32_t width = 1; std::uint64_t{width} * width <= ranks; ++width)
        if (ranks % width == 0) grid = {width, ranks / width};
    return grid;
}

}  // namespace longpole
