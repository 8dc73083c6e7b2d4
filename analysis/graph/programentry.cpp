// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/graph/programentry.h"

#include "analysis/base/naming.h"
#include "analysis/graph/nestedparts.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"

#include <map>
#include <vector>

namespace longpole {

namespace {

using TimesByEntry = std::map<std::uint32_t, TimeNs>;

EntryId longest(const TimesByEntry& times)
{
    EntryId found = noEntry;
    TimeNs most = 0;
    for (const auto& [entry, time] : times)
        if (time > most) {
            most = time;
            found = EntryId{entry};
        }
    return found;
}

class Behind {
public:
    Behind(const TraceStore& store, const ActivityGraph& graph, const Entry& runtime)
        : m_graph(graph), m_nested(graph),
          m_kind(std::max(graph.exclusiveByEntry.size(), store.entries().size()), Kind::Program)
    {
        for (const Entry& entry : store.entries())
            if (const std::size_t id = index(entry.id); id < mostIds && entry.kind == EntryKind::System) {
                if (id >= m_kind.size()) m_kind.resize(id + 1, Kind::Program);
                m_kind[id] = Kind::Runtime;
                if (entry.id == runtime.id) m_kind[id] = Kind::Asked;
                // No message leads to quiescence: who wants to know of it called another method of the same chare.
                else if (isOfQuiescence(runtime) && entry.chare == runtime.chare) m_kind[id] = Kind::Mate;
            }
    }

    ProgramEntry find()
    {
        for (const std::span<const std::uint32_t> tasks : m_graph.byProcessor)
            for (std::size_t i = 0; i < tasks.size(); ++i) look(tasks, i);
        for (const TimesByEntry* times : {&m_run, &m_started})
            if (const EntryId entry = longest(*times); entry != noEntry && !m_hasMates)
                return {entry, ProgramEntry::Kind::Delivers};
        const EntryId sender = longest(m_senders);
        return {sender, sender == noEntry ? ProgramEntry::Kind::Unknown : ProgramEntry::Kind::SentBy};
    }

private:
    enum class Kind : std::uint8_t { Program, Runtime, Asked, Mate };

    Kind kindOf(std::uint32_t entry) const { return entry < m_kind.size() ? m_kind[entry] : Kind::Program; }

    // Adds time of an entry method; a task without length counts, too.
    static void add(TimesByEntry& times, std::uint32_t entry, TimeNs time) { addSaturating(times[entry], time + 1); }

    void look(std::span<const std::uint32_t> tasks, std::size_t at)
    {
        const std::uint32_t task = tasks[at], source = m_graph.source[task];
        const Kind own = kindOf(m_graph.entry[task]);
        const std::uint32_t sender = source == noTask ? index(noEntry) : senderOf(task, source);
        const bool hasSender = source != noTask;
        if (own == Kind::Program && hasSender && kindOf(sender) == Kind::Asked)
            add(m_started, m_graph.entry[task], m_graph.duration[task]);
        m_hasMates = m_hasMates || own == Kind::Mate;
        if (own != Kind::Asked && own != Kind::Mate) return;
        if (hasSender && kindOf(sender) == Kind::Program) add(m_senders, sender, 0);
        if (own == Kind::Mate) return;
        for (const ActivityGraph::Inner& inner : m_graph.innerOf(task))
            if (kindOf(inner.entry) == Kind::Program) add(m_run, inner.entry, inner.end - inner.begin);
        for (std::size_t next = at + 1; source != noTask && next < tasks.size(); ++next) {
            const std::uint32_t behind = tasks[next];
            if (m_graph.source[behind] != source || kindOf(m_graph.entry[behind]) != Kind::Program) break;
            add(m_run, m_graph.entry[behind], m_graph.duration[behind]);
        }
    }

    // The entry method of the innermost task that sent the message.
    std::uint32_t senderOf(std::uint32_t task, std::uint32_t source) const
    {
        return m_nested.entryAt(source, m_graph.begin[source] + m_graph.offset[task]);
    }

    const ActivityGraph& m_graph;
    NestedParts m_nested;
    std::vector<Kind> m_kind;
    TimesByEntry m_run, m_started, m_senders;
    bool m_hasMates = false;
};

}  // namespace

bool isOfRuntime(const TraceStore& store, EntryId entry)
{
    const Entry* known = store.entry(entry);
    return known != nullptr && known->kind == EntryKind::System && !store.info().hasRanks();
}

bool isOfQuiescence(const Entry& entry)
{
    return entry.name.contains(QLatin1String("CkQdMsg")) || entry.name.contains(QLatin1String("uiescence"));
}

ProgramEntry programEntryOf(const TraceStore& store, const ActivityGraph& graph, EntryId entry)
{
    if (!isOfRuntime(store, entry)) return {entry, ProgramEntry::Kind::Own};
    return Behind(store, graph, *store.entry(entry)).find();
}

QString nameWithOwner(const TraceStore& store, EntryId entry)
{
    const QString name = nameOfEntry(store, entry);
    return isOfRuntime(store, entry) ? tr("the runtime's %1").arg(name) : name;
}

}  // namespace longpole
