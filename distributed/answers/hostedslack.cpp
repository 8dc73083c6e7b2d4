// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/hostedslack.h"

#include "distributed/transport/cancelled.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <tuple>

namespace longpole {
namespace {

// A task by its slack; of those with the same slack the graph has them in this order.
struct RankedSlack {
    TimeNs slack = maxTime;
    TimeNs begin = maxTime;
    std::uint32_t place = WorkPass::noPlace;
    std::uint32_t rank = WorkPass::noPlace, task = WorkPass::noPlace;  // task: its row
    std::uint32_t entry = 0;
    TimeNs end = 0;
    friend bool operator<(const RankedSlack& a, const RankedSlack& b)
    {
        return std::tie(a.slack, a.begin, a.place, a.rank, a.task)
               < std::tie(b.slack, b.begin, b.place, b.rank, b.task);
    }
};

// The first ones of many.
class LeastSlack {
public:
    explicit LeastSlack(std::size_t most) : m_most(most) {}
    // Whether one with so much slack may be among them.
    bool isOpenFor(TimeNs slack) const { return m_rows.size() < m_most || slack <= m_bound.slack; }
    void add(const RankedSlack& one)
    {
        if (m_rows.size() >= m_most && !(one < m_bound)) return;
        m_rows.push_back(one);
        if (m_rows.size() >= 2 * m_most + 64) cut();
    }
    std::vector<RankedSlack> take()
    {
        cut();
        std::sort(m_rows.begin(), m_rows.end());
        m_rows.resize(m_most);
        return std::move(m_rows);
    }

private:
    void cut()
    {
        if (m_rows.size() <= m_most) return;
        std::nth_element(m_rows.begin(), m_rows.begin() + static_cast<std::ptrdiff_t>(m_most), m_rows.end());
        m_rows.resize(m_most);
        m_bound = m_rows.empty() ? RankedSlack{} : *std::max_element(m_rows.begin(), m_rows.end());
    }

    std::size_t m_most;
    std::vector<RankedSlack> m_rows;
    RankedSlack m_bound;  // none of the first ones comes behind it; once there are enough
};

struct SlackCounts {
    std::int64_t tasks = 0, without = 0;
};

// Heads once more, from the values that the forward pass has left behind, with the tails.
void addRank(const WorkPass& pass, std::size_t local, const std::vector<TimeNs>& tails, LeastSlack& least,
             SlackCounts& counts)
{
    const WorkPass::Rank& rank = pass.ranks()[local];
    const TimeNs length = pass.length(0);
    auto slot = rank.slots.begin();
    TimeNs before = 0;  // the longest work up to the end of the task before
    const std::vector<std::uint32_t>& cuts = rank.tasks.cuts;
    std::uint32_t segment = 0;
    for (std::uint32_t task = 0; task < rank.tasks.begin.size(); ++task) {
        while (segment < cuts.size() && cuts[segment] <= task) ++segment;
        TimeNs head = before;
        for (; slot != rank.slots.end() && slot->task == task; ++slot)
            head = std::max(head, pass.valueOf(*slot, segment, 0));
        before = head + rank.tasks.weight[task];
        const TimeNs behind = length - pass.base(segment + 1, 0);
        const TimeNs slack = length - head - tails[task] - behind;
        ++counts.tasks;
        if (slack == 0) ++counts.without;
        if (!least.isOpenFor(slack)) continue;
        const auto number = static_cast<std::uint32_t>(local) + pass.firstRank();
        least.add({slack, rank.tasks.begin[task], pass.placeOf(number, task), number, rank.tasks.rowOf(task),
                   rank.tasks.entry[task], rank.tasks.begin[task] + rank.tasks.duration[task]});
    }
}

}  // namespace

Result<HostedSlack> hostedSlack(const WorkPass& pass, const TailPass& tails, std::size_t most, const Progress& progress)
{
    Transport& transport = pass.transport();
    LeastSlack least(most);
    SlackCounts counts;
    for (std::size_t rank = 0; rank < pass.ranks().size() && !transport.failed(); ++rank)
        addRank(pass, rank, tails.tails(rank), least, counts);
    failIfCancelled(transport, progress);
    counts = reduceOne(transport, counts, [](SlackCounts& into, const SlackCounts& from) {
        into.tasks = saturatingAdd(into.tasks, from.tasks);
        into.without = saturatingAdd(into.without, from.without);
    });
    std::vector<RankedSlack> rows = least.take();
    const auto first = [most](std::byte* into, const std::byte* from, std::size_t lists) {
        std::vector<RankedSlack> both(2 * most);
        for (std::size_t list = 0; list < lists; ++list) {
            const std::size_t bytes = most * sizeof(RankedSlack);
            std::memcpy(both.data(), into + list * bytes, bytes);
            std::memcpy(both.data() + most, from + list * bytes, bytes);
            std::inplace_merge(both.begin(), both.begin() + static_cast<std::ptrdiff_t>(most), both.end());
            std::memcpy(into + list * bytes, both.data(), bytes);
        }
    };
    if (most > 0)
        transport.reduce(std::as_writable_bytes(std::span(rows)), most * sizeof(RankedSlack), first, Receiver::Root);
    if (transport.failed()) return transport.failure();
    if (!transport.isRoot()) return HostedSlack{};
    HostedSlack found{pass.length(0), counts.tasks, counts.without, {}};
    for (const RankedSlack& row : rows)
        if (row.rank != WorkPass::noPlace)
            found.least.push_back(
                {{ProcessorId{row.rank}, row.task}, EntryId{row.entry}, row.begin, row.end, row.slack});
    return found;
}

}  // namespace longpole
