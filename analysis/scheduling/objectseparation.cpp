// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/scheduling/objectseparation.h"

#include "analysis/base/naming.h"
#include "analysis/scheduling/schedulingwords.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/store/rows.h"
#include "core/trace/format.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>

namespace longpole {

namespace {

constexpr std::size_t mostTallies = std::size_t{1} << 25;
constexpr std::size_t mostIterations = std::size_t{1} << 20;
constexpr double leastCovered = 0.75;
constexpr double leastWorth = 0.4;
constexpr std::size_t fewObjects = 4;  // more would fit any path
constexpr std::uint8_t noSlot = 0xff;

using ObjectIndex = std::array<std::int64_t, 6>;

struct Tally {
    TimeNs critical = 0;
    TimeNs other = 0;
    std::uint32_t executions = 0;
    std::uint32_t first = noTask;

    void add(TimeNs time, bool isCritical) { addSaturating((isCritical ? critical : other), time); }
    void add(const Tally& tally)
    {
        addSaturating(critical, tally.critical);
        addSaturating(other, tally.other);
    }
};

double share(TimeNs part, TimeNs whole)
{
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

void take(Separation& best, Separation candidate)
{
    if (candidate.covered < leastCovered || candidate.worth() < leastWorth) return;
    if (best.kind == SeparationKind::None || candidate.worth() > best.worth()) best = std::move(candidate);
}

class Separator {
public:
    Separator(const TraceStore& store, const ActivityGraph& graph, const TaskObjects& objects,
              const std::vector<bool>& isCritical, const std::vector<EntryId>& entries)
        : m_store(store), m_graph(graph), m_objects(objects), m_isCritical(isCritical), m_entries(entries)
    {
        for (std::size_t slot = 0; slot < entries.size(); ++slot) {
            const std::size_t entry = index(entries[slot]);
            if (entry >= mostIds) continue;
            if (entry >= m_slots.size()) m_slots.resize(entry + 1, noSlot);
            m_slots[entry] = static_cast<std::uint8_t>(slot);
        }
    }

    Result<std::vector<Separation>> find(const Progress& progress)
    {
        std::vector<Separation> found;
        for (const EntryId entry : m_entries) found.push_back(Separation{.entry = entry});
        if (m_objects.objects == 0 || m_objects.objects > mostTallies / std::max<std::size_t>(m_entries.size(), 1))
            return found;
        tally();
        if (progress.isCancelled()) return cancelledError();
        for (std::size_t slot = 0; slot < m_entries.size(); ++slot)
            if (const Result<> done = best(found[slot], slot); !done) return done.error();
        return found;
    }

private:
    Tally& of(std::size_t slot, std::uint32_t object) { return m_tallies[slot * m_objects.objects + object]; }

    // In order of begin, so that an object's executions are counted in their order wherever it is.
    void tally()
    {
        m_tallies.assign(m_entries.size() * m_objects.objects, {});
        m_total.assign(m_entries.size(), {});
        m_byIteration.assign(m_entries.size(), {});
        for (std::uint32_t task = 0; task < m_graph.size(); ++task) {
            const std::uint32_t entry = m_graph.entry[task];
            const std::uint32_t object = m_objects.object[task];
            if (entry >= m_slots.size() || m_slots[entry] == noSlot || object == noObject) continue;
            const std::size_t slot = m_slots[entry];
            Tally& tally = of(slot, object);
            if (tally.executions == 0) tally.first = task;
            const std::size_t iteration = std::min<std::size_t>(tally.executions++, mostIterations - 1);
            std::vector<Tally>& iterations = m_byIteration[slot];
            if (iterations.size() <= iteration) iterations.resize(iteration + 1);
            for (Tally* sum : {&tally, &m_total[slot], &iterations[iteration]})
                sum->add(m_graph.duration[task], m_isCritical[task]);
        }
    }

    Result<> best(Separation& found, std::size_t slot)
    {
        const Entry* const entry = m_store.entry(found.entry);
        if (entry == nullptr || m_total[slot].critical == 0) return Unit{};
        found.chare = entry->chareId;
        if (const Chare* const chare = findChare(m_store, entry->chareId)) found.dimensions = chare->dimensions;
        if (found.dimensions > 0) {
            if (const Result<> done = byIndex(found, slot); !done) return done;
            if (found.kind != SeparationKind::Index)
                if (const Result<> done = byObject(found, slot); !done) return done;
        }
        byIteration(found, slot);
        return Unit{};
    }

    Separation candidate(const Separation& of, SeparationKind kind, const Tally& held, std::size_t slot) const
    {
        Separation made{.kind = kind, .entry = of.entry, .chare = of.chare, .dimensions = of.dimensions};
        made.covered = share(held.critical, m_total[slot].critical);
        made.others = share(held.other, m_total[slot].other);
        return made;
    }

    Result<> byIndex(Separation& best, std::size_t slot)
    {
        const auto dimensions = static_cast<std::uint32_t>(std::clamp(best.dimensions, 1, 6));
        std::vector<std::map<std::int64_t, Tally>> byValue(dimensions);
        std::vector<std::pair<std::uint32_t, ObjectIndex>> known;
        for (std::uint32_t object = 0; object < m_objects.objects; ++object)
            if (of(slot, object).executions != 0) known.emplace_back(object, ObjectIndex{});
        std::vector<std::size_t> order(known.size());  // in which rows are decoded chunk by chunk
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return m_graph.id(of(slot, known[a].first).first) < m_graph.id(of(slot, known[b].first).first);
        });
        for (const std::size_t i : order) {
            const Result<ObjectIndex> index = indexOf(of(slot, known[i].first).first);
            if (!index) return index.error();
            known[i].second = *index;
        }
        for (const auto& [object, index] : known)
            for (std::uint32_t d = 0; d < dimensions; ++d) byValue[d][index[d]].add(of(slot, object));
        for (std::uint32_t d = 0; d < dimensions; ++d) {
            for (const auto& [value, held] : byValue[d]) {
                Separation made = candidate(best, SeparationKind::Index, held, slot);
                made.dimension = d;
                made.value = value;
                if (made.covered >= leastCovered)
                    for (const auto& [object, index] : known)
                        if (index[d] == value) made.objects.push_back(object);
                take(best, std::move(made));
            }
        }
        return Unit{};
    }

