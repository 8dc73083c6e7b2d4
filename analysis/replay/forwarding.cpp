// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/replay/forwarding.h"

#include "analysis/base/chunkscan.h"
#include "core/store/messagerows.h"
#include "core/trace/trace.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace longpole {

namespace {

struct Creation {
    TimeNs time = 0;
    std::uint32_t pe = 0;
    std::uint32_t number = 0;       // among those of its processor
    std::uint32_t sender = noTask;  // graph task
};
bool isEarlier(const Creation& a, const Creation& b)
{
    return std::tie(a.time, a.pe, a.number) < std::tie(b.time, b.pe, b.number);
}

struct OfEntry {
    std::vector<Creation> sent;                                // executed nowhere
    std::map<std::uint32_t, std::vector<Creation>> forwarded;  // by process
};

// One processor's creations of group broadcasts, into those of their entry methods.
Result<> readCreations(const TraceStore& store, const ActivityGraph& graph, const Processor& processor,
                       std::span<const std::uint8_t> isGroupBroadcast, std::map<std::uint32_t, OfEntry>& entries,
                       const Progress& progress)
{
    const ScanRequest request{.fields = MessageRow::Sent | MessageRow::Task | MessageRow::Entry | MessageRow::Kind,
                              .alignedFields = ExecutionsRow::Executions};
    const auto visit = [&](const ScannedRows<MessageRow, ExecutionsRow>& scanned) {
        for (const MessageRow& message : scanned.rows) {
            const std::uint32_t entry = index(message.entry());
            if (message.messageKind() != MessageKind::Broadcast || entry >= isGroupBroadcast.size()
                || isGroupBroadcast[entry] == 0)
                continue;
            Creation creation{message.sent(), index(processor.pe), static_cast<std::uint32_t>(message.number()),
                              noTask};
            if (scanned.aligned.size() == 0 || scanned.aligned.at(message.number()).executions() > 0) {
                entries[entry].forwarded[processor.process].push_back(creation);
                continue;
            }
            const auto task = message.task();
            if (task && *task >= 0 && *task <= 0xffffffff)
                creation.sender = graph.find({processor.pe, static_cast<std::uint32_t>(*task)});
            entries[entry].sent.push_back(creation);
        }
    };
    return scanAligned<MessageRow, ExecutionsRow>(store, processor.track, request, progress, visit);
}

// Whether each of the second creations can be that of the first one at its place.
bool belongTogether(const std::vector<Creation>& sent, const std::vector<Creation>& forwarded)
{
    return std::equal(sent.begin(), sent.end(), forwarded.begin(), forwarded.end(),
                      [](const Creation& first, const Creation& second) { return first.time <= second.time; });
}

}  // namespace

Result<ForwardingReader> ForwardingReader::of(const TraceStore& store, const ActivityGraph& graph,
                                              std::span<const std::uint8_t> isGroupBroadcast, const Progress& progress)
{
    ForwardingReader reader;
    if (std::find(isGroupBroadcast.begin(), isGroupBroadcast.end(), 1) == isGroupBroadcast.end()) return reader;
    std::map<std::uint32_t, OfEntry> entries;
    for (const Processor& processor : store.processors())
        if (const Result<> read = readCreations(store, graph, processor, isGroupBroadcast, entries, progress); !read)
            return read.error();
    for (auto& [entry, of] : entries) {
        std::sort(of.sent.begin(), of.sent.end(), isEarlier);
        for (auto& [process, forwarded] : of.forwarded) {
            std::sort(forwarded.begin(), forwarded.end(), isEarlier);
            if (!belongTogether(of.sent, forwarded)) continue;
            for (std::size_t i = 0; i < forwarded.size(); ++i) {
                const Creation &first = of.sent[i], &second = forwarded[i];
                if (first.sender == noTask) continue;  // sent before the first task
                reader.m_ofMessage.emplace(static_cast<MessageKey>(second.pe) << 32 | second.number,
                                           reader.m_broadcasts.size());
                reader.m_broadcasts.push_back({.sender = first.sender,
                                               .offset = first.time - graph.begin[first.sender],
                                               .number = first.number,
                                               .pe = second.pe,
                                               .entry = entry,
                                               .forwarded = second.time});
            }
        }
    }
    return reader;
}

void ForwardingReader::see(const ActivityGraph& graph, std::size_t pe, std::span<const MessageKey> messages)
{
    if (m_ofMessage.empty()) return;
    const std::span<const std::uint32_t> tasks = graph.byProcessor[pe];
    for (std::size_t k = 0; k < messages.size(); ++k)
        if (const auto found = m_ofMessage.find(messages[k]); found != m_ofMessage.end())
            m_broadcasts[found->second].targets.push_back(tasks[k]);
}

std::vector<ForwardedBroadcast> ForwardingReader::take()
{
    std::sort(m_broadcasts.begin(), m_broadcasts.end(), [](const ForwardedBroadcast& a, const ForwardedBroadcast& b) {
        return std::tie(a.sender, a.offset, a.number, a.pe) < std::tie(b.sender, b.offset, b.number, b.pe);
    });
    return std::move(m_broadcasts);
}

}  // namespace longpole
