// SPDX-License-Identifier: GPL-3.0-or-later
// Updates in their tasks, the messages sent after them, and what those bring to other tasks in order of time.
#include "analysis/scheduling/speculativecarriers.h"

#include "analysis/base/chunkscan.h"
#include "core/base/result.h"
#include "core/store/rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace longpole {

namespace {

constexpr std::uint32_t noUpdate = 0xffffffffu;
constexpr double carrierShare = 0.5;  // of the accepted updates, more than of the rejected ones

struct Update {
    std::uint32_t task = noTask;
    std::uint32_t pe = 0;
    TimeNs time = 0;
    double value = 0;
    bool isAccepted = false;
    bool isExecuted = false;  // a message that carries it was
};

// A message that was created after an update in the same task.
struct Following {
    std::uint32_t entry = 0;
    std::uint32_t update = 0;
    bool isExecuted = false;
    std::int64_t destinations = 1;
    friend auto operator<=>(const Following&, const Following&) = default;
};

using Creation = std::pair<TimeNs, std::uint32_t>;  // time, and PE as far as it is known
using UpdateOf = std::pair<Creation, std::uint32_t>;

class Spreading {
public:
    Spreading(const ActivityGraph& trace, bool isSmaller) : graph(trace), m_isSmallerBetter(isSmaller) {}

    Result<SpreadValues> find(const TraceStore& store, std::span<const SharedSample> samples, const Progress& progress)
    {
        spread.known.resize(graph.byProcessor.size());
        placeUpdates(samples);
        Result<std::vector<Following>> following = messagesAfterUpdates(store, progress);
        if (!following) return following.error();
        findCarriers(*following);
        pairBroadcasts();
        if (!m_updates.empty()) deliver(progress);
        if (progress.isCancelled()) return cancelledError();
        for (const SharedSample& sample : samples) {
            const bool isUpdate = sample.operation == SharedOperation::Update;
            if (sample.pe < spread.known.size() && !std::isnan(sample.value) && (!isUpdate || sample.user == 1))
                spread.known[sample.pe].push_back({sample.time, sample.value, !isUpdate});
        }
        for (std::vector<KnownValue>& known : spread.known) std::ranges::stable_sort(known, {}, &KnownValue::time);
        return std::move(spread);
    }

private:
    bool isBetter(double a, double b) const { return m_isSmallerBetter ? a < b : a > b; }

    // By PE, then time.
    void placeUpdates(std::span<const SharedSample> samples)
    {
        for (const SharedSample& sample : samples) {
            if (sample.operation != SharedOperation::Update) continue;
            const std::uint32_t task = taskAt(graph, sample.pe, sample.time);
            if (task != noTask) m_updates.push_back({task, sample.pe, sample.time, sample.value, sample.user == 1});
        }
        std::ranges::stable_sort(m_updates, {}, [](const Update& one) { return std::pair(one.pe, one.time); });
        for (std::uint32_t i = 0; i < m_updates.size(); ++i) {
            m_firstOf.try_emplace(m_updates[i].task, i);
            m_acceptedUpTo.push_back(m_updates[i].isAccepted ? i : i > 0 ? m_acceptedUpTo[i - 1] : noUpdate);
        }
    }

    // The newest update on a PE up to a time; noUpdate.
    std::uint32_t newest(std::uint32_t pe, TimeNs time) const
    {
        const auto next = std::ranges::upper_bound(m_updates, std::pair(pe, time), {},
                                                   [](const Update& one) { return std::pair(one.pe, one.time); });
        if (next == m_updates.begin() || std::prev(next)->pe != pe) return noUpdate;
        return static_cast<std::uint32_t>(next - m_updates.begin()) - 1;
    }

