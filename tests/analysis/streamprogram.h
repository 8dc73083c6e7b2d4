// SPDX-License-Identifier: GPL-3.0-or-later
// Message passing programs as lists of events in causal order, random ones too; and their longest path the offline way,
// over a graph of all events (Hollingsworth 1996, figure 2 with its two names the right way round).
#pragma once

#include "analysis/streaming/longestpath.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace longpole::test {

enum class Happens { Work, Enter, Leave, Send, Receive, Start };

// `what`: ns of Work, procedure of Enter, message of Send and Receive.
struct Event {
    std::uint32_t process = 0;
    Happens kind{};
    std::int64_t what = 0;
    std::uint32_t receivers = 1;  // of Send
};

struct StreamProgram {
    std::uint32_t processes = 1;
    std::uint32_t procedures = 1;  // numbered from 0; others are not asked for
    std::vector<Event> events;
};

inline std::uint32_t asProcedure(const StreamProgram& program, std::int64_t number)
{
    return number < program.procedures ? static_cast<std::uint32_t>(number) : noProcedure;
}

// Feeds events to the algorithm; each process has its own clock of CPU time.
class Feeder {
public:
    Feeder(const StreamProgram& program, StreamingShape shape)
        : m_program(program), m_clocks(program.processes), path(with(program, shape))
    {
    }

    void feed(const Event& event)
    {
        TimeNs& now = m_clocks[event.process];
        const auto message = static_cast<MessageKey>(event.what);
        switch (event.kind) {
        case Happens::Work: now += event.what; break;  // the path learns of it at the next event
        case Happens::Enter: path.enter(event.process, asProcedure(m_program, event.what), now); break;
        case Happens::Leave: path.leave(event.process, now); break;
        case Happens::Send: path.send(event.process, message, event.receivers, now); break;
        case Happens::Receive: path.receive(event.process, message, now); break;
        case Happens::Start: path.start(event.process, now); break;
        }
    }
    void catchUp()
    {
        for (std::uint32_t p = 0; p < m_program.processes; ++p) path.advance(p, m_clocks[p]);
    }
    void feedAll()
    {
        for (const Event& event : m_program.events) feed(event);
        catchUp();
    }

private:
    static StreamingShape with(const StreamProgram& program, StreamingShape shape)
    {
        shape.processes = program.processes;
        shape.procedures = program.procedures;
        return shape;
    }
    const StreamProgram& m_program;
    std::vector<TimeNs> m_clocks;

public:
    StreamingPath path;
};

// Offline. `freed`: the procedure that costs nothing; noProcedure: none. `counts[i]`: whether event i is in the part of
// the run that is looked at (empty: all are).
struct Offline {
    TimeNs length = 0;
    std::vector<TimeNs> shares{};
};

class OfflinePath {
public:
    OfflinePath(const StreamProgram& program, ShareKind kind, TieRule ties)
        : m_program(program), m_kind(kind), m_ties(ties)
    {
    }

    Offline find(std::uint32_t freed = noProcedure, const std::vector<bool>& counts = {})
    {
        m_nodes.assign(m_program.events.size(), {});
        std::vector<int> last(m_program.processes, -1);
        std::vector<std::vector<std::int64_t>> stacks(m_program.processes);
        std::map<std::int64_t, int> sends;
        for (int i = 0; i < static_cast<int>(m_nodes.size()); ++i) {
            const Event& event = m_program.events[static_cast<std::size_t>(i)];
            const bool isCounted = counts.empty() || counts[static_cast<std::size_t>(i)];
            Node& node = m_nodes[static_cast<std::size_t>(i)];
            std::vector<std::int64_t>& stack = stacks[event.process];
            node.active = activeIn(stack);
            if (event.kind == Happens::Enter) stack.push_back(event.what);
            if (event.kind == Happens::Leave && !stack.empty()) stack.pop_back();
            const bool isFree = std::count(node.active.begin(), node.active.end(), freed) > 0;
            node.work = event.kind == Happens::Work && isCounted ? event.what : 0;
            node.weight = isFree ? 0 : node.work;
            node.before = last[event.process];
            const TimeNs local = node.before < 0 ? 0 : m_nodes[static_cast<std::size_t>(node.before)].longest;
            node.longest = local;
            if (event.kind == Happens::Send) sends[event.what] = i;
            if (event.kind == Happens::Receive && sends.contains(event.what)) {
                const int sender = sends[event.what];
                const TimeNs remote = m_nodes[static_cast<std::size_t>(sender)].longest;
                if (remote > local || (remote == local && m_ties == TieRule::MessageWins)) {
                    node.before = sender;
                    node.longest = remote;
                }
            }
            node.longest += node.weight;
            last[event.process] = i;
        }
        return traceBack(last);
    }

private:
    struct Node {
        TimeNs longest = 0;
        TimeNs weight = 0;  // as the path counts it
        TimeNs work = 0;
        int before = -1;
        std::vector<std::int64_t> active{};
    };

