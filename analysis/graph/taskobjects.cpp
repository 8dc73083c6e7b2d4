// SPDX-License-Identifier: GPL-3.0-or-later
// Reads objects and creations PE by PE: objects are numbered on each PE first, then over all.
#include "analysis/graph/taskobjects.h"

#include "analysis/base/naming.h"
#include "analysis/base/parallelresult.h"
#include "core/base/drawnhash.h"
#include "core/base/result.h"
#include "core/store/rows.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

namespace longpole {

namespace {

// Chare, index, and the PE for those without an index.
using ObjectKey = std::array<std::int64_t, 8>;

struct KeyHash {
    std::size_t operator()(const ObjectKey& key) const
    {
        std::uint64_t hash = 0;
        for (const std::int64_t part : key) hash = drawnHash(static_cast<std::uint64_t>(part), hash);
        return hash;
    }
};

using Numbers = std::unordered_map<ObjectKey, std::uint32_t, KeyHash>;

class ObjectReader {
public:
    ObjectReader(const TraceStore& store, const ActivityGraph& graph, const Progress& progress)
        : m_store(store), m_graph(graph), m_progress(progress), m_sends(graph.size()), m_keys(graph.byProcessor.size())
    {
        m_result.object.resize(graph.size(), noObject);
        for (const Entry& entry : store.entries()) {
            if (entry.kind != EntryKind::User || index(entry.id) >= mostIds) continue;
            if (index(entry.id) >= m_owners.size()) m_owners.resize(index(entry.id) + std::size_t{1});
            m_owners[index(entry.id)] = ownerOf(entry);
        }
    }

    Result<TaskObjects> read()
    {
        const auto readOne = [this](std::size_t pe) { return readProcessor(pe); };
        if (const Result<> read = parallelResult(m_keys.size(), m_progress, readOne); !read) return read.error();
        numberAll();
        m_result.sends.assign(m_sends.begin(), m_sends.end());
        return std::move(m_result);
    }

private:
    // What kind of object an entry runs on.
    struct Owner {
        std::int64_t chare = -1;  // -1: none of the user's
        bool isArray = false;
    };

    Owner ownerOf(const Entry& entry) const
    {
        const Chare* const chare = findChare(m_store, entry.chareId);
        return chare == nullptr ? Owner{} : Owner{index(entry.chareId), chare->dimensions > 0};
    }

    Result<> readProcessor(std::size_t pe)
    {
        const Processor* const processor = m_store.processor(ProcessorId{static_cast<std::uint32_t>(pe)});
        if (processor == nullptr) return Unit{};
        if (const Result<> objects = readObjects(pe, processor->track); !objects) return objects.error();
        return readSends(pe, processor->track);
    }

    // Reads the objects of a PE; they are numbered on each PE for itself at first.
    Result<> readObjects(std::size_t pe, TrackId track)
    {
        const std::span<const std::uint32_t> tasks = m_graph.byProcessor[pe];
        Numbers numbers;
        RowSeeker<TaskRow> rows(m_store, track, TaskRow::Entry | TaskRow::Object);
        for (const std::uint32_t task : tasks) {
            const Result<const TaskRow*> row = rows.find(m_graph.taskIndex[task]);
            if (!row) return row.error();
            const std::optional<ObjectKey> key = *row != nullptr ? keyOf(**row, pe) : std::nullopt;
            if (!key) continue;
            const auto [known, isNew] = numbers.try_emplace(*key, static_cast<std::uint32_t>(numbers.size()));
            if (isNew) m_keys[pe].push_back(*key);
            m_result.object[task] = known->second;
        }
        return Unit{};
    }

    std::optional<ObjectKey> keyOf(const TaskRow& task, std::size_t pe) const
    {
        const std::size_t entry = index(task.entry());
        if (entry >= m_owners.size() || m_owners[entry].chare < 0) return std::nullopt;
        ObjectKey key{m_owners[entry].chare};
        for (std::size_t i = 0; i < 6; ++i) key[i + 1] = task.objectIndex(i);
        const bool hasIndex = std::any_of(key.begin() + 1, key.end(), [](std::int64_t part) { return part != 0; });
        key[7] = hasIndex || m_owners[entry].isArray ? -1 : static_cast<std::int64_t>(pe);
        return key;
    }

    Result<> readSends(std::size_t pe, TrackId track)
    {
        std::vector<std::uint32_t> rows;  // of the PE's graph tasks
        for (const std::uint32_t task : m_graph.byProcessor[pe]) rows.push_back(m_graph.taskIndex[task]);
        std::size_t at = 0;  // creations mostly follow the tasks
        auto messages = m_store.rows<MessageRow>(track, MessageRow::Sent | MessageRow::Task);
        for (const MessageRow& message : messages) {
            const std::optional<std::int64_t> row = message.task();
            if (!row || rows.empty() || *row < rows[0]) continue;
            if (*row < rows[at] || (at + 1 < rows.size() && *row >= rows[at + 1]))
                at = static_cast<std::size_t>(std::upper_bound(rows.begin(), rows.end(), *row) - rows.begin()) - 1;
            const std::uint32_t task = m_graph.byProcessor[pe][at];  // or an execution inside it has this row
            if (message.sent() >= m_graph.begin[task] && message.sent() <= m_graph.end(task)) m_sends[task] = 1;
        }
        return messages.result();
    }

    void numberAll()
    {
        Numbers numbers;
        std::vector<std::uint32_t> numberOf;
        for (std::size_t pe = 0; pe < m_keys.size(); ++pe) {
            numberOf.clear();
            for (const ObjectKey& key : m_keys[pe])
                numberOf.push_back(numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second);
            std::vector<ObjectKey>().swap(m_keys[pe]);
            for (const std::uint32_t task : m_graph.byProcessor[pe])
                if (m_result.object[task] != noObject) m_result.object[task] = numberOf[m_result.object[task]];
        }
        m_result.objects = static_cast<std::uint32_t>(numbers.size());
    }

    const TraceStore& m_store;
    const ActivityGraph& m_graph;
    const Progress& m_progress;
    std::vector<Owner> m_owners;                 // by entry
    std::vector<std::uint8_t> m_sends;           // no vector of bool, as threads write different PEs at the same time
    std::vector<std::vector<ObjectKey>> m_keys;  // per PE, by its own numbers
    TaskObjects m_result;
};

}  // namespace

Result<TaskObjects> taskObjects(const TraceStore& store, const ActivityGraph& graph, const Progress& progress)
{
    return ObjectReader(store, graph, progress).read();
}

}  // namespace longpole
