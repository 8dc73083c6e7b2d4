// SPDX-License-Identifier: GPL-3.0-or-later
// What those who count deliveries need to know of the messages that were delivered: their size, and whether there are
// several deliveries of one.
#pragma once

#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/store/tracestore.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace longpole {

struct SentMessage {
    std::int64_t bytes = 0;
    bool isShared = false;  // delivered more than once: a broadcast, say
};

// Four bytes a message of the trace.
class SentMessages {
public:
    // O(messages). Errors: damaged chunks; cancelled.
    static Result<SentMessages> read(const TraceStore& store, const Progress& progress);

    // A message by its sender and its row there; one of no bytes if the trace does not have it.
    SentMessage of(ProcessorId creator, std::int64_t row) const
    {
        const std::size_t pe = index(creator);
        if (pe >= m_places.size() || m_places[pe] == none) return {};
        const std::vector<std::uint32_t>& cells = m_cells[m_places[pe]];
        if (row < 0 || row >= static_cast<std::int64_t>(cells.size())) return {};
        const std::uint32_t cell = cells[static_cast<std::size_t>(row)];
        const std::uint32_t bytes = cell & mostBytes;
        return {bytes < mostBytes ? bytes : m_large[m_places[pe]].at(row), (cell & shared) != 0};
    }

private:
    static constexpr std::uint32_t shared = 1u << 31;
    static constexpr std::uint32_t mostBytes = shared - 1;  // stands for as many and more
    static constexpr std::uint32_t none = 0xffffffffu;

    std::vector<std::uint32_t> m_places;  // by PE: in the next two
    std::vector<std::vector<std::uint32_t>> m_cells;
    std::vector<std::unordered_map<std::int64_t, std::int64_t>> m_large;
};

}  // namespace longpole
