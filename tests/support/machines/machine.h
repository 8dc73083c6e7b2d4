// SPDX-License-Identifier: GPL-3.0-or-later
// A small message-driven machine: programs of entry methods with state, counters and reductions run on processors with
// queues, as under Charm++, and leave what a log would tell of them, without receive times. The same program can run
// again with other priorities, so that predictions can be compared with what really happens.
#pragma once

#include "analysis/graph/activitygraph.h"
#include "analysis/graph/taskobjects.h"
#include "analysis/replay/forwarding.h"
#include "core/trace/trace.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

namespace longpole {

// Times in microseconds.
struct MachineOptions {
    std::uint32_t processors = 6;
    std::uint64_t seed = 1;
    double latency = 10;      // of a message to another processor
    double latencyNoise = 5;  // the mean of an exponential addition to it
    double perKilobyte = 0;
    double wake = 10;                           // the mean time until an idle processor looks for messages; even
    double overhead = 1;                        // the scheduler's time between two tasks
    double workNoise = 0.02;                    // each piece of work takes up to this share more; even
    double workExtra = 0;                       // each piece of work takes so much more, as with a timer
    std::map<std::uint32_t, int> priorities{};  // by entry method; smaller ones run first
    std::set<std::uint32_t> expedited{};        // entry methods that handle messages before those that are queued
    bool isLifo = false;
    bool isShuffled = false;                // every message has a priority of its own, by chance
    std::set<std::uint32_t> newestFirst{};  // entry methods whose messages go before all that waits at their priority
    std::set<std::uint32_t> shuffled{};     // entry methods whose messages have priorities of their own, by chance
    bool forwardsBroadcasts = false;        // those to groups wait in the sender's queue before they are handed on
    bool roundsTimes = true;                // to whole microseconds, as logs do
};

// What a run leaves behind.
struct MachineRun {
    struct Forward {
        TaskId sender{};
        TimeNs sent = 0, forwarded = 0;
        std::uint32_t number = 0, pe = 0, entry = 0;
        std::vector<TaskId> targets{};
    };
    std::vector<RawTask> tasks;
    TimeRange range;
    std::uint32_t processors = 0;
    std::vector<Entry> entries;
    std::vector<Chare> chares;
    std::vector<std::pair<TaskId, std::uint32_t>> objects;  // of tasks that are not the run-time system's
    std::vector<TaskId> senders;
    std::vector<std::pair<TaskId, std::uint32_t>> numbers;  // which message each task had
    std::vector<std::uint8_t> isGroupBroadcast;             // by entry
    std::vector<Forward> forwards;                          // broadcasts that waited to be handed on

    TimeNs duration() const { return range.length(); }
    std::shared_ptr<const ActivityGraph> graph() const { return makeActivityGraph(tasks, range, processors); }
    TaskObjects taskObjects(const ActivityGraph& graph) const;
    std::vector<std::uint32_t> messageNumbers(const ActivityGraph& graph) const;  // per graph task
    std::vector<ForwardedBroadcast> forwarded(const ActivityGraph& graph) const;  // by sender and offset
    EntryId entry(const char* name) const;
};

class Machine {
public:
    class Call;
    using Arguments = std::array<int, 4>;
    using Handler = std::function<void(Call&)>;

    explicit Machine(const MachineOptions& options);

    // A chare with `elements` objects, on processors mapped(element); a group has one on each.
    std::uint32_t chare(const char* name, std::uint32_t elements,
                        const std::function<std::uint32_t(std::uint32_t)>& mapped);
    std::uint32_t group(const char* name);
    std::uint32_t entry(std::uint32_t chare, const char* name, Handler handler);
    std::uint32_t entryCalled(const char* name) const;
    void setPriority(const char* entry, int priority) { m_options.priorities[entryCalled(entry)] = priority; }
    void setExpedited(const char* entry) { m_options.expedited.insert(entryCalled(entry)); }
    void setNewestFirst(const char* entry) { m_options.newestFirst.insert(entryCalled(entry)); }
    void setShuffled(const char* entry) { m_options.shuffled.insert(entryCalled(entry)); }
    std::uint32_t processors() const { return m_options.processors; }

