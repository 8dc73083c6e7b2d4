// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/machines/machine.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

namespace longpole {

namespace {

TimeNs toNs(double microseconds, bool rounds)
{
    return rounds ? static_cast<TimeNs>(std::floor(microseconds)) * 1000 : std::llround(microseconds * 1000);
}

}  // namespace

Machine::Machine(const MachineOptions& options)
    : m_options(options), m_random(options.seed * 7919 + 17), m_pes(options.processors), m_count(options.processors, 0)
{
    m_managerChare = group("CkReductionMgr");
}

std::uint32_t Machine::chare(const char* name, std::uint32_t elements,
                             const std::function<std::uint32_t(std::uint32_t)>& mapped)
{
    ChareRow row{.name = name, .pe = {}, .elementsOn = std::vector<std::uint32_t>(m_options.processors, 0)};
    row.firstObject = m_objects;
    m_objects += elements;
    for (std::uint32_t element = 0; element < elements; ++element) {
        row.pe.push_back(mapped(element) % m_options.processors);
        ++row.elementsOn[row.pe.back()];
    }
    m_chares.push_back(std::move(row));
    return static_cast<std::uint32_t>(m_chares.size() - 1);
}

std::uint32_t Machine::group(const char* name)
{
    const std::uint32_t made = chare(name, m_options.processors, [](std::uint32_t element) { return element; });
    m_chares[made].isGroup = true;
    return made;
}

std::uint32_t Machine::entry(std::uint32_t chare, const char* name, Handler handler)
{
    m_entries.push_back({name, chare, std::move(handler)});
    return static_cast<std::uint32_t>(m_entries.size() - 1);
}

std::uint32_t Machine::entryCalled(const char* name) const
{
    for (std::uint32_t i = 0; i < m_entries.size(); ++i)
        if (std::strcmp(m_entries[i].name, name) == 0) return i;
    return 0xffffffffu;
}

std::uint32_t Machine::managerEntry(std::uint32_t chare, std::uint32_t callback)
{
    const auto [found, isNew] = m_managers.try_emplace({chare, callback}, 0);
    if (isNew) {
        found->second = entry(m_managerChare, "RecvMsg(CkReductionMsg* impl_msg)", [this, chare, callback](Call& call) {
            call.work(0.5);
            ++m_reductions[{chare, call.pe(), call.argument(0)}].children;
            contributed(call, chare, callback, call.argument(0));
        });
        m_entries[found->second].isSystem = true;
    }
    return found->second;
}

void Machine::contribute(Call& call, std::uint32_t chare, std::uint32_t callback, int number)
{
    ++m_reductions[{chare, call.pe(), number}].contributed;
    contributed(call, chare, callback, number);
}

void Machine::contributed(Call& call, std::uint32_t chare, std::uint32_t callback, int number)
{
    constexpr std::uint32_t branches = 8;
    const std::uint32_t pe = call.pe();
    std::uint32_t children = 0;
    for (std::uint32_t child = pe * branches + 1; child <= pe * branches + branches; ++child)
        children += child < m_options.processors;
    const Reduction& reduction = m_reductions[{chare, pe, number}];
    if (reduction.contributed < m_chares[chare].elementsOn[pe] || reduction.children < children) return;
    if (pe == 0) send(call, callback, 0, {number}, 100, false);
    else send(call, managerEntry(chare, callback), (pe - 1) / branches, {number}, 100, true);
}

void Machine::send(Call& call, std::uint32_t entry, std::uint32_t element, const Arguments& arguments, double bytes,
                   bool isExpedited)
{
    call.m_sends = true;
    const EntryRow& row = m_entries[entry];
    const std::uint32_t to = m_chares[row.chare].pe[element];
    if (!isExpedited) m_entries[entry].isSent = true;
    isExpedited = isExpedited || m_options.expedited.contains(entry);
    Message message{entry, element, arguments, call.m_task, call.m_now, isExpedited, m_number++};
    Pe& pe = m_pes[to];
    if (to == call.m_pe) {
        // A message to the same processor is in its queue at once.
        if (!isExpedited) return enqueue(to, message);
        pe.inbox.push_back({call.m_now, message.number, message});
    } else {
        pe.inbox.push_back({call.m_now + latencyOf(bytes), message.number, message});
    }
    std::push_heap(pe.inbox.begin(), pe.inbox.end());
}

double Machine::latencyOf(double bytes)
{
    const double noise = m_options.latencyNoise > 0
                             ? std::exponential_distribution<double>(1 / m_options.latencyNoise)(m_random)
                             : 0;
    return m_options.latency + noise + bytes / 1024 * m_options.perKilobyte;
}

// The turn of a broadcast has come: from here on the log knows it, as sent outside of any task.
void Machine::forward(std::uint32_t peNumber, const Message& message, double now)
{
    m_forwards.push_back({message.task, message.sent, now, static_cast<std::uint32_t>(message.number), peNumber,
                          message.entry});
    m_pes[peNumber].free = now;
    const std::vector<std::uint32_t>& pes = m_chares[m_entries[message.entry].chare].pe;
    for (std::uint32_t element = 0; element < pes.size(); ++element) {
        Message copy = message;
        copy.element = element;
        copy.task = m_pes[peNumber].last;
        copy.sent = now;
        copy.isExpedited = true;
        copy.waitsToBeForwarded = false;
        copy.number = m_number++;
        copy.forward = m_forwards.size() - 1;
        Pe& pe = m_pes[pes[element]];
        pe.inbox.push_back({pes[element] == peNumber ? now : now + latencyOf(100), copy.number, copy});
        std::push_heap(pe.inbox.begin(), pe.inbox.end());
    }
}

void Machine::enqueue(std::uint32_t peNumber, const Message& message)
{
    Pe& pe = m_pes[peNumber];
    const auto known = m_options.priorities.find(message.entry);
    int priority = known == m_options.priorities.end() ? 0 : known->second;
    if (m_options.isShuffled || m_options.shuffled.contains(message.entry))
        priority = static_cast<int>(m_random() % 1000);
    const bool isLifo = m_options.isLifo || m_options.newestFirst.contains(message.entry);
    pe.queue.push_back({priority, isLifo ? -m_order++ : m_order++, message});
    std::push_heap(pe.queue.begin(), pe.queue.end());
}

void Machine::Call::work(double microseconds)
{
    m_now += microseconds * (1 + m_machine.random(m_machine.m_options.workNoise));
    if (microseconds > 5) m_now += m_machine.m_options.workExtra;
}

void Machine::Call::broadcast(std::uint32_t entry, Arguments arguments)
{
    const ChareRow& chare = m_machine.m_chares[m_machine.m_entries[entry].chare];
    const bool isGroup = chare.isGroup;
    if (isGroup) m_machine.m_entries[entry].isBroadcast = true;
    if (isGroup && m_machine.m_options.forwardsBroadcasts) {
        m_sends = true;
        Message waiting{entry, 0, arguments, m_task, m_now};
        waiting.number = m_machine.m_number++;
        waiting.waitsToBeForwarded = true;
        return m_machine.enqueue(m_pe, waiting);
    }
    for (std::uint32_t element = 0; element < chare.pe.size(); ++element)
        m_machine.send(*this, entry, element, arguments, 100, isGroup);
}

void Machine::Call::contribute(std::uint32_t callback, int number)
{
    m_machine.contribute(*this, m_machine.m_entries[m_message.entry].chare, callback, number);
}

void Machine::execute(std::uint32_t peNumber, const Message& message, double begin, bool isAfterIdle)
{
    Pe& pe = m_pes[peNumber];
    const auto task = static_cast<std::int64_t>(m_done.size());
    m_done.emplace_back();
    const Handler handler = m_entries[message.entry].handler;
    const std::uint32_t chare = m_entries[message.entry].chare;
    const Message copy = message;
    Call call(*this, copy, peNumber, begin, task);
    handler(call);
    const bool rounds = m_options.roundsTimes;
    Done& done = m_done[static_cast<std::size_t>(task)];
    done.begin = begin;
    done.entry = copy.entry;
    done.number = static_cast<std::uint32_t>(copy.number);
    done.sends = call.m_sends;
    done.raw = {.id = {ProcessorId{peNumber}, m_count[peNumber]++},
                .begin = toNs(begin, rounds),
                .duration = toNs(call.m_now, rounds) - toNs(begin, rounds),
                .entry = EntryId{copy.entry}};
    if (!m_entries[copy.entry].isSystem) done.object = m_chares[chare].firstObject + copy.element;
    if (copy.task >= 0) {
        const Done& source = m_done[static_cast<std::size_t>(copy.task)];
        done.raw.source = source.raw.id;
        done.raw.sent = toNs(copy.sent, rounds);
        done.raw.offset = done.raw.sent - source.raw.begin;
        if (copy.forward != notForwarded) {  // hangs on the end of the task before it was handed on
            done.raw.offset = std::min(done.raw.offset, source.raw.duration);
            m_forwards[copy.forward].targets.push_back(task);
        }
    }
    pe.last = task;
    if (isAfterIdle) done.raw.flags |= ActivityGraph::AfterIdle;
    pe.free = call.m_now;
}

// The scheduler's loop on one processor until it has run a task or waits.
void Machine::act(std::uint32_t peNumber)
{
    Pe& pe = m_pes[peNumber];
    double now = pe.free + m_options.overhead;
    const bool isAfterIdle = pe.queue.empty() && pe.inbox.front().time > now;
    if (isAfterIdle) now = pe.inbox.front().time + random(2 * m_options.wake);
    while (!pe.inbox.empty() && pe.inbox.front().time <= now) {
        std::pop_heap(pe.inbox.begin(), pe.inbox.end());
        const Message message = pe.inbox.back().message;
        pe.inbox.pop_back();
        if (message.isExpedited) return execute(peNumber, message, now, isAfterIdle);
        enqueue(peNumber, message);
    }
    std::pop_heap(pe.queue.begin(), pe.queue.end());
    const Message message = pe.queue.back().message;
    pe.queue.pop_back();
    if (message.waitsToBeForwarded) return forward(peNumber, message, now);
    execute(peNumber, message, now, isAfterIdle);
}

MachineRun Machine::run(std::uint32_t startEntry)
{
    Message start{.entry = startEntry};
    const std::uint32_t home = m_chares[m_entries[startEntry].chare].pe[0];
    m_pes[home].inbox.push_back({0, m_number++, start});
    while (true) {
        std::uint32_t next = 0xffffffffu;
        double first = 1e300;
        for (std::uint32_t pe = 0; pe < m_pes.size(); ++pe) {
            const Pe& row = m_pes[pe];
            if (row.queue.empty() && row.inbox.empty()) continue;
            const double time = !row.queue.empty() ? row.free + m_options.overhead
                                                   : std::max(row.free + m_options.overhead, row.inbox.front().time);
            if (time < first) {
                first = time;
                next = pe;
            }
        }
        if (next == 0xffffffffu) break;
        act(next);
    }
    return finish();
}

MachineRun Machine::finish()
{
    MachineRun run;
    run.processors = m_options.processors;
    std::map<std::pair<std::uint32_t, std::uint32_t>, TimeNs> least;
    for (const Done& done : m_done) {
        run.tasks.push_back(done.raw);
        run.range.end = std::max(run.range.end, done.raw.begin + done.raw.duration);
        if (done.object != noObject) run.objects.emplace_back(done.raw.id, done.object);
        run.numbers.emplace_back(done.raw.id, done.number);
        if (done.sends) run.senders.push_back(done.raw.id);
        if (!done.raw.source.isValid()) continue;
        TimeNs& known = least.try_emplace({index(done.raw.source.pe), index(done.raw.id.pe)}, maxTime).first->second;
        known = std::min(known, done.raw.begin - done.raw.sent);
    }
    for (RawTask& task : run.tasks) {
        if (!task.source.isValid()) continue;
        task.received = std::min(task.begin, task.sent + least[{index(task.source.pe), index(task.id.pe)}]);
        task.flags |= ActivityGraph::Estimated;
    }
    for (std::uint32_t i = 0; i < m_chares.size(); ++i)
        run.chares.push_back({ChareId{i}, QString::fromLatin1(m_chares[i].name), -1});
    for (std::uint32_t i = 0; i < m_entries.size(); ++i) {
        const EntryRow& row = m_entries[i];
        run.entries.push_back({EntryId{i}, QString::fromLatin1(row.name), QString::fromLatin1(m_chares[row.chare].name),
                               row.isSystem ? EntryKind::System : EntryKind::User, ChareId{row.chare}});
        run.isGroupBroadcast.push_back(row.isBroadcast && !row.isSent);
    }
    const auto idOf = [&](std::int64_t task) { return m_done[static_cast<std::size_t>(task)].raw.id; };
    for (const Forward& forward : m_forwards) {
        const bool rounds = m_options.roundsTimes;
        run.forwards.push_back({idOf(forward.sender), toNs(forward.sent, rounds), toNs(forward.forwarded, rounds),
                                forward.number, forward.pe, forward.entry});
        for (const std::int64_t target : forward.targets) run.forwards.back().targets.push_back(idOf(target));
    }
    return run;
}

std::vector<ForwardedBroadcast> MachineRun::forwarded(const ActivityGraph& graph) const
{
    std::vector<ForwardedBroadcast> found;
    for (const Forward& forward : forwards) {
        const std::uint32_t sender = graph.find(forward.sender);
        found.push_back({sender, forward.sent - graph.begin[sender], forward.number, forward.pe, forward.entry,
                         forward.forwarded});
        for (const TaskId target : forward.targets) found.back().targets.push_back(graph.find(target));
    }
    std::sort(found.begin(), found.end(), [](const ForwardedBroadcast& a, const ForwardedBroadcast& b) {
        return std::tie(a.sender, a.offset, a.number) < std::tie(b.sender, b.offset, b.number);
    });
    return found;
}

TaskObjects MachineRun::taskObjects(const ActivityGraph& graph) const
{
    TaskObjects found;
    found.object.resize(graph.size(), noObject);
    found.sends.resize(graph.size());
    for (const auto& [id, object] : objects) {
        found.object[graph.find(id)] = object;
        found.objects = std::max(found.objects, object + 1);
    }
    for (const TaskId id : senders) found.sends[graph.find(id)] = true;
    return found;
}

std::vector<std::uint32_t> MachineRun::messageNumbers(const ActivityGraph& graph) const
{
    std::vector<std::uint32_t> found(graph.size());
    for (const auto& [id, number] : numbers) found[graph.find(id)] = number;
    return found;
}

EntryId MachineRun::entry(const char* name) const
{
    for (const Entry& entry : entries)
        if (entry.name == QLatin1String(name)) return entry.id;
    return noEntry;
}

}  // namespace longpole
