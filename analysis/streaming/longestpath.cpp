// SPDX-License-Identifier: GPL-3.0-or-later
// Hollingsworth's algorithm with the slips of its printed figures mended: the clock is set also where the local path
// wins, figure 5 adds the time since the last event instead of replacing the length by it, active time is added before
// paths are compared, and recursive calls are counted.
#include "analysis/streaming/longestpath.h"

#include <algorithm>

namespace longpole {

StreamingPath::StreamingPath(const StreamingShape& shape)
    : m_shape(shape), m_shares(1 + std::size_t{shape.procedures} + (shape.shares == ShareKind::Inclusive ? 1 : 0)),
      m_width(m_shares + (shape.zeroing ? 2 * std::size_t{shape.procedures} : 0)), m_values(shape.processes * m_width),
      m_processes(shape.processes), m_inFlight(m_width)
{
    for (Process& process : m_processes) {
        if (shape.startsAtOnce) process.state = State::Computing;
        if (shape.shares == ShareKind::Inclusive) process.depth.resize(shape.procedures);
    }
    if (shape.ties == TieRule::MessageWins) m_earliest.resize(shape.processes * m_shares, -1);
}

void StreamingPath::addShares(std::uint32_t number, TimeNs time)
{
    const Process& process = m_processes[number];
    TimeNs* const value = valueOf(number);
    TimeNs* const zeroed = value + m_shares;
    const auto add = [&](std::uint32_t procedure) {
        value[1 + procedure] += time;
        if (m_shape.zeroing) zeroed[2 * procedure + 1] += time;
    };
    if (m_shape.shares == ShareKind::Exclusive) {
        if (!process.active.empty() && process.active.back() != noProcedure) add(process.active.back());
        return;
    }
    if (process.selectedActive == 0) {
        value[m_shares - 1] += time;
        return;
    }
    for (std::uint32_t procedure = 0; procedure < m_shape.procedures; ++procedure)
        if (process.depth[procedure] > 0) add(procedure);
}

void StreamingPath::advance(std::uint32_t number, TimeNs now)
{
    Process& process = m_processes[number];
    const TimeNs time = now - process.lastTime;
    if (time <= 0) return;
    process.lastTime = now;
    if (process.state != State::Computing) return;
    TimeNs* const value = valueOf(number);
    value[0] += time;
    if (m_shape.zeroing)
        for (std::size_t i = m_shares; i < m_width; i += 2) value[i] += time;
    addShares(number, time);
}

void StreamingPath::enter(std::uint32_t number, std::uint32_t procedure, TimeNs now)
{
    advance(number, now);
    Process& process = m_processes[number];
    process.active.push_back(procedure);
    if (procedure == noProcedure || m_shape.shares == ShareKind::Exclusive) return;
    if (process.depth[procedure]++ == 0) ++process.selectedActive;
}

void StreamingPath::leave(std::uint32_t number, TimeNs now)
{
    advance(number, now);
    Process& process = m_processes[number];
    if (process.active.empty()) return;
    const std::uint32_t procedure = process.active.back();
    process.active.pop_back();
    if (procedure == noProcedure || m_shape.shares == ShareKind::Exclusive) return;
    if (--process.depth[procedure] == 0) --process.selectedActive;
}

void StreamingPath::send(std::uint32_t number, MessageKey message, std::uint32_t receivers, TimeNs now)
{
    advance(number, now);
    const bool carries = m_processes[number].state == State::Computing;
    const std::span<TimeNs> carried = m_inFlight.add(message, receivers, carries);
    if (!carried.empty()) std::copy_n(valueOf(number), m_width, carried.begin());
}

bool StreamingPath::receive(std::uint32_t number, MessageKey message, TimeNs now)
{
    const InFlightMessages::Taken taken = m_inFlight.take(message);
    if (!taken.isKnown) return false;
    advance(number, now);
    if (!taken.value.empty()) merge(number, taken.value);
    return true;
}

void StreamingPath::receiveEarly(std::uint32_t number, MessageKey message, std::uint32_t sender, TimeNs now)
{
    m_inFlight.miss(message);
    advance(number, now);
    if (sender == number || m_processes[sender].state != State::Computing) return;
    merge(number, {valueOf(sender), m_width});
}

bool StreamingPath::wins(TimeNs remote, TimeNs local) const
{
    return remote > local || (remote == local && m_shape.ties == TieRule::MessageWins);
}

void StreamingPath::merge(std::uint32_t number, std::span<const TimeNs> remote)
{
    Process& process = m_processes[number];
    if (process.state == State::Stopped) return;
    process.state = State::Computing;
    TimeNs* const local = valueOf(number);
    if (wins(remote[0], local[0])) {
        if (remote[0] == local[0] && m_earliest[number * m_shares] < local[0])
            std::copy_n(local, m_shares, m_earliest.begin() + static_cast<std::ptrdiff_t>(number * m_shares));
        std::copy_n(remote.begin(), m_shares, local);
    }
    for (std::size_t i = m_shares; i < m_width; i += 2)
        if (wins(remote[i] - remote[i + 1], local[i] - local[i + 1])) std::copy_n(remote.data() + i, 2, local + i);
}

void StreamingPath::start(std::uint32_t number, TimeNs now)
{
    advance(number, now);
    Process& process = m_processes[number];
    if (process.state == State::NotStarted) process.state = State::Computing;
}

void StreamingPath::stop(std::uint32_t number, TimeNs now)
{
    advance(number, now);
    m_processes[number].state = State::Stopped;
}

PathReading StreamingPath::reading() const
{
    PathReading reading{.shares = std::vector<TimeNs>(m_shape.procedures)};
    for (std::uint32_t process = 1; process < m_shape.processes; ++process)
        if (longest(process) > longest(reading.process)) reading.process = process;
    if (m_processes.empty()) return reading;
    const TimeNs* value = m_values.data() + reading.process * m_width;
    if (!m_earliest.empty() && m_earliest[reading.process * m_shares] == value[0])
        value = m_earliest.data() + reading.process * m_shares;
    reading.length = value[0];
    std::copy_n(value + 1, m_shape.procedures, reading.shares.begin());
    reading.rest = value[0];
    if (m_shape.shares == ShareKind::Inclusive) reading.rest = value[m_shares - 1];
    else
        for (const TimeNs share : reading.shares) reading.rest -= share;
    return reading;
}

std::vector<TimeNs> StreamingPath::netLengths() const
{
    std::vector<TimeNs> nets(m_shape.zeroing ? m_shape.procedures : 0);
    for (std::uint32_t process = 0; process < m_shape.processes; ++process) {
        const TimeNs* const zeroed = m_values.data() + process * m_width + m_shares;
        for (std::size_t i = 0; i < nets.size(); ++i) nets[i] = std::max(nets[i], zeroed[2 * i] - zeroed[2 * i + 1]);
    }
    return nets;
}

}  // namespace longpole
