// SPDX-License-Identifier: GPL-3.0-or-later
// Handles events in order of time, messages that arrive and PEs that become free, and writes the logs meanwhile.
#include "support/machines/plantedmachine.h"

#include <QDir>
#include <QFile>

#include <algorithm>
#include <array>

namespace longpole {

namespace {

constexpr std::array chares{"dummy_thread_chare", "CkReductionMgr", "Main", "Worker"};
constexpr int worker = 3;  // the only array

template <typename... Fields>
void line(QByteArray& log, const Fields&... fields)
{
    ((log += QByteArray::number(fields) + ' '), ...);
    log.back() = '\n';
}

bool write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

}  // namespace

std::uint32_t PlantedExecution::pes() const { return m_machine->m_shape.pes; }
std::uint32_t PlantedExecution::random(std::uint32_t below)
{
    return static_cast<std::uint32_t>(m_machine->m_random() % below);
}

void PlantedExecution::send(std::uint32_t pe, int entry, std::int64_t object, std::int64_t data, std::int64_t bytes)
{
    PlantedMachine::Pe& self = m_machine->m_pes[m_pe];
    const std::int64_t event = self.events++;
    line(self.log, 1, 21, entry, m_now, event, m_pe, bytes, 0);
    m_machine->deliver(pe, m_now + m_machine->delay(m_pe, pe, bytes), {entry, m_pe, event, object, data, bytes});
}

void PlantedExecution::broadcast(int entry, std::int64_t data, std::int64_t bytes)
{
    PlantedMachine::Pe& self = m_machine->m_pes[m_pe];
    const std::int64_t event = self.events++;
    line(self.log, 20, 5, entry, m_now, event, m_pe, bytes, 0, pes());
    for (std::uint32_t pe = 0; pe < pes(); ++pe)
        m_machine->deliver(pe, m_now + m_machine->delay(m_pe, pe, bytes), {entry, m_pe, event, pe, data, bytes});
}

void PlantedExecution::stat(const char* name, double value, double user)
{
    const int id = m_machine->m_stats.try_emplace(name, static_cast<int>(m_machine->m_stats.size())).first->second;
    const auto number = [](double one) { return QByteArray::number(one, 'g', 15); };
    m_machine->m_pes[m_pe].log += "32 " + QByteArray::number(m_now) + ' ' + number(user) + ' ' + number(value) + ' '
                                  + QByteArray::number(m_pe) + ' ' + QByteArray::number(id) + '\n';
}

PlantedMachine::PlantedMachine(const MachineShape& shape) : m_shape(shape), m_random(shape.seed), m_pes(shape.pes)
{
    for (Pe& pe : m_pes) line(pe.log, 6, 0);
}

int PlantedMachine::entry(const char* chare, const char* name, std::function<void(PlantedExecution&)> body)
{
    const auto place = std::ranges::find(chares, QByteArray(chare), [](const char* one) { return QByteArray(one); });
    m_entries.push_back({name, static_cast<int>(place - chares.begin()), std::move(body)});
    return static_cast<int>(m_entries.size()) - 1;
}

void PlantedMachine::start(std::uint32_t pe, int entry, std::int64_t object, std::int64_t data)
{
    deliver(pe, 10, {entry, pe, 1'000'000 + m_numbers, object, data, 100});
}

std::int64_t PlantedMachine::delay(std::uint32_t from, std::uint32_t to, std::int64_t bytes) const
{
    if (from == to) return 0;
    const bool isNear = m_shape.pesPerNode == 0 || from / m_shape.pesPerNode == to / m_shape.pesPerNode;
    return isNear ? m_shape.latency : m_shape.networkLatency + bytes / m_shape.bytesPerMicrosecond;
}

void PlantedMachine::deliver(std::uint32_t pe, std::int64_t time, const Message& message)
{
    Event event{time, m_numbers++, pe, true, message};
    event.message.received = time;
    m_events.push(event);
}

void PlantedMachine::enqueue(Pe& pe, const Message& message) const
{
    const auto isLast = [this](const Message& other) { return !m_first.contains(other.entry); };
    const auto at = m_first.contains(message.entry) ? std::ranges::find_if(pe.queue, isLast) : pe.queue.end();
    pe.queue.insert(at, message);
}

// The PE takes the first message of its queue.
void PlantedMachine::begin(std::uint32_t number, std::int64_t time)
{
    Pe& pe = m_pes[number];
    const Message message = pe.queue.front();
    pe.queue.pop_front();
    pe.isBusy = true;
    const Entry& entry = m_entries[static_cast<std::size_t>(message.entry)];
    PlantedExecution execution;
    execution.m_machine = this;
    execution.m_pe = number;
    execution.m_object = message.object;
    execution.m_data = message.data;
    execution.m_now = time + m_shape.overhead + (pe.tasks++ == 1 ? m_shape.startUp : 0);
    pe.cpu += m_shape.overhead;
    execution.m_cpu = pe.cpu;
    const std::int64_t received = m_shape.hasReceiveTimes ? message.received : 0;
    const bool isArray = entry.chare == worker;
    pe.log += isArray ? "2 21 " : "2 5 ";
    line(pe.log, message.entry, execution.m_now, message.event, message.source, message.bytes, received,
         message.object);
    pe.log.chop(1);
    pe.log += isArray ? " " : " 0 0 0 ";  // the rest of the index, then the CPU time
    pe.log += QByteArray::number(qlonglong(shown(pe.cpu))) + '\n';
    entry.body(execution);
    pe.cpu = execution.m_cpu;
    line(pe.log, 3, 0, message.entry, execution.m_now, message.event, message.source, 0, shown(pe.cpu));
    m_end = std::max(m_end, execution.m_now);
    m_events.push({execution.m_now, m_numbers++, number, false});
}

QString PlantedMachine::run(const QString& folder)
{
    while (!m_events.empty()) {
        const Event event = m_events.top();
        m_events.pop();
        Pe& pe = m_pes[event.pe];
        if (event.isArrival) enqueue(pe, event.message);
        const bool wasIdle = !pe.isBusy;
        if (!event.isArrival) pe.isBusy = false;
        if (pe.isBusy) continue;
        if (pe.queue.empty()) {
            pe.idleSince = event.time;
            continue;
        }
        if (wasIdle && event.time > pe.idleSince) {
            line(pe.log, 14, pe.idleSince, event.pe);
            line(pe.log, 15, event.time, event.pe);
        }
        begin(event.pe, event.time);
    }
    const QString base = QDir(folder).filePath(QStringLiteral("planted"));
    for (std::uint32_t number = 0; number < m_shape.pes; ++number) {
        Pe& pe = m_pes[number];
        if (m_end > pe.idleSince) {
            line(pe.log, 14, pe.idleSince, number);
            line(pe.log, 15, m_end, number);
        }
        line(pe.log, 7, m_end);
        const QByteArray head = "PROJECTIONS-RECORD " + QByteArray::number(pe.log.count('\n')) + '\n';
        if (!write(base + QStringLiteral(".%1.log").arg(number), head + pe.log)) return {};
    }
    return write(base + QStringLiteral(".sts"), symbols()) ? base + QStringLiteral(".sts") : QString();
}

QByteArray PlantedMachine::symbols() const
{
    const auto number = [](auto value) { return QByteArray::number(value); };
    const std::uint32_t perNode = m_shape.pesPerNode == 0 ? m_shape.pes : m_shape.pesPerNode;
    QByteArray text = "PROJECTIONS_ID \nVERSION 11.0\nMACHINE \"planted\"\nPROCESSORS " + number(m_shape.pes)
                      + "\nSMPMODE " + number(perNode) + ' ' + number((m_shape.pes + perNode - 1) / perNode) + '\n';
    for (std::size_t i = 0; i < chares.size(); ++i)
        text += "CHARE " + number(i) + " \"" + chares[i] + "\" " + (static_cast<int>(i) == worker ? "1\n" : "-1\n");
    for (std::size_t i = 0; i < m_entries.size(); ++i)
        text += "ENTRY CHARE " + number(i) + " \"" + m_entries[i].name + "\" " + number(m_entries[i].chare) + " 0\n";
    text += "TOTAL_STATS " + number(m_stats.size()) + '\n';
    for (const auto& [name, id] : m_stats) text += "STAT " + number(id) + ' ' + name + '\n';
    return text + "END\n";
}

}  // namespace longpole
