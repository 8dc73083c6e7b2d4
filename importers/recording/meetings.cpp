// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/recording/meetings.h"

#include "core/base/parallel.h"
#include "importers/recording/events.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>

namespace longpole {
namespace {

constexpr std::size_t mostWorlds = 8;  // communicators of all ranks that are looked at
// No rank is so many meetings ahead of another one, as none leaves one before all have come.
constexpr std::size_t mostAhead = 8;

struct Met {
    std::size_t count = 0;
    std::deque<RecordBehind> last;  // behind the last ones
};
using MetBy = std::vector<Met>;  // by communicator of all ranks

class RankMeetings {
public:
    // `worlds`: communicators of all ranks.
    RankMeetings(const RecordingNumbers& numbers, const std::vector<std::uint32_t>& worlds, std::size_t most)
        : m_most(most + mostAhead), m_met(worlds.size())
    {
        for (const std::uint32_t comm : numbers.comms) {
            const auto known = std::find(worlds.begin(), worlds.end(), comm);
            m_worlds.push_back(known == worlds.end() ? std::optional<std::size_t>()
                                                     : static_cast<std::size_t>(known - worlds.begin()));
        }
    }

    void take(std::uint32_t seq, std::span<const char> records, std::size_t at)
    {
        while (at < records.size()) {
            const auto type = static_cast<std::uint8_t>(records[at]);
            const std::uint32_t size = lp_record_size(type);
            if (size == 0 || size > records.size() - at) return;
            if (type < LP_FIRST_COMPLETION) {
                if (m_left) note({seq, at});
                m_left = meetingOf(type, records.subspan(at));
            }
            at += size;
        }
    }
    MetBy&& met() { return std::move(m_met); }

private:
    // On which communicator of all ranks the record is a call in which all meet.
    std::optional<std::size_t> meetingOf(std::uint8_t type, std::span<const char> record) const
    {
        if (type != LP_CALL_RECORD && type != LP_CALL2_RECORD && type != LP_JOINED_RECORD && type != LP_JOINED2_RECORD)
            return std::nullopt;
        lp_call_record call;
        std::memcpy(&call, record.data(), sizeof call);
        const RecordedCall& known = recordedCall(call.call);
        const bool meets = known.collective == LP_KIND_BARRIER || known.collective == LP_KIND_N_TO_N;
        if (known.what != LP_CLASS_COLLECTIVE || !meets || call.comm >= m_worlds.size()) return std::nullopt;
        return m_worlds[call.comm];
    }

    void note(const RecordBehind& behind)
    {
        Met& met = m_met[*m_left];
        ++met.count;
        met.last.push_back(behind);
        if (met.last.size() > m_most) met.last.pop_front();
    }

    const std::size_t m_most;
    std::vector<std::optional<std::size_t>> m_worlds;  // by the rank's own number of a communicator
    MetBy m_met;
    std::optional<std::size_t> m_left;  // the record before was such a call
};

// The meeting of that number, from 1; nothing if it is not one of the last.
std::optional<RecordBehind> behind(const Met& met, std::size_t number)
{
    const std::size_t first = met.count - met.last.size() + 1;
    if (number < first || number > met.count) return std::nullopt;
    return met.last[number - first];
}

}  // namespace

std::vector<std::vector<RecordBehind>> lastMeetings(const RecordingRun& run, const std::vector<RecordBehind>& from,
                                                    std::size_t most, unsigned threads, const Progress& progress)
{
    std::vector<std::uint32_t> worlds;
    for (std::uint32_t comm = 0; comm < run.names.communicators.size() && worlds.size() < mostWorlds; ++comm)
        if (run.names.communicators[comm].members.size() == run.ranks.size()) worlds.push_back(comm);
    std::vector<MetBy> met(run.ranks.size(), MetBy(worlds.size()));
    parallelFor(
        run.ranks.size(),
        [&](std::size_t rank) {
            if (!run.ranks[rank]) return;
            const Result<RecordingBytes> bytes = RecordingBytes::open(run.ranks[rank]->path);
            if (!bytes) return;
            RankMeetings meetings(run.numbers[rank], worlds, most);
            const RecordBehind begin = from.empty() ? RecordBehind{} : from[rank];
            std::vector<char> records;
            for (const RecordedChunk& chunk : run.ranks[rank]->chunks) {
                if (chunk.thread != 0 || chunk.seq < begin.seq) continue;
                if (progress.isCancelled() || !readRecords(*bytes, chunk, records)) return;
                meetings.take(chunk.seq, records, chunk.seq == begin.seq ? begin.offset : 0);
            }
            met[rank] = meetings.met();
        },
        threads);

    // Of the communicator on which all met last.
    std::vector<std::vector<RecordBehind>> best;
    for (std::size_t world = 0; world < worlds.size(); ++world) {
        const auto isFewer = [world](const MetBy& a, const MetBy& b) { return a[world].count < b[world].count; };
        const std::size_t last = (*std::min_element(met.begin(), met.end(), isFewer))[world].count;
        std::vector<std::vector<RecordBehind>> found;
        for (std::size_t number = last - std::min(last, most) + 1; number <= last; ++number) {
            std::vector<RecordBehind> places;
            for (const MetBy& rank : met)
                if (const std::optional<RecordBehind> place = behind(rank[world], number)) places.push_back(*place);
            if (places.size() == met.size()) found.push_back(std::move(places));
        }
        if (!found.empty() && (best.empty() || best.back().front() < found.back().front())) best = std::move(found);
    }
    return best;
}

}  // namespace longpole
