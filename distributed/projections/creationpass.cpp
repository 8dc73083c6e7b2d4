// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/projections/creationpass.h"

#include "core/base/sortrows.h"
#include "core/base/translate.h"
#include "distributed/exchange/pack.h"
#include "distributed/transport/records.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

// A creation as it travels: by key, in the order in which it was asked for.
struct CreationRow {
    std::int64_t position = AnsweredCreation::none;
    TimeNs sent = 0, offset = 0;
    std::uint32_t task = 0, entry = 0, messageType = 0;
};

struct BroadcastRow {
    std::uint32_t event = 0, entry = 0;
    std::uint32_t log = 0, position = 0;
    TimeNs sent = 0, offset = 0;
    std::uint32_t task = 0, messageType = 0;
};

// An event and an entry method of which all broadcasts are wanted.
struct BroadcastKey {
    std::uint32_t event = 0, entry = 0;
    friend auto operator<=>(const BroadcastKey&, const BroadcastKey&) = default;
};

struct ExecutionRow {
    std::uint32_t log = 0, position = 0;
    std::int64_t count = 0;
};

template <typename Visit>
auto withCreationColumns(Visit visit)
{
    return visit(&CreationRow::position, &CreationRow::sent, &CreationRow::offset, &CreationRow::task,
                 &CreationRow::entry, &CreationRow::messageType);
}

template <typename Visit>
auto withBroadcastColumns(Visit visit)
{
    return visit(&BroadcastRow::event, &BroadcastRow::entry, &BroadcastRow::log, &BroadcastRow::position,
                 &BroadcastRow::sent, &BroadcastRow::offset, &BroadcastRow::task, &BroadcastRow::messageType);
}

void refuse(Transport& transport, int from)
{
    transport.fail(Error{tr("Process %1 told process %2 what cannot be.").arg(from).arg(transport.process()), QString(),
                         QString()});
}

