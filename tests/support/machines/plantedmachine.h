// SPDX-License-Identifier: GPL-3.0-or-later
// A small message-driven machine: programs of entry methods run on it, with a queue on every PE, latencies, overhead
// and idling, and leave Projections logs as Charm++ would.
#pragma once

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <vector>

namespace longpole {

// Times are microseconds, as in the logs.
struct MachineShape {
    std::uint32_t pes = 8;
    std::uint32_t pesPerNode = 0;     // 0: all PEs on one node
    std::int64_t latency = 4;         // between PEs of a node
    std::int64_t networkLatency = 4;  // between nodes
    std::int64_t bytesPerMicrosecond = 10'000;
    std::int64_t overhead = 1;    // of the scheduler, before each task
    bool hasReceiveTimes = true;  // false: as today's Charm++, which writes none
    bool hasCpuTimes = false;     // false: CPU times are written, but stand still
    std::int64_t cpuTick = 1;     // the CPU clock shows whole ones of these only
    std::int64_t startUp = 0;     // overhead of every PE before its second task
    std::uint64_t seed = 1;
};

class PlantedMachine;

// What an entry method sees while it runs.
class PlantedExecution {
public:
    std::uint32_t pe() const { return m_pe; }
    std::int64_t object() const { return m_object; }
    std::int64_t data() const { return m_data; }
    std::int64_t now() const { return m_now; }
    std::uint32_t pes() const;
    std::uint32_t random(std::uint32_t below);

    void work(std::int64_t microseconds)
    {
        m_now += microseconds;
        m_cpu += microseconds;
    }
    void pause(std::int64_t microseconds) { m_now += microseconds; }  // without a processor
    void send(std::uint32_t pe, int entry, std::int64_t object, std::int64_t data = 0, std::int64_t bytes = 100);
    void broadcast(int entry, std::int64_t data = 0, std::int64_t bytes = 100);  // to all PEs; object() is the PE
    void stat(const char* name, double value, double user = -1);

private:
    friend class PlantedMachine;
    PlantedMachine* m_machine = nullptr;
    std::uint32_t m_pe = 0;
    std::int64_t m_object = 0, m_data = 0, m_now = 0, m_cpu = 0;
};

class PlantedMachine {
public:
    explicit PlantedMachine(const MachineShape& shape);

    // Adds an entry method of a chare: "Main", "Worker" (an array) or "CkReductionMgr" (the run-time system's).
    int entry(const char* chare, const char* name, std::function<void(PlantedExecution&)> body);
    // Adds a message that is there from the beginning.
    void start(std::uint32_t pe, int entry, std::int64_t object, std::int64_t data = 0);

    // Its messages go before all that are not of such entry methods.
    void prioritize(int entry) { m_first.insert(entry); }

    // Runs until no message is left and writes planted.sts and the logs. Returns the path of the .sts; empty if writing
    // fails.
    QString run(const QString& folder);
    std::int64_t duration() const { return m_end; }

private:
    friend class PlantedExecution;
    struct Message {
        int entry = 0;
        std::uint32_t source = 0;
        std::int64_t event = 0, object = 0, data = 0, bytes = 0, received = 0;
    };
    struct Event {
        std::int64_t time = 0;
        std::int64_t number = 0;
        std::uint32_t pe = 0;
        bool isArrival = false;
        Message message{};
        bool operator>(const Event& other) const
        {
            return std::pair(time, number) > std::pair(other.time, other.number);
        }
    };
    struct Pe {
        std::deque<Message> queue{};
        std::int64_t idleSince = 0;
        std::int64_t events = 0;
        std::int64_t cpu = 0;
        std::int64_t tasks = 0;
        bool isBusy = false;
        QByteArray log{};
    };
    struct Entry {
        QByteArray name;
        int chare = 0;
        std::function<void(PlantedExecution&)> body;
    };

    std::int64_t delay(std::uint32_t from, std::uint32_t to, std::int64_t bytes) const;
    void deliver(std::uint32_t pe, std::int64_t time, const Message& message);
    void enqueue(Pe& pe, const Message& message) const;
    void begin(std::uint32_t number, std::int64_t time);
    QByteArray symbols() const;
    std::int64_t shown(std::int64_t cpu) const
    {
        return m_shape.hasCpuTimes ? cpu / m_shape.cpuTick * m_shape.cpuTick : 0;
    }

    MachineShape m_shape;
    std::mt19937_64 m_random;
    std::vector<Entry> m_entries;
    std::set<int> m_first;
    std::vector<Pe> m_pes;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events;
    std::map<QByteArray, int> m_stats;
    std::int64_t m_numbers = 0;
    std::int64_t m_end = 0;
};

}  // namespace longpole