    Result<> byObject(Separation& best, std::size_t slot)
    {
        Tally held;
        std::vector<std::uint32_t> objects;
        for (std::uint32_t object = 0; object < m_objects.objects; ++object) {
            const Tally& tally = of(slot, object);
            if (tally.critical == 0 || tally.critical < tally.other) continue;
            held.add(tally);
            objects.push_back(object);
        }
        Separation made = candidate(best, SeparationKind::Objects, held, slot);
        if (objects.size() > fewObjects) return Unit{};
        for (const std::uint32_t object : objects) {
            const Result<ObjectIndex> index = indexOf(of(slot, object).first);
            if (!index) return index.error();
            made.names << nameOf(best, *index);
        }
        made.objects = std::move(objects);
        take(best, std::move(made));
        return Unit{};
    }

    QString nameOf(const Separation& found, const ObjectIndex& index) const
    {
        const Chare* const chare = findChare(m_store, found.chare);
        if (chare == nullptr) return {};
        return objectName(*chare, {index.data(), static_cast<std::size_t>(std::clamp(found.dimensions, 1, 6))});
    }

    // Of equal worth the objects are kept: they are known before the run.
    void byIteration(Separation& best, std::size_t slot)
    {
        Tally held;
        const std::vector<Tally>& iterations = m_byIteration[slot];
        for (std::size_t i = iterations.size(); i-- > 1;) {
            held.add(iterations[i]);
            Separation made = candidate(best, SeparationKind::Iterations, held, slot);
            made.value = static_cast<std::int64_t>(i);
            take(best, std::move(made));
        }
    }

    // Objects are mostly in one chunk: that of their first execution.
    Result<ObjectIndex> indexOf(std::uint32_t task)
    {
        const Processor* const processor = m_store.processor(ProcessorId{m_graph.pe[task]});
        constexpr ObjectIndex found{};
        if (processor == nullptr) return found;
        if (!m_tasks || m_graph.pe[task] != m_pe) m_tasks.emplace(m_store, processor->track, TaskRow::Object);
        m_pe = m_graph.pe[task];
        const Result<const TaskRow*> row = m_tasks->find(m_graph.taskIndex[task]);
        if (!row) return row.error();
        return *row != nullptr ? (*row)->objectIndex() : found;
    }

    const TraceStore& m_store;
    const ActivityGraph& m_graph;
    const TaskObjects& m_objects;
    const std::vector<bool>& m_isCritical;
    const std::vector<EntryId>& m_entries;
    std::vector<std::uint8_t> m_slots;
    std::vector<Tally> m_tallies;
    std::vector<Tally> m_total;
    std::vector<std::vector<Tally>> m_byIteration;
    std::optional<RowSeeker<TaskRow>> m_tasks;  // of m_pe
    std::uint32_t m_pe = 0;
};

QString chareName(const TraceStore& store, ChareId id)
{
    const Chare* const chare = findChare(store, id);
    return chare != nullptr ? chare->name : QString();
}

}  // namespace

QString words(const Separation& separation, const TraceStore& store)
{
    switch (separation.kind) {
    case SeparationKind::Index: {
        QStringList parts;
        for (int d = 0; d < separation.dimensions; ++d)
            parts << (std::uint32_t(d) == separation.dimension ? QString::number(separation.value)
                                                               : QStringLiteral("*"));
        return chareName(store, separation.chare) + QLatin1Char('[') + parts.join(QLatin1Char(',')) + QLatin1Char(']');
    }
    case SeparationKind::Objects: return listed(separation.names);
    case SeparationKind::Iterations:
        return separation.value == 1
                   ? tr("the tasks of each object after its first")
                   : tr("the tasks of each object after its first %1").arg(formatCount(separation.value));
    case SeparationKind::None: break;
    }
    return {};
}

Result<std::vector<Separation>> separations(const TraceStore& store, const ActivityGraph& graph,
                                            const TaskObjects& objects, const std::vector<bool>& isCritical,
                                            const std::vector<EntryId>& entries, const Progress& progress)
{
    return Separator(store, graph, objects, isCritical, entries).find(progress);
}

}  // namespace longpole