template <typename T>
void eachOnce(std::vector<T>& keys, const Progress& progress)
{
    sortRows(keys, progress);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

class CreationExchange {
public:
    CreationExchange(Transport& transport, const HostedFolder& folder, const OwnLogs& own, const Progress& progress)
        : m_transport(transport), m_folder(folder), m_own(own), m_progress(progress), m_pes(folder.opened.pes)
    {
    }

    std::unique_ptr<ExchangedCreations> ask(std::span<const RecordedMerge> merges)
    {
        std::vector<CreationKey> keys = keysOfExecutions();
        addSourcesOf(merges, keys);
        eachOnce(keys, m_progress);
        if (m_progress.isCancelled()) m_transport.fail(cancelledError());
        if (m_transport.failed()) return nullptr;
        std::vector<AnsweredCreation> answers = creationsOf(keys);
        auto creations = std::make_unique<ExchangedCreations>(m_own.creations, m_own.creationSpill, m_folder.firstLog,
                                                              std::move(keys), std::move(answers), m_pes.size());
        if (m_transport.failed()) return nullptr;
        creations->add(broadcastsOf(wantedBroadcasts(*creations)));
        return m_transport.failed() ? nullptr : std::move(creations);
    }

private:
    // Calls visit(execution) for each execution that a message started.
    template <typename Visit>
    void forEachExecution(Visit visit)
    {
        for (const ProcessorResult& result : m_own.results) {
            Executions::Reader reader(result.executions, m_own.executionSpill);
            PendingExecution execution;
            while (reader.next(execution))
                if (!execution.isBlock) visit(execution);
            m_transport.pulse();
        }
    }

    bool isOwn(std::uint32_t log) const { return log >= m_folder.firstLog && log < m_folder.lastLog; }

    std::vector<CreationKey> keysOfExecutions()
    {
        std::vector<CreationKey> keys;
        if (m_folder.firstLog == 0 && m_folder.lastLog == m_pes.size()) return keys;
        forEachExecution([&](const PendingExecution& execution) {
            if (const auto log = logOfProcessor(m_pes, execution.creator); log && !isOwn(*log))
                keys.push_back({*log, static_cast<std::uint32_t>(execution.event)});
        });
        return keys;
    }

    // Merges are few, and known to all; of those into some event that was executed here the sources are wanted.
    void addSourcesOf(std::span<const RecordedMerge> merges, std::vector<CreationKey>& keys)
    {
        if (merges.empty()) return;
        std::vector<std::uint32_t> events;
        forEachExecution([&](const PendingExecution& execution) {
            events.push_back(static_cast<std::uint32_t>(execution.event));
        });
        eachOnce(events, m_progress);
        for (const RecordedMerge& merge : merges) {
            m_transport.pulse();
            if (m_transport.failed()) return;
            if (!std::binary_search(events.begin(), events.end(), merge.event)) continue;
            if (const auto log = logOfProcessor(m_pes, merge.sourcePe); log && !isOwn(*log))
                keys.push_back({*log, merge.sourceEvent});
        }
    }

    std::vector<AnsweredCreation> creationsOf(const std::vector<CreationKey>& keys)
    {
        std::vector<std::vector<CreationKey>> asked(processes());
        std::vector<std::size_t> first(processes(), 0);  // the number of the first key asked of each
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const auto host = static_cast<std::size_t>(m_folder.hostOfLog(keys[i].log));
            if (asked[host].empty()) first[host] = i;
            asked[host].push_back(keys[i]);
        }
        std::vector<Payload> packed;
        std::vector<std::size_t> counts;
        for (std::vector<CreationKey>& own : asked) {
            Packer packer;
            if (!own.empty()) packer.putTable(own, &CreationKey::log, &CreationKey::event);
            counts.push_back(own.size());
            std::vector<CreationKey>().swap(own);
            packed.push_back(packer.take());
        }
        std::vector<Payload> given(processes());
        m_transport.exchange(AskCreations, std::move(packed), [&](int from, const Payload& bytes) {
            Unpacker unpacker(bytes);
            const auto wanted = unpacker.table<CreationKey>(&CreationKey::log, &CreationKey::event);
            if (!unpacker.isWhole()) return refuse(m_transport, from);
            given[static_cast<std::size_t>(from)] = ownCreations(from, wanted);
        });
        std::vector<AnsweredCreation> answers(keys.size());
        m_transport.exchange(GiveCreations, std::move(given), [&](int from, const Payload& bytes) {
            const auto process = static_cast<std::size_t>(from);
            if (!takeCreations(bytes, keys, first[process], counts[process], answers)) refuse(m_transport, from);
        });
        return answers;
    }

    Payload ownCreations(int from, const std::vector<CreationKey>& wanted)
    {
        CreationReader reader(m_own.creations, m_own.creationSpill);
        std::vector<CreationRow> rows;
        rows.reserve(wanted.size());
        for (const CreationKey& key : wanted) {
            if (!isOwn(key.log)) {
                refuse(m_transport, from);
                return {};
            }
            const auto log = static_cast<std::uint32_t>(key.log - m_folder.firstLog);
            CreationRow& row = rows.emplace_back();
            const auto position = reader.find(log, key.event);
            if (!position) continue;
            const Creation creation = reader.at(log, *position);
            row = {*position, creation.sent, creation.offset, creation.task, creation.entry, creation.messageType};
        }
        Packer packer;
        withCreationColumns([&](auto... columns) { packer.putTable(rows, columns...); });
        return packer.take();
    }

    static bool takeCreations(const Payload& bytes, const std::vector<CreationKey>& keys, std::size_t first,
                              std::size_t count, std::vector<AnsweredCreation>& answers)
    {
        Unpacker unpacker(bytes);
        const auto rows = withCreationColumns([&](auto... columns) { return unpacker.table<CreationRow>(columns...); });
        if (!unpacker.isWhole() || rows.size() != count) return false;
        for (std::size_t i = 0; i < count; ++i) {
            const CreationRow& row = rows[i];
            if (row.position < AnsweredCreation::none || row.position > 0xffffffffll) return false;
            answers[first + i] = {row.position,
                                  {.sent = row.sent,
                                   .offset = row.offset,
                                   .event = keys[first + i].event,
                                   .task = row.task,
                                   .entry = row.entry,
                                   .messageType = row.messageType}};
        }
        return true;
    }

    std::vector<BroadcastKey> wantedBroadcasts(const ExchangedCreations& exchanged)
    {
        const std::unique_ptr<CreationLookup> creations = exchanged.view();
        std::vector<BroadcastKey> wanted;
        forEachExecution([&](const PendingExecution& execution) {
            const auto event = static_cast<std::uint32_t>(execution.event);
            if (const auto log = logOfProcessor(m_pes, execution.creator))
                if (const auto position = creations->find(*log, event))
                    if (linkOf(creations->at(*log, *position), execution.entry) == Link::Message) return;
            wanted.push_back({event, execution.entry});
        });
        eachOnce(wanted, m_progress);
        return wanted;
    }

    std::size_t ownerOf(BroadcastKey key) const
    {
        std::uint64_t mixed = (std::uint64_t{key.event} << 32u | key.entry) * 0x9e3779b97f4a7c15u;
        mixed ^= mixed >> 32u;
        return static_cast<std::size_t>(mixed % processes());
    }

    std::vector<AnsweredBroadcast> broadcastsOf(const std::vector<BroadcastKey>& wanted)
    {
        const std::vector<BroadcastRow> dealt = dealBroadcasts();
        std::vector<std::vector<BroadcastKey>> asked(processes());
        for (const BroadcastKey& key : wanted) asked[ownerOf(key)].push_back(key);
        std::vector<Payload> packed;
        for (const std::vector<BroadcastKey>& own : asked) {
            Packer packer;
            if (!own.empty()) packer.putTable(own, &BroadcastKey::event, &BroadcastKey::entry);
            packed.push_back(packer.take());
        }
        std::vector<Payload> given(processes());
        m_transport.exchange(AskBroadcasts, std::move(packed), [&](int from, const Payload& bytes) {
            Unpacker unpacker(bytes);
            const auto keys = unpacker.table<BroadcastKey>(&BroadcastKey::event, &BroadcastKey::entry);
            if (!unpacker.isWhole()) return refuse(m_transport, from);
            given[static_cast<std::size_t>(from)] = packedBroadcasts(dealt, keys);
        });
        std::vector<AnsweredBroadcast> answers;
        m_transport.exchange(GiveBroadcasts, std::move(given), [&](int from, const Payload& bytes) {
            if (!takeBroadcasts(bytes, answers)) refuse(m_transport, from);
        });
        return answers;
    }

    // Each broadcast to the process to which its event and entry method belong: those that have come here, by these.
    std::vector<BroadcastRow> dealBroadcasts()
    {
        std::vector<std::vector<BroadcastRow>> dealt(processes());
        CreationReader reader(m_own.creations, m_own.creationSpill);
        for (std::uint32_t log = 0; log < m_own.results.size(); ++log)
            for (const BroadcastCreation& own : m_own.results[log].broadcasts) {
                const Creation creation = reader.at(log, own.position);
                dealt[ownerOf({own.event, own.entry})].push_back({own.event, own.entry,
                                                                  static_cast<std::uint32_t>(m_folder.firstLog + log),
                                                                  own.position, own.sent, creation.offset,
                                                                  creation.task, creation.messageType});
            }
        std::vector<Payload> packed;
        for (std::vector<BroadcastRow>& rows : dealt) {
            packed.push_back(rows.empty() ? Payload() : packedRows(rows));
            std::vector<BroadcastRow>().swap(rows);
        }
        std::vector<BroadcastRow> come;
        m_transport.exchange(DealBroadcasts, std::move(packed), [&](int from, const Payload& bytes) {
            const auto rows = rowsFrom(bytes);
            if (!rows) return refuse(m_transport, from);
            come.insert(come.end(), rows->begin(), rows->end());
        });
        std::sort(come.begin(), come.end(), [](const BroadcastRow& a, const BroadcastRow& b) {
            return std::tie(a.event, a.entry, a.log, a.position) < std::tie(b.event, b.entry, b.log, b.position);
        });
        return come;
    }

    static Payload packedRows(const std::vector<BroadcastRow>& rows)
    {
        Packer packer;
        withBroadcastColumns([&](auto... columns) { packer.putTable(rows, columns...); });
        return packer.take();
    }

    // Nothing if they cannot be.
    std::optional<std::vector<BroadcastRow>> rowsFrom(const Payload& bytes) const
    {
        Unpacker unpacker(bytes);
        auto rows = withBroadcastColumns([&](auto... columns) { return unpacker.table<BroadcastRow>(columns...); });
        const auto isOfRun = [this](const BroadcastRow& row) { return row.log < m_pes.size(); };
        if (!unpacker.isWhole() || !std::all_of(rows.begin(), rows.end(), isOfRun)) return std::nullopt;
        return rows;
    }

    static Payload packedBroadcasts(const std::vector<BroadcastRow>& dealt, const std::vector<BroadcastKey>& keys)
    {
        std::vector<BroadcastRow> rows;
        for (const BroadcastKey& key : keys) {
            const auto isBefore = [](const BroadcastRow& row, const BroadcastKey& wanted) {
                return BroadcastKey{row.event, row.entry} < wanted;
            };
            auto row = std::lower_bound(dealt.begin(), dealt.end(), key, isBefore);
            for (; row != dealt.end() && row->event == key.event && row->entry == key.entry; ++row)
                rows.push_back(*row);
        }
        return rows.empty() ? Payload() : packedRows(rows);
    }

    bool takeBroadcasts(const Payload& bytes, std::vector<AnsweredBroadcast>& answers) const
    {
        const auto rows = rowsFrom(bytes);
        const auto isThere = [this](const BroadcastRow& row) {
            return !isOwn(row.log) || row.position < m_own.creations[row.log - m_folder.firstLog].size();
        };
        if (!rows || !std::all_of(rows->begin(), rows->end(), isThere)) return false;
        for (const BroadcastRow& row : *rows)
            answers.push_back({{row.event, row.entry, row.log, row.position, row.sent},
                               {.sent = row.sent,
                                .offset = row.offset,
                                .event = row.event,
                                .task = row.task,
                                .entry = row.entry,
                                .messageType = row.messageType}});
        return true;
    }

    std::size_t processes() const { return static_cast<std::size_t>(m_transport.processes()); }

    Transport& m_transport;
    const HostedFolder& m_folder;
    const OwnLogs& m_own;
    const Progress& m_progress;
    const std::vector<std::uint32_t>& m_pes;
};

