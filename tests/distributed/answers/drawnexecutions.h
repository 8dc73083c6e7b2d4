// SPDX-License-Identifier: GPL-3.0-or-later
// Draws message-driven runs as no program leaves them behind: executions nested in others, in pieces, that overlap;
// messages of every kind from any row, sent before their senders began, to tasks that begin at the same time; merges
// with anything; idle and receive times that fit nothing.
#pragma once

#include "core/smalltrace.h"
#include "core/store/tracestore.h"
#include "core/store/tracewriter.h"

#include <QString>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

namespace longpole::tests {

class DrawnExecutions {
public:
    explicit DrawnExecutions(std::uint32_t seed) : m_random(seed), m_pes(1 + below(4))
    {
        for (std::int64_t pe = 0; pe < m_pes; ++pe) m_rows.push_back(static_cast<std::size_t>(below(25)));
    }

    // Null if it cannot be written.
    std::shared_ptr<const TraceStore> store(const QString& path)
    {
        auto writer = TraceWriter::create(path);
        if (!writer) return nullptr;
        TraceInfo info;
        info.processors = m_pes;
        info.begin = below(6);
        (*writer)->add(Track{.id = TrackId{1}, .kind = TrackKind::Root, .name = QStringLiteral("run"), .pe = {}});
        for (std::uint32_t entry = 0; entry < 5; ++entry)
            (*writer)->add(Entry{.id = EntryId{entry}, .name = QStringLiteral("e%1()").arg(entry), .chare = {}});
        for (std::uint32_t pe = 0; pe < m_pes; ++pe) {
            const TrackId track{10 + pe};
            const QString name = QStringLiteral("PE %1").arg(pe);
            (*writer)->add(Track{.id = track, .parent = TrackId{1}, .name = name, .pe = ProcessorId{pe}});
            (*writer)->add(Processor{.pe = ProcessorId{pe}, .track = track, .name = name});
            (*writer)->add(
                ProfileRow{.pe = ProcessorId{pe}, .entry = EntryId{pe}, .count = 1, .exclusive = 1 + below(9)});
            const auto stream = (*writer)->stream(pe);
            info.end = std::max(info.end, writeTasks(*stream, track, m_rows[pe]));
            writeSources(*stream, track, m_rows[pe]);
            writeMerges(*stream, track, m_rows[pe]);
        }
        info.end = std::max(info.begin, info.end - below(3));
        (*writer)->setInfo(info);
        if (!(*writer)->finish(Progress{})) return nullptr;
        const auto opened = TraceStore::open(path);
        return opened ? *opened : nullptr;
    }

private:
    TimeNs below(std::uint32_t most) { return static_cast<TimeNs>(m_random() % most); }

    // When the last of them ends.
    TimeNs writeTasks(EventStream& stream, TrackId track, std::size_t rows)
    {
        std::vector<Row> pieces, idle;
        TimeNs now = below(8), end = now, last = 0;
        std::int64_t outermost = 0;
        for (std::size_t row = 0; row < rows; ++row) {
            const auto number = static_cast<std::int64_t>(row);
            const bool isNested = row > 0 && below(3) == 0;
            const TimeNs begin = isNested ? now + below(3) : std::max(now, end - (below(6) == 0 ? 2 : 0) + below(3));
            if (!isNested) {
                if (begin > end && below(2) == 0) idle.push_back({end, begin - end});
                outermost = number;
            }
            const TimeNs stop = isNested ? std::min(begin + below(6), std::max(begin, end)) : begin + below(12);
            const bool isInPieces = isNested && stop - begin > 2;
            if (isInPieces) {
                pieces.push_back({begin, 1, number});
                pieces.push_back({begin + 2, stop - begin - 2, number});
            }
            Row task = taskRow(begin, stop, below(5), 0, isNested ? number - outermost : 0, isInPieces ? 1 : 0);
            if (below(3) == 0) task[TaskColumn::Received] = below(9) - 8;
            stream.append(ChunkKind::Task, track, task);
            now = begin;
            if (!isNested) end = stop;
            last = std::max(last, stop);
        }
        std::stable_sort(pieces.begin(), pieces.end(), [](const Row& a, const Row& b) { return a[0] < b[0]; });
        for (const Row& piece : pieces) stream.append(ChunkKind::Piece, track, piece);
        for (const Row& gap : idle) stream.append(ChunkKind::Idle, track, gap);
        return last;
    }

    void writeSources(EventStream& stream, TrackId track, std::size_t rows)
    {
        constexpr Link links[] = {Link::None,          Link::Message,   Link::Message, Link::Message, Link::Message,
                                  Link::RepairedBcast, Link::Forwarded, Link::NoTask,  Link::Block};
        for (std::size_t row = 0; row < rows; ++row) {
            const auto from = static_cast<std::uint32_t>(below(static_cast<std::uint32_t>(m_pes)));
            const Link drawn = links[below(std::size(links))];
            const Link link = m_rows[from] > 0 ? drawn : Link::None;
            stream.append(ChunkKind::TaskSource, track,
                          Row{std::int64_t(link), from, sourceOn(from), below(11) - 1, below(12) - 3, -1, from});
        }
        for (std::int64_t pe = 0; pe < m_pes; ++pe) stream.append(ChunkKind::Latency, track, Row{pe, below(4), 1});
    }

    void writeMerges(EventStream& stream, TrackId track, std::size_t rows)
    {
        for (std::size_t row = 0; row < rows; ++row)
            for (TimeNs merges = below(5) - 2; merges > 0; --merges) {
                const auto from = static_cast<std::uint32_t>(below(static_cast<std::uint32_t>(m_pes)));
                if (m_rows[from] == 0) continue;
                stream.append(ChunkKind::Merge, track,
                              Row{std::int64_t(row), from, sourceOn(from), below(11) - 1, -1,
                                  std::int64_t(Link::Message)});
            }
    }

    // A row, which a store does not open without; 0 on a PE that has none.
    std::int64_t sourceOn(std::uint32_t pe)
    {
        return m_rows[pe] > 0 ? below(static_cast<std::uint32_t>(m_rows[pe])) : 0;
    }

    std::mt19937 m_random;
    std::int64_t m_pes;
    std::vector<std::size_t> m_rows;  // by PE: how many it has
};

}  // namespace longpole::tests