    Result<std::vector<Following>> messagesAfterUpdates(const TraceStore& store, const Progress& progress) const
    {
        std::vector<Following> following;
        const ScanRequest request{.fields = MessageRow::Sent | MessageRow::Entry | MessageRow::Destinations,
                                  .alignedFields = ExecutionsRow::Executions};
        for (std::size_t first = 0; first < m_updates.size();) {
            const std::uint32_t pe = m_updates[first].pe;
            const auto visit = [&](const ScannedRows<MessageRow, ExecutionsRow>& scanned) {
                for (const MessageRow& message : scanned.rows) {
                    const std::uint32_t update = newest(pe, message.sent());
                    if (update == noUpdate || message.sent() >= graph.end(m_updates[update].task)) continue;
                    const bool isExecuted = scanned.aligned.size() == 0
                                            || scanned.aligned.at(message.number()).executions() > 0;
                    following.push_back({index(message.entry()), update, isExecuted, message.destinations()});
                }
            };
            const Processor* const processor = store.processor(ProcessorId{pe});
            if (processor != nullptr)
                if (Result<> scanned = scanAligned<MessageRow, ExecutionsRow>(store, processor->track, request,
                                                                              progress, visit);
                    !scanned)
                    return scanned.error();
            while (first < m_updates.size() && m_updates[first].pe == pe) ++first;
        }
        std::ranges::sort(following);
        return following;
    }

    void findCarriers(const std::vector<Following>& following)
    {
        double count[2] = {0, 0};
        for (const Update& update : m_updates) ++count[update.isAccepted ? 1 : 0];
        std::optional<std::pair<double, std::uint32_t>> most;  // sent after accepted updates
        for (std::size_t i = 0; i < following.size();) {
            const std::uint32_t entry = following[i].entry;
            double after[2] = {0, 0}, sent = 0;
            for (const std::size_t first = i; i < following.size() && following[i].entry == entry; ++i) {
                const std::size_t kind = m_updates[following[i].update].isAccepted ? 1 : 0;
                if (kind == 1) sent += static_cast<double>(following[i].destinations);
                if (i == first || following[i].update != following[i - 1].update) ++after[kind];
            }
            const double share = after[1] / std::max(count[1], 1.0) - after[0] / std::max(count[0], 1.0);
            if (share < carrierShare) continue;
            if (count[0] > 0) spread.carriers.push_back(EntryId{entry});
            else if (!most || sent > most->first) most = {sent, entry};
        }
        if (most) spread.carriers.push_back(EntryId{most->second});
        for (const Following& one : following)
            if (one.isExecuted && isCarrier(one.entry)) m_updates[one.update].isExecuted = true;
    }

    bool isCarrier(std::uint32_t entry) const
    {
        return spread.carriers.empty() || std::ranges::binary_search(spread.carriers, EntryId{entry});
    }

    // The newest accepted update in the task that sent `task`'s message, before it was sent; noUpdate.
    std::uint32_t updateBefore(std::uint32_t task) const
    {
        const std::uint32_t source = graph.source[task];
        if (source == noTask) return noUpdate;
        const auto first = m_firstOf.find(source);
        if (first == m_firstOf.end()) return noUpdate;
        std::uint32_t update = newest(graph.pe[source], graph.begin[source] + graph.offset[task]);
        if (update != noUpdate) update = m_acceptedUpTo[update];
        return update != noUpdate && update >= first->second ? update : noUpdate;
    }

    // Whether the message was created outside any task, by the run-time system: it hangs on the end of one, or on none.
    bool isCreatedAnew(std::uint32_t task) const
    {
        const std::uint32_t source = graph.source[task];
        return source == noTask || graph.offset[task] >= graph.duration[source];
    }

    // Broadcasts created anew with updates that nothing executed: in order if there are as many, as a queue leaves
    // them; else each with the newest before it.
    void pairBroadcasts()
    {
        std::vector<std::uint32_t> lost;
        for (std::uint32_t i = 0; i < m_updates.size(); ++i)
            if (m_updates[i].isAccepted && !m_updates[i].isExecuted) lost.push_back(i);
        if (lost.empty() || spread.carriers.empty()) return;
        std::ranges::stable_sort(lost, {}, [&](std::uint32_t i) { return m_updates[i].time; });
        const std::vector<Creation> created = createdAnew();
        const bool isQueue = created.size() == lost.size();
        const auto timeOf = [&](std::uint32_t i) { return m_updates[i].time; };
        for (std::size_t i = 0; i < created.size(); ++i) {
            auto update = lost.begin() + static_cast<std::ptrdiff_t>(std::min(i, lost.size() - 1));
            if (!isQueue || timeOf(*update) > created[i].first) {
                update = std::ranges::upper_bound(lost, created[i].first, {}, timeOf);
                if (update == lost.begin()) continue;
                --update;
            }
            if (!m_createdAnew.empty() && m_createdAnew.back().first == created[i])
                m_createdAnew.back().second = *update;
            else m_createdAnew.emplace_back(created[i], *update);
        }
    }