    // Sends a message to element 0 of this entry's chare and runs until nothing is left to do.
    MachineRun run(std::uint32_t startEntry);

private:
    struct Message {
        std::uint32_t entry = 0;
        std::uint32_t element = 0;
        Arguments arguments{};
        std::int64_t task = -1;  // the task that sent it
        double sent = 0;
        bool isExpedited = false;
        std::uint64_t number = 0;
        std::size_t forward = notForwarded;  // of m_forwards, which handed it on
        bool waitsToBeForwarded = false;
    };
    static constexpr std::size_t notForwarded = static_cast<std::size_t>(-1);
    struct Forward {
        std::int64_t sender;
        double sent, forwarded;
        std::uint32_t number, pe, entry;
        std::vector<std::int64_t> targets{};
    };
    struct Arriving {
        double time;
        std::uint64_t number;
        Message message;
        bool operator<(const Arriving& other) const
        {
            return std::tie(time, number) > std::tie(other.time, other.number);
        }
    };
    struct Queued {
        int priority;
        std::int64_t order;
        Message message;
        bool operator<(const Queued& other) const
        {
            return std::tie(priority, order) > std::tie(other.priority, other.order);
        }
    };
    struct ChareRow {
        const char* name;
        std::vector<std::uint32_t> pe;  // by element
        bool isGroup = false;
        std::vector<std::uint32_t> elementsOn;  // by PE
        std::uint32_t firstObject = 0;
    };
    struct EntryRow {
        const char* name;
        std::uint32_t chare;
        Handler handler;
        bool isSystem = false;
        bool isBroadcast = false;
        bool isSent = false;
    };
    struct Reduction {
        std::uint32_t contributed = 0;
        std::uint32_t children = 0;
    };
    struct Done {
        RawTask raw;
        std::uint32_t object = noObject;
        std::uint32_t entry = 0;
        double begin = 0;
        std::uint32_t number = 0;
        bool sends = false;
    };

    friend class Call;
    void send(Call& call, std::uint32_t entry, std::uint32_t element, const Arguments& arguments, double bytes,
              bool isExpedited);
    void contribute(Call& call, std::uint32_t chare, std::uint32_t callback, int number);
    void contributed(Call& call, std::uint32_t chare, std::uint32_t callback, int number);
    std::uint32_t managerEntry(std::uint32_t chare, std::uint32_t callback);
    void act(std::uint32_t pe);
    void enqueue(std::uint32_t pe, const Message& message);
    void forward(std::uint32_t pe, const Message& message, double now);
    double latencyOf(double bytes);
    void execute(std::uint32_t pe, const Message& message, double begin, bool isAfterIdle);
    double random(double below) { return std::uniform_real_distribution<double>(0, below)(m_random); }
    MachineRun finish();

    MachineOptions m_options;
    std::mt19937_64 m_random;
    std::vector<ChareRow> m_chares;
    std::vector<EntryRow> m_entries;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
        m_managers;  // chare, callback -> RecvMsg-like entry
    std::uint32_t m_managerChare = 0;
    std::map<std::tuple<std::uint32_t, std::uint32_t, int>, Reduction> m_reductions;  // chare, PE, number
    struct Pe {
        double free = 0;
        std::vector<Arriving> inbox;  // heaps
        std::vector<Queued> queue;
        bool isIdle = true;
        double wakes = 0;
        std::int64_t last = -1;  // task
    };
    std::vector<Pe> m_pes;
    std::vector<Done> m_done;
    std::vector<Forward> m_forwards;
    std::vector<std::uint32_t> m_count;
    std::uint64_t m_number = 0;
    std::int64_t m_order = 0;
    std::uint32_t m_objects = 0;
};

// What an entry method does while it runs.
class Machine::Call {
public:
    std::uint32_t pe() const { return m_pe; }
    std::uint32_t processors() const { return m_machine.m_options.processors; }
    std::uint32_t element() const { return m_message.element; }
    int argument(std::size_t i) const { return m_message.arguments[i]; }

    void work(double microseconds);
    void send(std::uint32_t entry, std::uint32_t element, Arguments arguments = {}, double bytes = 100)
    {
        m_machine.send(*this, entry, element, arguments, bytes, false);
    }
    // Sends to all elements; those of a group handle it before messages that are queued.
    void broadcast(std::uint32_t entry, Arguments arguments = {});
    // Contributes to the reduction with that number over this chare, whose result goes to element 0 of the callback's
    // chare.
    void contribute(std::uint32_t callback, int number);
    double random(double below) { return m_machine.random(below); }

private:
    friend class Machine;
    Call(Machine& machine, const Message& message, std::uint32_t pe, double begin, std::int64_t task)
        : m_machine(machine), m_message(message), m_pe(pe), m_now(begin), m_task(task)
    {
    }
    Machine& m_machine;
    const Message& m_message;
    std::uint32_t m_pe;
    double m_now;
    std::int64_t m_task;
    bool m_sends = false;
};

}  // namespace longpole