std::vector<ExecutionRow> countedRows(std::vector<std::uint64_t> creations)
{
    std::sort(creations.begin(), creations.end());
    std::vector<ExecutionRow> rows;
    for (std::size_t first = 0, last = 0; first < creations.size(); first = last) {
        while (last < creations.size() && creations[last] == creations[first]) ++last;
        rows.push_back({static_cast<std::uint32_t>(creations[first] >> 32u),
                        static_cast<std::uint32_t>(creations[first]), static_cast<std::int64_t>(last - first)});
    }
    return rows;
}

}  // namespace

std::unique_ptr<ExchangedCreations> askForCreations(Transport& transport, const HostedFolder& folder,
                                                    const OwnLogs& own, std::span<const RecordedMerge> merges,
                                                    const Progress& progress)
{
    return CreationExchange(transport, folder, own, progress).ask(merges);
}

void tellExecutions(Transport& transport, const HostedFolder& folder, const OwnLogs& own, ToldExecutions& told)
{
    std::vector<std::vector<ExecutionRow>> rows(static_cast<std::size_t>(transport.processes()));
    for (const ExecutionRow& row : countedRows(told.takeOthers()))
        rows[static_cast<std::size_t>(folder.hostOfLog(row.log))].push_back(row);
    std::vector<Payload> packed;
    for (std::vector<ExecutionRow>& some : rows) {
        Packer packer;
        if (!some.empty()) packer.putTable(some, &ExecutionRow::log, &ExecutionRow::position, &ExecutionRow::count);
        std::vector<ExecutionRow>().swap(some);
        packed.push_back(packer.take());
    }
    transport.exchange(TellExecutions, std::move(packed), [&](int from, const Payload& bytes) {
        Unpacker unpacker(bytes);
        const auto come = unpacker.table<ExecutionRow>(&ExecutionRow::log, &ExecutionRow::position,
                                                       &ExecutionRow::count);
        if (!unpacker.isWhole()) return refuse(transport, from);
        for (const ExecutionRow& row : come) {
            const bool isHosted = row.log >= folder.firstLog && row.log < folder.lastLog;
            if (!isHosted || row.position >= own.creations[row.log - folder.firstLog].size() || row.count < 1)
                return refuse(transport, from);
            told.own().addMany(static_cast<std::uint32_t>(row.log - folder.firstLog), row.position, row.count);
        }
    });
}

}  // namespace longpole
