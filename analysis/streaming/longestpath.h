// SPDX-License-Identifier: GPL-3.0-or-later
// The longest path of a program and what procedures contribute to it, computed while its events happen, without a graph
// (Hollingsworth 1996: "An Online Computation of Critical Path Profiling", figures 3, 4 and 5).
#pragma once

#include "analysis/streaming/inflightmessages.h"
#include "core/base/timerange.h"

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

constexpr std::uint32_t noProcedure = 0xffffffffu;  // any procedure whose share is not asked for

// Exclusive: time goes to the innermost procedure. Inclusive: to every active one, to a recursive one once.
enum class ShareKind : std::uint8_t { Exclusive, Inclusive };
// Of two equally long paths. LocalWins is the paper's strict "greater"; MessageWins is workPath()'s rule.
enum class TieRule : std::uint8_t { LocalWins, MessageWins };

struct StreamingShape {
    std::uint32_t processes = 0;
    std::uint32_t procedures = 0;
    ShareKind shares = ShareKind::Exclusive;
    TieRule ties = TieRule::LocalWins;
    bool zeroing = false;      // also the net length for each procedure (figure 5)
    bool startsAtOnce = true;  // else every process waits for start(), or for a message that carries a path
};

// The longest path up to now (figure 4). `shares`: ns by procedure. `rest`: ns in none of them. Exclusive shares and
// the rest add up to `length`.
struct PathReading {
    std::uint32_t process = 0;  // where it ends; of several the lowest, as if its report came first
    TimeNs length = 0;
    std::vector<TimeNs> shares{};
    TimeNs rest = 0;
};

// Takes the events of all processes in an order in which a message is sent before it is received. `now` is the CPU time
// of the process, in ns: a clock that stands still while the process waits. It must not go back.
//
// Per process: the longest path that ends there, the procedures' shares of it, which of them are active how often, and
// the time of the last event: O(processes x procedures), and as much per message in flight. O(procedures) an event.
class StreamingPath {
public:
    explicit StreamingPath(const StreamingShape& shape);

    // Procedures nest; leave() ends the one entered last.
    void enter(std::uint32_t number, std::uint32_t procedure, TimeNs now);
    void leave(std::uint32_t number, TimeNs now);

    // The message carries the path to here, and is forgotten when so many receivers have it.
    void send(std::uint32_t number, MessageKey message, std::uint32_t receivers, TimeNs now);
    // The longer path goes on: the one the message carries, or the local one. A message without a path changes nothing
    // (case 4); one with a path starts a process that had not started (case 3). False, and nothing happened: it is not
    // in flight.
    bool receive(std::uint32_t number, MessageKey message, TimeNs now);
    // Received before it was sent, by clocks that disagree: takes the path that its sender has now (bring it up to date
    // with advance() before).
    void receiveEarly(std::uint32_t number, MessageKey message, std::uint32_t sender, TimeNs now);
    // A receiver that nothing of the path goes to.
    void miss(MessageKey message) { m_inFlight.miss(message); }

    // The instruction to start or to stop reaches a process (section 2.3). What has stopped stays as it is.
    void start(std::uint32_t number, TimeNs now);
    void stop(std::uint32_t number, TimeNs now);
    // Nothing happens but time.
    void advance(std::uint32_t number, TimeNs now);

    TimeNs longest(std::uint32_t process) const { return m_values[process * m_width]; }
    // O(processes). The lengths of later readings are never less.
    PathReading reading() const;
    // Per procedure the longest path if it cost nothing; empty without zeroing. O(processes x procedures).
    std::vector<TimeNs> netLengths() const;

    const InFlightMessages& inFlight() const { return m_inFlight; }

private:
    enum class State : std::uint8_t { NotStarted, Computing, Stopped };
    struct Process {
        TimeNs lastTime = 0;
        State state = State::NotStarted;
        std::vector<std::uint32_t> active{};  // procedures, innermost last
        std::vector<std::uint32_t> depth{};   // inclusive: how often each is active
        std::uint32_t selectedActive = 0;     // inclusive: how many of them are
    };

    TimeNs* valueOf(std::uint32_t process) { return m_values.data() + process * m_width; }
    void addShares(std::uint32_t number, TimeNs time);
    bool wins(TimeNs remote, TimeNs local) const;
    void merge(std::uint32_t number, std::span<const TimeNs> remote);

    StreamingShape m_shape;
    // A value is: longest, the share of every procedure, inclusive: time in none, then with zeroing for each procedure
    // the longest path by net length and the procedure's share of it.
    std::size_t m_shares;            // numbers up to the zeroing ones
    std::size_t m_width;             // all numbers
    std::vector<TimeNs> m_values;    // of processes
    std::vector<TimeNs> m_earliest;  // MessageWins: the value with which a process first reached its length, if an
                                     // equally long one took its place; longest -1: none
    std::vector<Process> m_processes;
    InFlightMessages m_inFlight;
};

}  // namespace longpole
