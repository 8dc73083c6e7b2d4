// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/traceplaces.h"

#include "core/base/result.h"
#include "core/store/rows.h"

#include <algorithm>
#include <tuple>

namespace longpole {

namespace {

constexpr std::uint32_t nowhere = 0xffffffffu;

const Processor* processorOf(const TraceStore& store, std::uint32_t pe) { return store.processor(ProcessorId{pe}); }

}  // namespace

Result<ReplayedPlaces> ReplayedPlaces::of(const TraceStore& store, const ActivityGraph& graph, const ReplayedRun& run,
                                          const Progress& progress)
{
    ReplayedPlaces places;
    places.m_graph = &graph;
    places.m_run = &run;
    const std::size_t processors = graph.byProcessor.size();
    places.m_rows.resize(graph.size(), 1);
    for (std::uint32_t pe = 0; pe < processors; ++pe) {
        const Processor* const processor = processorOf(store, pe);
        std::int64_t rows = 0;
        if (processor != nullptr)
            for (const ChunkRef& ref : store.chunks(ChunkKind::Task, processor->track)) rows += ref.rows;
        const std::span<const std::uint32_t> tasks = graph.byProcessor[pe];
        for (std::size_t k = 0; k < tasks.size(); ++k) {
            const std::int64_t next = k + 1 < tasks.size() ? graph.taskIndex[tasks[k + 1]] : rows;
            places.m_rows[tasks[k]] = static_cast<std::uint32_t>(
                std::max<std::int64_t>(1, next - graph.taskIndex[tasks[k]]));
        }
    }
    places.placeTasks();
    places.m_messages.resize(processors);
    places.m_messageAt.resize(processors);
    places.m_senders.resize(processors);
    if (!run.source.empty())
        for (const bool isFirstPass : {true, false})
            for (std::uint32_t pe = 0; pe < processors; ++pe)
                if (const Result<> read = places.readSenders(store, pe, isFirstPass); !read) return read.error();
    for (std::uint32_t pe = 0; pe < processors; ++pe) {
        if (progress.isCancelled()) return cancelledError();
        if (const Result<> read = places.readMessages(store, pe); !read) return read.error();
    }
    places.placeMessages();
    return places;
}

TimeNs ReplayedPlaces::moved(std::uint32_t task, TimeNs time) const
{
    const TimeNs was = m_graph->duration[task];
    const TimeNs is = length(task);
    const TimeNs inside = std::clamp<TimeNs>(time - m_graph->begin[task], 0, was);
    const TimeNs after = std::max<TimeNs>(0, time - m_graph->end(task));
    if (was == is || was == 0) return begin(task) + std::min(inside, is) + after;
    const double part = static_cast<double>(inside) * static_cast<double>(is) / static_cast<double>(was);
    return begin(task) + std::min<TimeNs>(is, static_cast<TimeNs>(part)) + after;
}

void ReplayedPlaces::placeTasks()
{
    m_tasks.resize(m_graph->byProcessor.size());
    m_firstRow.resize(m_graph->size());
    for (std::uint32_t task = 0; task < m_graph->size(); ++task) m_tasks[pe(task)].push_back(task);
    for (std::vector<std::uint32_t>& tasks : m_tasks) {
        std::stable_sort(tasks.begin(), tasks.end(), [this](std::uint32_t a, std::uint32_t b) {
            return std::pair(begin(a), end(a)) < std::pair(begin(b), end(b));
        });
        std::uint32_t row = 0;
        for (const std::uint32_t task : tasks) {
            m_firstRow[task] = row;
            row += m_rows[task];
        }
    }
}

ReplayedPlaces::Row ReplayedPlaces::row(std::int64_t pe, std::int64_t index) const
{
    if (pe < 0 || pe >= static_cast<std::int64_t>(m_tasks.size()) || index < 0) return {};
    const std::span<const std::uint32_t> tasks = m_graph->byProcessor[static_cast<std::size_t>(pe)];
    const auto after = std::upper_bound(tasks.begin(), tasks.end(), index, [this](std::int64_t i, std::uint32_t task) {
        return i < m_graph->taskIndex[task];
    });
    if (after == tasks.begin()) return {};
    const std::uint32_t task = *(after - 1);
    const auto inside = static_cast<std::uint32_t>(index - m_graph->taskIndex[task]);
    if (inside >= m_rows[task]) return {};
    return {task, this->pe(task), m_firstRow[task] + inside};
}

// Whether a message does not leave where moved() says: from another task, or from another place in it.
bool ReplayedPlaces::isSentElsewhere(std::uint32_t task) const
{
    constexpr TimeNs unseen = 1000;
    const std::uint32_t source = m_run->source[task];
    if (source != m_graph->source[task]) return true;
    if ((m_graph->flags[task] & ActivityGraph::SentApart) != 0) return false;
    const TimeNs late = moved(source, m_graph->begin[source] + m_graph->offset[task]) - begin(source)
                        - m_run->offset[task];
    return late > 0 || late < -unseen;
}

// Messages that another task sends than in the record: which, then who was the first to send them, where what they
// start was released apart.
Result<> ReplayedPlaces::readSenders(const TraceStore& store, std::uint32_t pe, bool isFirstPass)
{
    const Processor* const processor = processorOf(store, pe);
    if (processor == nullptr) return Unit{};
    const std::span<const std::uint32_t> tasks = m_graph->byProcessor[pe];
    RowSeeker<TaskSourceRow> sources(store, processor->track, TaskSourceRow::Message);
    for (const std::uint32_t task : tasks) {
        const Result<const TaskSourceRow*> found = sources.find(m_graph->taskIndex[task]);
        if (!found) return found.error();
        if (*found == nullptr) continue;
        const std::optional<std::int64_t> message = (*found)->messageNumber();
        const std::size_t creator = index((*found)->creator());
        const std::uint32_t source = m_run->source[task];
        if (!message || source == noTask || creator >= m_senders.size()) continue;
        auto& senders = m_senders[creator];
        const Sender sender{source, m_run->offset[task]};
        if (isFirstPass && isSentElsewhere(task)) {
            senders.try_emplace(static_cast<std::uint32_t>(*message), sender);
        } else if (const auto known = senders.find(static_cast<std::uint32_t>(*message)); known != senders.end()) {
            const auto sent = [this](const Sender& s) { return begin(s.task) + s.offset; };
            if (sent(sender) < sent(known->second)) known->second = sender;
        }
    }
    return Unit{};
}

Result<> ReplayedPlaces::readMessages(const TraceStore& store, std::uint32_t pe)
{
    const Processor* const processor = processorOf(store, pe);
    if (processor == nullptr) return Unit{};
    auto messages = store.rows<MessageRow>(processor->track, MessageRow::Sent | MessageRow::Task | MessageRow::Offset);
    for (const MessageRow& row : messages) {
        const Message message = placed(pe, row.index(), row.sent(), row.task().value_or(-1), row.sent() - row.offset());
        m_messages[message.task == noTask ? pe : this->pe(message.task)].push_back(message);
    }
    return messages.result();
}

ReplayedPlaces::Message ReplayedPlaces::placed(std::uint32_t pe, std::uint32_t index, TimeNs sent, std::int64_t row,
                                               TimeNs rowBegin) const
{
    Message message{.pe = pe, .index = index, .sent = sent};
    if (const auto other = m_senders[pe].find(index); other != m_senders[pe].end()) {
        message.task = other->second.task;
        message.row = m_firstRow[message.task];
        message.sent = begin(message.task) + other->second.offset;
        message.offset = std::min(other->second.offset, length(message.task));  // a broadcast is handed on later
        return message;
    }
    const Row at = this->row(pe, row);
    if (at.task == noTask) return message;
    message.task = at.task;
    message.row = at.row;
    message.sent = moved(at.task, sent);
    message.offset = message.sent - moved(at.task, std::min(rowBegin, sent));
    // Sent after its task ended: it hangs on the end.
    if (sent > m_graph->end(at.task) && at.row == m_firstRow[at.task]) message.offset = length(at.task);
    return message;
}

void ReplayedPlaces::placeMessages()
{
    for (std::uint32_t pe = 0; pe < m_messages.size(); ++pe) {
        std::sort(m_messages[pe].begin(), m_messages[pe].end(), [](const Message& a, const Message& b) {
            return std::tie(a.sent, a.pe, a.index) < std::tie(b.sent, b.pe, b.index);
        });
        for (std::uint32_t i = 0; i < m_messages[pe].size(); ++i) {
            const Message& message = m_messages[pe][i];
            std::vector<MessageId>& at = m_messageAt[message.pe];
            if (at.size() <= message.index) at.resize(message.index + std::size_t{1}, {ProcessorId{nowhere}, 0});
            at[message.index] = {ProcessorId{pe}, i};
        }
    }
}

const ReplayedPlaces::Message* ReplayedPlaces::message(std::int64_t pe, std::int64_t index, MessageId& now) const
{
    if (pe < 0 || pe >= static_cast<std::int64_t>(m_messageAt.size()) || index < 0) return nullptr;
    const std::vector<MessageId>& at = m_messageAt[static_cast<std::size_t>(pe)];
    if (index >= static_cast<std::int64_t>(at.size()) || !at[static_cast<std::size_t>(index)].isValid()) return nullptr;
    now = at[static_cast<std::size_t>(index)];
    return &m_messages[longpole::index(now.pe)][now.index];
}

}  // namespace longpole
