// SPDX-License-Identifier: GPL-3.0-or-later
// Made-up traces for comparing analyses that must agree, with everything in them that is rare in real ones.
#pragma once

#include "core/smalltrace.h"
#include "core/store/tracestore.h"
#include "core/store/tracewriter.h"

#include <algorithm>
#include <random>
#include <vector>

namespace longpole {

// Up to four PEs with tasks on a small grid of time, so that many begin at the same instant: nested executions, some in
// several pieces, recorded merges, tasks that reach into the next one or out of the run, broadcasts, messages sent when
// they cannot have been. What is created in a task stands behind what was created in the tasks before it, as in every
// log.
class RandomTrace {
public:
    explicit RandomTrace(unsigned seed) : m_random(seed), m_pes(1 + below(4)), m_messages(m_pes), m_tasks(m_pes)
    {
        for (std::uint32_t pe = 0; pe < m_pes; ++pe) addTasks(pe);
        for (std::uint32_t pe = 0; pe < m_pes; ++pe) addMessages(pe);
        for (std::uint32_t pe = 0; pe < m_pes; ++pe) addSources(pe);
    }

    Result<std::shared_ptr<const TraceStore>> write(const QString& path) const
    {
        auto writer = TraceWriter::create(path);
        if (!writer) return writer.error();
        auto stream = (*writer)->stream(0);
        for (std::uint32_t pe = 0; pe < m_pes; ++pe) {
            const TrackId track{pe};
            for (const Row& row : m_tasks[pe]) stream->append(ChunkKind::Task, track, row);
            for (const Row& row : m_pieces[pe]) stream->append(ChunkKind::Piece, track, row);
            for (const Row& row : m_sources[pe]) stream->append(ChunkKind::TaskSource, track, row);
            for (const Row& row : m_merges[pe]) stream->append(ChunkKind::Merge, track, row);
            for (const Message& message : m_messages[pe]) {
                stream->append(ChunkKind::Message, track, messageRow(0, message.task, message.offset, 0, 0));
                stream->append(ChunkKind::MessageExecutions, track, Row{message.executions});
            }
            (*writer)->add(Track{.id = track, .name = {}, .pe = ProcessorId{pe}});
            (*writer)->add(Processor{.pe = ProcessorId{pe}, .track = track, .name = {}});
        }
        stream->close();
        for (std::uint32_t entry = 0; entry < entries; ++entry) {
            (*writer)->add(Entry{.id = EntryId{entry}, .name = {}, .chare = {}});
            (*writer)->add(ProfileRow{.pe = ProcessorId{0}, .entry = EntryId{entry}, .exclusive = 1});
        }
        TraceInfo info;
        info.processors = m_pes;
        info.begin = 1;
        info.end = m_end - 2;  // some reach out of it
        (*writer)->setInfo(info);
        if (Result<> finished = (*writer)->finish(Progress{}); !finished) return finished.error();
        return TraceStore::open(path);
    }

    static constexpr std::uint32_t entries = 4;

private:
    struct Message {
        std::int64_t task = 0;
        TimeNs offset = 0;
        std::int64_t executions = 0;
    };

    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(m_random() % n); }

    void addTasks(std::uint32_t pe)
    {
        TimeNs free = below(3);
        for (std::uint32_t left = below(8); left > 0; --left) {
            const TimeNs begin = free + (below(3) == 0 ? below(4) : 0);
            const TimeNs end = begin + (below(3) == 0 ? 0 : below(7));
            const auto outermost = static_cast<std::int64_t>(m_tasks[pe].size());
            const bool overlaps = below(8) == 0;
            m_tasks[pe].push_back(taskRow(begin, end + (overlaps ? 3 : 0), below(entries)));
            if (below(3) == 0) addInner(pe, outermost, begin, end);
            free = end;
            m_end = std::max(m_end, end);
        }
    }

    // A nested execution, maybe in two pieces around another one.
    void addInner(std::uint32_t pe, std::int64_t outermost, TimeNs begin, TimeNs end)
    {
        const auto row = static_cast<std::int64_t>(m_tasks[pe].size());
        const TimeNs from = begin + below(static_cast<std::uint32_t>(end - begin + 1));
        const TimeNs to = from + below(static_cast<std::uint32_t>(end - from + 1));
        const bool isSplit = below(2) == 0;
        m_tasks[pe].push_back(taskRow(from, to, below(entries), 0, row - outermost, isSplit ? 1 : 0));
        if (!isSplit) return;
        const TimeNs middle = from + (to - from) / 2;
        m_tasks[pe].push_back(taskRow(middle, middle + (to - middle) / 2, below(entries), 0, row + 1 - outermost));
        m_pieces[pe].push_back(Row{from, middle - from, row});
        m_pieces[pe].push_back(Row{middle + (to - middle) / 2, to - middle - (to - middle) / 2, row});
    }

    void addMessages(std::uint32_t pe)
    {
        for (std::size_t row = 0; row < m_tasks[pe].size(); ++row)
            for (std::uint32_t left = below(4); left > 0; --left)
                m_messages[pe].push_back({static_cast<std::int64_t>(row), static_cast<TimeNs>(below(9)) - 1});
    }

    void addSources(std::uint32_t pe)
    {
        for (std::size_t row = 0; row < m_tasks[pe].size(); ++row) {
            const std::uint32_t from = below(m_pes);
            for (std::size_t i = 0; below(6) == 0 && i < m_messages[from].size(); ++i)
                m_merges[pe].push_back(Row{static_cast<std::int64_t>(row), from, m_messages[from][i].task,
                                           m_messages[from][i].offset, static_cast<std::int64_t>(i),
                                           std::int64_t(Link::Message)});
            if (m_messages[from].empty() || below(5) == 0) {
                m_sources[pe].push_back(Row{std::int64_t(Link::None), 0, 0, 0, 0, -1, 0});
                continue;
            }
            const std::uint32_t which = below(static_cast<std::uint32_t>(m_messages[from].size()));
            Message& message = m_messages[from][which];
            ++message.executions;
            m_sources[pe].push_back(Row{std::int64_t(Link::Message), from, message.task, message.offset, 0, which,
                                        from});
        }
    }

    std::mt19937 m_random;
    std::uint32_t m_pes;
    std::vector<std::vector<Message>> m_messages;
    std::vector<std::vector<Row>> m_tasks;
    std::vector<std::vector<Row>> m_sources{m_pes};
    std::vector<std::vector<Row>> m_pieces{m_pes};
    std::vector<std::vector<Row>> m_merges{m_pes};
    TimeNs m_end = 6;
};

}  // namespace longpole
