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

// Writes down calls that follow each other, and counts them.
class Writing {
public:
    Writing(RankScript& script, PlantedRank& planted) : m_script(script), m_planted(planted) {}

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
    void init()
    {
        begin(MadeCall::Init);
        m_script.meets(0);
        end(initLength);
    }
    // All ranks leave at `time`.
    void finalize(TimeNs time)
    {
        begin(MadeCall::Finalize);
        m_script.meets(0);
        end(time);
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

private:
    RankScript& m_script;
    PlantedRank& m_planted;
    TimeNs m_now = 0;
};

// All ranks begin each step together.
class InSteps : public MadeProgram {
protected:
    using MadeProgram::MadeProgram;

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

    PlantedRank play(std::uint32_t rank, RankScript& script) const override
    {
        PlantedRank planted;
        Writing writing(script, planted);
        writing.init();
        std::int64_t request = 0;
        for (std::uint32_t step = 0; step < m_run.steps && writing.goesOn(); ++step) {
            const TimeNs start = writing.now();
            const std::int64_t first = request;
            writing.compute(before(rank, step));
            for (int side = 0; side < sides; ++side) {
                writing.begin(MadeCall::Irecv);
                script.posts(request++);
                writing.end();
            }
            for (int side = 0; side < sides; ++side) {
                writing.begin(MadeCall::Isend);
                writing.sends(request++, neighbour(rank, side), side);
                writing.end();
            }
            const TimeNs waits = lastSent(rank, step);
            writing.begin(MadeCall::Waitall);
            planted.lateSender += std::max<TimeNs>(0, start + waits - writing.now());
            for (int side = 0; side < sides; ++side)
                script.received(first + side, neighbour(rank, side), opposite(side));
            for (int side = 0; side < sides; ++side) script.sent(first + sides + side);
            writing.end(start + arrival(rank, step));
            writing.compute(after(rank, step));
            TimeNs last = 0;
            for (const std::uint32_t candidate : lastOnes(step))
                last = std::max(last, arrival(candidate, step) + after(candidate, step));
            writing.meet(MadeCall::Allreduce, 0, start + last);
        }
        writing.finalize(writing.now() + callLength);
        return planted;
    }

    TimeNs pathLength() const override
    {
        TimeNs length = 0;
        for (std::uint32_t step = 0; step < m_run.steps; ++step) {
            TimeNs behind = 0;
            for (const std::uint32_t candidate : lastOnes(step)) behind = std::max(behind, after(candidate, step));
            length += before(late(step), step) + behind;
        }
        return length;
    }

private:
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

    PlantedRank play(std::uint32_t rank, RankScript& script) const override
    {
        PlantedRank planted;
        Writing writing(script, planted);
        writing.init();
        const std::uint32_t row = rank / m_grid.width;
        for (std::uint32_t step = 0; step < m_run.steps && writing.goesOn(); ++step) {
            const TimeNs start = writing.now();
            writing.compute(before(rank, step));
            writing.meet(MadeCall::Allreduce, 1 + row, start + lastOf(row, step));
            writing.compute(after(rank, step));
            const std::uint32_t slow = late(step) / m_grid.width;
            writing.meet(MadeCall::Allreduce, 0, start + lastOf(slow, step) + callLength + longestAfter(slow, step));
        }
        writing.finalize(writing.now() + callLength);
        return planted;
    }

    TimeNs pathLength() const override
    {
        TimeNs length = 0;
        for (std::uint32_t step = 0; step < m_run.steps; ++step)
            length += before(late(step), step) + longestAfter(late(step) / m_grid.width, step);
        return length;
    }

private:
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

    PlantedRank play(std::uint32_t rank, RankScript& script) const override
    {
        PlantedRank planted;
        Writing writing(script, planted);
        writing.init();
        for (std::uint32_t step = 0; step < m_run.steps && writing.goesOn(); ++step) {
            const TimeNs start = writing.now();
            writing.compute(before(rank, step));
            writing.meet(MadeCall::Alltoall, 0, start + before(late(step), step));
        }
        writing.finalize(writing.now() + callLength);
        return planted;
    }

    TimeNs pathLength() const override
    {
        TimeNs length = 0;
        for (std::uint32_t step = 0; step < m_run.steps; ++step) length += before(late(step), step);
        return length;
    }
};

// Rank (column, row) does plane k in slot column + row + k. What comes from outside of the grid comes from nobody, in
// calls like the others.
class Wavefront final : public MadeProgram {
public:
    using MadeProgram::MadeProgram;

    PlantedRank play(std::uint32_t rank, RankScript& script) const override
    {
        PlantedRank planted;
        Writing writing(script, planted);
        writing.init();
        const std::uint32_t column = rank % m_grid.width;
        const std::uint32_t row = rank / m_grid.width;
        for (std::uint32_t plane = 0; plane < m_run.steps && writing.goesOn(); ++plane) {
            const TimeNs slot = beginning() + TimeNs{column + row + plane} * slotLength;
            const auto take = [&](bool comes, std::uint32_t from, std::int32_t tag, TimeNs sent, TimeNs until) {
                writing.begin(MadeCall::Recv);
                if (comes) script.received(blocking, from, tag);
                if (comes) planted.lateSender += std::max<TimeNs>(0, sent - writing.now());
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
        writing.finalize(beginning() + TimeNs{slots()} * slotLength + callLength);
        return planted;
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
        PlantedRank planted;
        Writing writing(script, planted);
        writing.init();
        if (rank == 0) master(writing, script, planted);
        else worker(rank, writing, script, planted);
        writing.finalize(slot(std::uint64_t{m_others} * m_run.steps) + 2 * latency);
        return planted;
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

    void master(Writing& writing, RankScript& script, PlantedRank& planted) const
    {
        planted.lateSender += jobLength();
        for (std::uint64_t job = 0; job < std::uint64_t{m_others} * m_run.steps && writing.goesOn(); ++job) {
            const auto from = static_cast<std::uint32_t>(1 + job % m_others);
            writing.begin(MadeCall::Recv);
            script.received(blocking, from, 0);
            writing.end(slot(job) + callLength);
            writing.compute(handling);
            writing.begin(MadeCall::Send);
            writing.sends(blocking, from, 1);
            writing.end();
        }
    }

    void worker(std::uint32_t rank, Writing& writing, RankScript& script, PlantedRank& planted) const
    {
        for (std::uint32_t step = 0; step < m_run.steps && writing.goesOn(); ++step) {
            writing.compute(jobLength());
            writing.begin(MadeCall::Send);
            writing.sends(blocking, 0, 0);
            writing.end();
            const TimeNs answered = slot(std::uint64_t{m_others} * step + rank - 1) + callLength + handling;
            writing.begin(MadeCall::Recv);
            script.received(blocking, 0, 1);
            planted.lateSender += std::max<TimeNs>(0, answered - writing.now());
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