    // When and by which PE messages that carry were created outside any task, each once. Those of one time are as many
    // as one PE executed.
    std::vector<Creation> createdAnew() const
    {
        std::vector<std::pair<Creation, std::uint32_t>> executions;  // with the PE
        for (std::uint32_t task = 0; task < graph.size(); ++task)
            if (isCarrier(graph.entry[task]) && isCreatedAnew(task) && graph.sent(task) != minTime)
                executions.push_back({{graph.sent(task), creator(task)}, graph.pe[task]});
        std::ranges::sort(executions);
        std::vector<Creation> created;
        for (std::size_t i = 0; i < executions.size();) {
            const Creation creation = executions[i].first;
            std::size_t most = 0, ofPe = 0;
            for (const std::size_t first = i; i < executions.size() && executions[i].first == creation; ++i) {
                ofPe = i > first && executions[i].second == executions[i - 1].second ? ofPe + 1 : 1;
                most = std::max(most, ofPe);
            }
            created.insert(created.end(), most, creation);
        }
        return created;
    }
    std::uint32_t creator(std::uint32_t task) const
    {
        return graph.source[task] == noTask ? noUpdate : graph.pe[graph.source[task]];
    }

    // The update that a task's message brings from where it was made; noUpdate.
    std::uint32_t brought(std::uint32_t task) const
    {
        if (!m_createdAnew.empty() && isCreatedAnew(task)) {
            const Creation creation{graph.sent(task), creator(task)};
            const auto known = std::ranges::lower_bound(m_createdAnew, creation, {}, &UpdateOf::first);
            if (known != m_createdAnew.end() && known->first == creation) return known->second;
        }
        return updateBefore(task);
    }

    // `carried` is the best update that a task's message brings. A message carries what its sender was brought or had
    // accepted before, if it or its sender is of an entry method that carries.
    void deliver(const Progress& progress)
    {
        std::vector<std::uint32_t> carried(graph.size(), noUpdate);
        for (std::uint32_t task = 0; task < graph.size(); ++task) {
            if ((task & 0xffffu) == 0 && progress.isCancelled()) return;
            const std::uint32_t source = graph.source[task];
            const bool isOne = isCarrier(graph.entry[task]);
            if (source != noTask && (isOne || isCarrier(graph.entry[source]))) carried[task] = carried[source];
            const std::uint32_t update = isOne ? brought(task) : noUpdate;
            const bool isNew = update != noUpdate
                               && (carried[task] == noUpdate
                                   || isBetter(m_updates[update].value, m_updates[carried[task]].value));
            if (isNew) carried[task] = update;
            if (carried[task] != noUpdate && graph.pe[task] < spread.known.size())
                spread.known[graph.pe[task]].push_back({graph.begin[task], m_updates[carried[task]].value});
        }
    }

    const ActivityGraph& graph;
    const bool m_isSmallerBetter;
    SpreadValues spread;
    std::vector<Update> m_updates;
    std::vector<std::uint32_t> m_acceptedUpTo;  // of each: it or the last accepted one before; noUpdate
    std::unordered_map<std::uint32_t, std::uint32_t> m_firstOf;  // first update of a task
    std::vector<UpdateOf> m_createdAnew;                         // sorted
};

}  // namespace

Result<SpreadValues> spreadValues(const TraceStore& store, const ActivityGraph& graph, const RecordedVariable& variable,
                                  bool isSmallerBetter, const Progress& progress)
{
    return Spreading(graph, isSmallerBetter).find(store, variable.samples, progress);
}

std::uint32_t taskAt(const ActivityGraph& graph, std::uint32_t pe, TimeNs time)
{
    if (pe >= graph.byProcessor.size()) return noTask;
    const std::span<const std::uint32_t> tasks = graph.byProcessor[pe];
    const auto next = std::ranges::upper_bound(tasks, time, {}, [&](std::uint32_t task) { return graph.begin[task]; });
    if (next == tasks.begin()) return noTask;
    return time <= graph.end(*std::prev(next)) ? *std::prev(next) : noTask;
}

}  // namespace longpole