    std::vector<std::int64_t> activeIn(const std::vector<std::int64_t>& stack) const
    {
        if (m_kind == ShareKind::Inclusive || stack.empty()) return stack;
        return {stack.back()};
    }

    // From the lowest process whose end is farthest along, and there from where it first got so far.
    Offline traceBack(const std::vector<int>& last) const
    {
        Offline offline{.shares = std::vector<TimeNs>(m_program.procedures)};
        int node = -1;
        for (const int end : last)
            if (end >= 0 && m_nodes[static_cast<std::size_t>(end)].longest > offline.length) {
                node = end;
                offline.length = m_nodes[static_cast<std::size_t>(end)].longest;
            }
        if (node < 0) return offline;
        const std::uint32_t process = m_program.events[static_cast<std::size_t>(node)].process;
        for (int i = 0; i < node; ++i) {
            const bool isThere = m_program.events[static_cast<std::size_t>(i)].process == process
                                 && m_nodes[static_cast<std::size_t>(i)].longest == offline.length;
            if (isThere) node = i;
            if (isThere) break;
        }
        for (; node >= 0; node = m_nodes[static_cast<std::size_t>(node)].before) {
            const Node& at = m_nodes[static_cast<std::size_t>(node)];
            for (std::uint32_t f = 0; f < m_program.procedures; ++f)
                if (std::count(at.active.begin(), at.active.end(), f) > 0) offline.shares[f] += at.work;
        }
        return offline;
    }

    const StreamProgram& m_program;
    ShareKind m_kind;
    TieRule m_ties;
    std::vector<Node> m_nodes;
};

// Up to 80 events on up to 4 processes: procedures 0 .. 2 (and 3, which is not asked for) call each other and
// themselves, messages have up to three receivers, some are never received.
inline StreamProgram randomProgram(unsigned seed, bool withStarts = false)
{
    std::mt19937 random(seed);
    const auto below = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    StreamProgram program{.processes = 1 + below(4), .procedures = 3, .events = {}};
    std::vector<std::vector<std::int64_t>> inbox(program.processes);
    std::vector<int> depth(program.processes);
    std::int64_t messages = 0;
    for (std::uint32_t steps = 1 + below(80); steps > 0; --steps) {
        const std::uint32_t p = below(program.processes);
        const std::uint32_t kind = below(withStarts ? 21 : 20);
        if (kind < 8) {
            program.events.push_back({p, Happens::Work, below(6)});
        } else if (kind < 11) {
            program.events.push_back({p, Happens::Enter, below(4)});
            ++depth[p];
        } else if (kind < 13 && depth[p] > 0) {
            program.events.push_back({p, Happens::Leave, 0});
            --depth[p];
        } else if (kind < 16) {
            const std::uint32_t receivers = 1 + below(3);
            for (std::uint32_t r = 0; r < receivers; ++r) inbox[below(program.processes)].push_back(messages);
            program.events.push_back({p, Happens::Send, messages++, receivers});
        } else if (kind < 20 && !inbox[p].empty()) {
            const auto which = inbox[p].begin() + below(static_cast<std::uint32_t>(inbox[p].size()));
            program.events.push_back({p, Happens::Receive, *which});
            inbox[p].erase(which);
        } else if (kind == 20) {
            program.events.push_back({p, Happens::Start, 0});
        }
    }
    return program;
}

}  // namespace longpole::test
