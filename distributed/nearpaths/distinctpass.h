// SPDX-License-Identifier: GPL-3.0-or-later
// How much of the longest path through each hosted task lies on tasks that no path taken before has: what is before the
// task in values that run forward, what is behind in values that run back, in all segments at once.
#pragma once

#include "distributed/nearpaths/nearlinks.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

class DistinctPass {
public:
    using Target = NearLinks::Target;

    // A place on paths at a cut: they leave a segment in the last task of a rank, or enter it in a task.
    struct Crossing {
        std::uint32_t segment = 0;
        Target at{};  // of those that leave: without a task
        friend auto operator<=>(const Crossing&, const Crossing&) = default;
    };
    // The crossings of a path, from the segment that it is asked for in.
    struct Ways {
        std::vector<Crossing> back, on;
    };

    // `links`: found, and outlive this.
    explicit DistinctPass(const NearLinks& links);

    // `taken`: by hosted rank and task. All processes call it, as often as they like.
    void run(const std::vector<std::vector<bool>>& taken);

    // Of a hosted task, after run().
    TimeNs distinct(std::uint32_t rank, std::uint32_t task, std::uint32_t segment) const;
    Target entry(std::uint32_t rank, std::uint32_t task) const { return m_back[rank].endOf(task); }
    Target exit(std::uint32_t rank, std::uint32_t task) const { return m_on[rank].endOf(task); }
    // On all processes: where paths cross that come into a segment so, and leave it so.
    Ways ways(std::uint32_t segment, Target entry, Target exit) const;

private:
    // Of one way, by hosted task: the time of its own up to where the way leaves the segment, and where that is.
    struct Way {
        std::vector<TimeNs> time;
        std::vector<Target> end;  // empty of a run of one segment, which no way leaves

        Target endOf(std::size_t task) const { return end.empty() ? Target{} : end[task]; }
        void set(std::size_t task, TimeNs itsTime, Target itsEnd)
        {
            time[task] = itsTime;
            if (!end.empty()) end[task] = itsEnd;
        }
    };
    struct Told {
        std::uint32_t number = 0;
        TimeNs time = 0;
        std::uint32_t rank = WorkPass::noPlace, task = WorkPass::noPlace;
    };
    struct Known {                 // by number
        std::vector<TimeNs> time;  // -1: has yet to come
        std::vector<Target> end;   // as of a way
    };
    // Of a crossing the time from there on and where it goes next; later all of the time.
    struct Sum {
        TimeNs time = -1;
        Target end{};
    };

    void begin(bool isBack);
    void runWay(bool isBack);
    void runAll(bool isBack);
    void forward(std::size_t number);
    void backward(std::size_t number);
    void give(std::uint32_t process, std::uint32_t number, TimeNs time, Target end, bool isBack);
    bool got(int from, std::uint32_t number, TimeNs time, Target end, bool isBack);
    void take(int from, const Payload& bytes, bool isBack);
    TimeNs ofItsOwn(std::uint32_t rank, std::uint32_t task, TimeNs length) const
    {
        return (*m_taken)[rank][task] ? 0 : length;
    }
    std::vector<Crossing> crossings(bool isBack);
    std::optional<Sum> ownSum(const Crossing& crossing, bool isBack) const;
    void addUp();
    static const Sum* sumOf(const std::vector<Crossing>& crossings, const std::vector<Sum>& sums,
                            const Crossing& wanted);
    TimeNs totalOf(std::uint32_t segment, Target end, bool isBack) const;

    const NearLinks& m_links;
    const WorkPass& m_pass;
    Transport& m_transport;
    const std::vector<std::vector<bool>>* m_taken = nullptr;
    std::vector<Way> m_back, m_on;                // by hosted rank
    std::vector<Known> m_known;                   // of one way: by process
    std::vector<std::vector<Told>> m_told;        // by process: to be sent
    std::vector<std::size_t> m_position, m_next;  // by strand: the task that is next, and its first reader or slot
    std::vector<std::size_t> m_runnable;
    std::uint64_t m_left = 0;
    bool m_isCrossed = false;                     // crossings are known
    std::vector<Crossing> m_leaving, m_entering;  // of all processes, in order
    std::vector<Sum> m_leavingSums, m_enteringSums;
};

}  // namespace longpole
