// SPDX-License-Identifier: GPL-3.0-or-later
// Made MPI programs: what each rank does follows from closed forms, so that its events can be made without those of any
// other rank, and what an analysis has to find is known without one.
#pragma once

#include "core/base/timerange.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace longpole {

enum class MadePattern : std::uint8_t {
    Halo2d,     // neighbours of a grid exchange halos, then all meet: Isend, Irecv, Waitall, Allreduce
    Rows,       // each row of the grid meets, then all do: two communicators, as of conjugate gradients
    Transpose,  // all exchange with all: Alltoall, as of a Fourier transform
    Wavefront,  // diagonals of a grid follow each other, as of LU: one segment, whose path runs through all of it
    Master,     // rank 0 deals out jobs: one segment, whose path stays with it
};

struct SimulatedRun {
    MadePattern pattern = MadePattern::Halo2d;
    std::uint32_t ranks = 4;
    std::uint32_t steps = 10;  // at least 1
    std::uint64_t seed = 1;    // of the imbalance, and of which rank is late in which step
};

// The least number of ranks of a pattern.
std::uint32_t leastRanks(MadePattern pattern);

// Names on the command line.
const char* name(MadePattern pattern);
std::optional<MadePattern> madePattern(std::string_view text);
std::span<const MadePattern> allMadePatterns();

// Numbers of the functions that made programs call.
enum class MadeCall : std::uint8_t { Init, Finalize, Isend, Irecv, Waitall, Send, Recv, Allreduce, Alltoall, Count };
const char* name(MadeCall call);

// Communicators: 0 is of all ranks, then one for each row of the grid.
struct MadeGrid {
    std::uint32_t width = 1;  // ranks of a row
    std::uint32_t height = 1;
};
// The grid of so many ranks, as square as their number allows.
MadeGrid gridOf(std::uint32_t ranks);

// What a rank does, call by call. Times are those of the run's clock.
class RankScript {
public:
    virtual ~RankScript() = default;
    virtual bool goesOn() const { return true; }  // false: nobody wants the rest
    virtual void begin(MadeCall call, TimeNs time) = 0;
    virtual void end(TimeNs time) = 0;
    // Inside a call; the request of what it starts, or of what it completes; `blocking` without one.
    virtual void sends(std::int64_t request, std::uint32_t to, std::int32_t tag) = 0;
    virtual void posts(std::int64_t request) = 0;
    virtual void received(std::int64_t request, std::uint32_t from, std::int32_t tag) = 0;
    virtual void sent(std::int64_t request) = 0;
    virtual void meets(std::uint32_t communicator) = 0;
};

// What has to be found of a rank, or added up over ranks.
struct PlantedRank {
    std::int64_t calls = 0;
    std::int64_t messages = 0;
    TimeNs lateSender = 0;  // waited for messages that were not sent yet
    TimeNs notYetAll = 0;   // waited in calls in which all members meet
    friend bool operator==(const PlantedRank&, const PlantedRank&) = default;
    PlantedRank& operator+=(const PlantedRank& other)
    {
        calls += other.calls;
        messages += other.messages;
        lateSender += other.lateSender;
        notYetAll += other.notYetAll;
        return *this;
    }
};

class MadeProgram {
public:
    static std::unique_ptr<MadeProgram> of(const SimulatedRun& run);  // at least leastRanks()
    explicit MadeProgram(const SimulatedRun& run) : m_run(run), m_grid(gridOf(run.ranks)) {}
    virtual ~MadeProgram() = default;

    // Writes down all calls of a rank and returns what it waited. O(its calls), and what the closed forms take.
    virtual PlantedRank play(std::uint32_t rank, RankScript& script) const = 0;
    // The length of the work path.
    virtual TimeNs pathLength() const = 0;
    virtual std::int64_t messageBytes() const { return 8192; }

    // When MPI_Init ends, which is the begin of the run.
    static TimeNs beginning();

protected:
    const SimulatedRun m_run;
    const MadeGrid m_grid;
};

}  // namespace longpole
