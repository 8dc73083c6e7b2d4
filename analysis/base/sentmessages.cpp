// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/base/sentmessages.h"

#include "analysis/base/chunkscan.h"

#include <algorithm>

namespace longpole {

Result<SentMessages> SentMessages::read(const TraceStore& store, const Progress& progress)
{
    SentMessages sent;
    const std::vector<const Processor*> processors = processorsToScan(store, {}, true);
    sent.m_cells.resize(processors.size());
    sent.m_large.resize(processors.size());
    std::unordered_map<const Processor*, std::size_t> places;
    for (std::size_t i = 0; i < processors.size(); ++i) {
        places[processors[i]] = i;
        const std::size_t pe = index(processors[i]->pe);
        if (pe >= mostIds) continue;  // only a damaged log has such a number
        if (pe >= sent.m_places.size()) sent.m_places.resize(pe + 1, none);
        sent.m_places[pe] = static_cast<std::uint32_t>(i);
    }
    const ScanRequest request{.fields = MessageRow::Bytes, .alignedFields = ExecutionsRow::Executions};
    const Result<> scanned = scanProcessors(
        processors, progress, [&](std::size_t, const Processor& processor) -> Result<> {
            const std::size_t place = places.at(&processor);
            std::vector<std::uint32_t>& cells = sent.m_cells[place];
            const auto visit = [&](const ScannedRows<MessageRow, ExecutionsRow>& chunk) {
                cells.resize(static_cast<std::size_t>(chunk.rows.first()) + chunk.rows.size());
                for (const MessageRow& message : chunk.rows) {
                    const std::int64_t bytes = std::max<std::int64_t>(message.bytes(), 0);
                    cells[static_cast<std::size_t>(message.number())] = static_cast<std::uint32_t>(
                        std::min<std::int64_t>(bytes, mostBytes));
                    if (bytes >= mostBytes) sent.m_large[place][message.number()] = bytes;
                }
                for (const ExecutionsRow& row : chunk.aligned)
                    if (row.executions() > 1) cells[static_cast<std::size_t>(row.number())] |= shared;
            };
            return scanAligned<MessageRow, ExecutionsRow>(store, processor.track, request, progress, visit);
        });
    if (!scanned) return scanned.error();
    return sent;
}

}  // namespace longpole
