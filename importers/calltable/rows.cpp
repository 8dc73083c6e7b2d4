// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the text of a table of calls; then threads and requests, rank by rank.
#include "importers/calltable/rows.h"

#include "core/base/limits.h"
#include "core/base/sortrows.h"
#include "core/base/timelimits.h"
#include "core/base/translate.h"
#include "importers/common/tonumber.h"

#include <QHash>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

constexpr std::uint32_t mostRanks = 1u << 20;

enum Column { Rank, Seq, Call, Begin, End, Comm, Peer, Tag, Before, Execution, After, Columns };
constexpr std::array<std::string_view, Columns> columnNames{"rank",        "seq",       "call",      "start_ns",
                                                            "end_ns",      "comm",      "peer",      "tag",
                                                            "wait_before", "execution", "wait_after"};

std::string_view trimmed(std::string_view text)
{
    const auto isBlank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '"'; };
    while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
    while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
    return text;
}

std::vector<std::string_view> split(std::string_view line, char separator)
{
    std::vector<std::string_view> fields;
    for (;;) {
        const std::size_t at = line.find(separator);
        fields.push_back(trimmed(line.substr(0, at)));
        if (at == std::string_view::npos) return fields;
        line.remove_prefix(at + 1);
    }
}

bool isNone(std::string_view field) { return field.empty() || field == "-"; }

// Reads "3", "3;1" or "-": one value, the two of a Sendrecv, which sends and receives, or none. False for other texts.
bool readPair(std::string_view field, std::int32_t none, std::int32_t& first, std::int32_t& second)
{
    std::int32_t* const values[] = {&first, &second};
    first = second = none;
    const auto parts = split(field, ';');
    if (parts.size() > 2) return false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (isNone(parts[i])) continue;
        const auto value = toNumber<std::int32_t>(parts[i]);
        if (!value) return false;
        *values[i] = *value;
    }
    return true;
}

using Positions = std::array<int, Columns>;  // of columns in a line; -1: absent

Positions positionsIn(std::string_view head)
{
    Positions positions;
    positions.fill(-1);
    const auto fields = split(head, ',');
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const auto found = std::find(columnNames.begin(), columnNames.end(), fields[i]);
        if (found != columnNames.end()) positions[std::size_t(found - columnNames.begin())] = int(i);
    }
    return positions;
}

bool isWhole(const Positions& positions)
{
    return positions[Rank] >= 0 && positions[Call] >= 0 && positions[Begin] >= 0 && positions[End] >= 0;
}

class TableReader {
public:
    TableReader(std::string_view head, std::int64_t lines, ImportLog& log)
        : m_positions(positionsIn(head)), m_columns(split(head, ',').size()), m_log(log),
          m_mostRanks(limits::tableRanks.of(lines))
    {
    }

    void readLine(std::string_view line, std::int64_t number, bool isCut)
    {
        m_fields = split(line, ',');
        CallRow row;
        row.line = number;
        m_named.clear();
        const auto rank = m_fields.size() < m_columns ? std::nullopt : toNumber<std::uint32_t>(field(Rank));
        if (!rank || *rank >= mostRanks || !readTimes(row) || !readPartners(row)) {
            m_log.add(isCut ? IssueKind::CutRecord : IssueKind::MalformedRecord, number);
            return;
        }
        readWaits(row);
        if (std::int64_t{*rank} >= m_mostRanks) {
            m_impossible = *rank;
            return;
        }
        if (*rank >= m_table.ranks.size()) m_table.ranks.resize(*rank + 1);
        auto& named = m_table.ranks[*rank].named;
        row.firstNamed = std::uint32_t(named.size());
        row.namedCount = std::uint32_t(m_named.size());
        named.insert(named.end(), m_named.begin(), m_named.end());
        row.comm = commOf(field(Comm), *rank);
        m_table.ranks[*rank].rows.push_back(row);
        ++m_table.rowCount;
    }

    std::optional<std::uint32_t> impossibleRank() const { return m_impossible; }  // which so few rows cannot have

    CallTable take()
    {
        for (MpiCommunicator& comm : m_table.communicators) {
            if (comm.name == QLatin1String("MPI_COMM_WORLD")) {
                comm.members.resize(m_table.ranks.size());
                for (std::uint32_t i = 0; i < comm.members.size(); ++i) comm.members[i] = i;
            }
            std::sort(comm.members.begin(), comm.members.end());
            comm.members.erase(std::unique(comm.members.begin(), comm.members.end()), comm.members.end());
        }
        return std::move(m_table);
    }

private:
    std::string_view field(Column column) const
    {
        const int at = m_positions[column];
        return at < 0 || std::size_t(at) >= m_fields.size() ? std::string_view() : m_fields[std::size_t(at)];
    }

    bool readTimes(CallRow& row) const
    {
        const auto begin = toNumber<TimeNs>(field(Begin));
        const auto end = toNumber<TimeNs>(field(End));
        if (!begin || !end || *end < *begin || isNone(field(Call))) return false;
        if (!isNearZero(*begin) || !isNearZero(*end)) return false;
        row.begin = *begin;
        row.end = *end;
        return true;
    }

    bool readPartners(CallRow& row)
    {
        row.region = regionOf(field(Call));
        switch (m_table.calls[row.region].role) {
        case CallRole::CompleteOne:
        case CallRole::CompleteSome:
        case CallRole::CompleteAll: return readNamed();
        default: break;
        }
        return readPair(field(Peer), noRank, row.peer, row.from) && readPair(field(Tag), 0, row.tag, row.fromTag);
    }

    // Reads the requests that a Wait names, "2;>3;-" and "7;7;-"; an empty field or "-" alone names none.
    bool readNamed()
    {
        if (isNone(field(Peer))) return true;
        const auto peers = split(field(Peer), ';');
        const auto tags = split(field(Tag), ';');
        for (std::size_t i = 0; i < peers.size(); ++i) {
            const bool isSend = peers[i].starts_with('>');
            const std::string_view written = peers[i].substr(isSend ? 1 : 0);
            NamedRequest& request = m_named.emplace_back();
            request.isSend = isSend;
            if (isNone(written)) continue;
            const auto peer = toNumber<std::int32_t>(written);
            const auto tag = i < tags.size() && !isNone(tags[i]) ? toNumber<std::int32_t>(tags[i]) : std::optional(0);
            if (!peer || !tag) return false;
            request.peer = *peer;
            request.tag = *tag;
        }
        return true;
    }

    void readWaits(CallRow& row) const
    {
        const auto before = toNumber<TimeNs>(field(Before));
        const auto execution = toNumber<TimeNs>(field(Execution));
        const auto after = toNumber<TimeNs>(field(After));
        row.hasWaits = before && execution && after && isNearZero(*before) && isNearZero(*execution)
                       && isNearZero(*after);
        if (!row.hasWaits) return;
        row.before = *before;
        row.execution = *execution;
        row.after = *after;
    }

    std::uint32_t regionOf(std::string_view name)
    {
        const QByteArray key(name.data(), qsizetype(name.size()));
        const auto found = m_regions.constFind(key);
        if (found != m_regions.constEnd()) return *found;
        const auto number = std::uint32_t(m_table.regions.size());
        m_table.regions.push_back(key);
        m_table.calls.push_back(callName(name));
        m_regions.insert(key, number);
        return number;
    }

    // MPI_COMM_SELF is another communicator on each rank.
    std::uint32_t commOf(std::string_view name, std::uint32_t rank)
    {
        if (isNone(name)) return noComm;
        const bool isSelf = name == "MPI_COMM_SELF";
        QByteArray key(name.data(), qsizetype(name.size()));
        if (isSelf) key += ' ' + QByteArray::number(rank);
        auto found = m_comms.constFind(key);
        if (found == m_comms.constEnd()) {
            found = m_comms.insert(key, std::uint32_t(m_table.communicators.size()));
            m_table.communicators.push_back({QString::fromUtf8(name.data(), qsizetype(name.size())), {}, isSelf});
        }
        auto& members = m_table.communicators[*found].members;
        if (members.empty() || members.back() != rank) members.push_back(rank);
        return *found;
    }

    const Positions m_positions;
    const std::size_t m_columns;
    ImportLog& m_log;
    std::vector<std::string_view> m_fields;
    std::vector<NamedRequest> m_named;
    CallTable m_table;
    const std::int64_t m_mostRanks;
    std::optional<std::uint32_t> m_impossible;
    QHash<QByteArray, std::uint32_t> m_regions;
    QHash<QByteArray, std::uint32_t> m_comms;
};

// The open requests of a rank, as the rows that started them, oldest first.
class OpenRequests {
public:
    OpenRequests(const CallTable& table, CallTableRank& rank) : m_table(table), m_rank(rank), m_isDone(rank.rows.size())
    {
    }

    void start(std::uint32_t row)
    {
        m_all.rows.push_back(row);
        m_named[nameOf(row)].rows.push_back(row);
    }

    void complete(CallRow& row, CallRole role)
    {
        row.firstDone = std::uint32_t(m_rank.doneRows.size());
        for (std::uint32_t i = 0; i < row.namedCount; ++i) complete(m_rank.named[row.firstNamed + i]);
        if (row.namedCount == 0 && role == CallRole::CompleteOne) complete(NamedRequest{});
        if (row.namedCount == 0 && role != CallRole::CompleteOne)
            while (const auto open = oldest(m_all)) finish(*open);
        row.doneCount = std::uint32_t(m_rank.doneRows.size()) - row.firstDone;
    }

private:
    using Name = std::tuple<CallRole, std::int32_t, std::int32_t>;  // and peer and tag
    static constexpr Name withoutPeer{CallRole::None, noRank, 0};

    // Those that are done stay in, before `first` or until it comes to them.
    struct Queue {
        std::vector<std::uint32_t> rows;
        std::size_t first = 0;
    };

    // By what a Wait may name this request.
    Name nameOf(std::uint32_t row) const
    {
        const CallRow& started = m_rank.rows[row];
        const CallRole role = m_table.calls[started.region].role;
        if (started.peer == noRank || role == CallRole::StartCollective) return withoutPeer;
        return {role, started.peer, started.tag};
    }

    std::optional<std::uint32_t> oldest(Queue& queue) const
    {
        while (queue.first < queue.rows.size() && m_isDone[queue.rows[queue.first]]) ++queue.first;
        return queue.first < queue.rows.size() ? std::optional(queue.rows[queue.first]) : std::nullopt;
    }

    std::optional<std::uint32_t> oldest(const Name& name)
    {
        const auto found = m_named.find(name);
        return found == m_named.end() ? std::nullopt : oldest(found->second);
    }

    // Completes the oldest request that may be meant; if a peer is named, the oldest one with that peer and tag.
    void complete(const NamedRequest& named)
    {
        const auto as = [&named](CallRole role) {
            return named.peer == noRank ? withoutPeer : Name{role, named.peer, named.tag};
        };
        auto found = oldest(as(named.isSend ? CallRole::StartSend : CallRole::StartReceive));
        if (!found && !named.isSend) found = oldest(as(CallRole::StartSend));
        if (!found) found = oldest(m_all);
        if (found) finish(*found);
    }

    void finish(std::uint32_t row)
    {
        m_isDone[row] = true;
        m_rank.doneRows.push_back(row);
    }

    const CallTable& m_table;
    CallTableRank& m_rank;
    std::vector<bool> m_isDone;  // by row
    Queue m_all;
    std::map<Name, Queue> m_named;  // ordered: names are a stranger's, who knows where hashes collide
};

constexpr std::uint32_t rowsBetweenLooks = 65536;  // at whether to stop

// Sorts numbers of rows: a look between merges of whole rows would come late.
void sortByBegin(std::vector<CallRow>& rows, const Progress& progress)
{
    const auto isEarlier = [](const auto& a, const auto& b) { return a.begin < b.begin; };
    if (std::is_sorted(rows.begin(), rows.end(), isEarlier)) return;
    struct Place {
        TimeNs begin;
        std::uint32_t row;
    };
    std::vector<Place> places;
    places.reserve(rows.size());
    for (const CallRow& row : rows) places.push_back({row.begin, std::uint32_t(places.size())});
    sortRows(places, progress, isEarlier);
    if (progress.isCancelled()) return;
    // Along each cycle; a place whose row has come names itself.
    std::uint32_t moved = 0;
    for (std::uint32_t first = 0; first < rows.size(); ++first) {
        const CallRow row = rows[first];
        std::uint32_t to = first;
        for (; places[to].row != first; to = std::exchange(places[to].row, to)) {
            if (++moved % rowsBetweenLooks == 0 && progress.isCancelled()) return;
            rows[to] = rows[places[to].row];
        }
        rows[to] = row;
        places[to].row = to;
    }
}

// Each row goes to the first thread that is free by then.
void findThreads(CallTableRank& rank, const Progress& progress)
{
    using Busy = std::pair<TimeNs, std::uint32_t>;  // until when, which thread
    std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free;
    free.push(0);
    std::uint32_t looked = 0;
    for (CallRow& row : rank.rows) {
        if (++looked % rowsBetweenLooks == 0 && progress.isCancelled()) return;
        for (; !busy.empty() && busy.top().first <= row.begin; busy.pop()) free.push(busy.top().second);
        if (free.empty()) free.push(rank.threads++);
        row.thread = free.top();
        free.pop();
        busy.emplace(row.end, row.thread);
    }
}

void orderByThread(CallTableRank& rank, const Progress& progress)
{
    const auto goesOn = [&progress](std::size_t row) { return row % rowsBetweenLooks != 0 || !progress.isCancelled(); };
    rank.firstOfThread.assign(rank.threads + 1, 0);
    for (std::size_t i = 0; i < rank.rows.size() && goesOn(i); ++i) ++rank.firstOfThread[rank.rows[i].thread + 1];
    std::partial_sum(rank.firstOfThread.begin(), rank.firstOfThread.end(), rank.firstOfThread.begin());
    std::vector<std::uint32_t> next = rank.firstOfThread;
    rank.byThread.resize(rank.rows.size());
    for (std::uint32_t i = 0; i < rank.rows.size() && goesOn(i); ++i) rank.byThread[next[rank.rows[i].thread]++] = i;
}

// Unfinished if it is cancelled.
void finishRank(const CallTable& table, CallTableRank& rank, const Progress& progress)
{
    sortByBegin(rank.rows, progress);
    if (progress.isCancelled()) return;
    findThreads(rank, progress);
    if (progress.isCancelled()) return;
    orderByThread(rank, progress);
    OpenRequests requests(table, rank);
    for (std::uint32_t i = 0; i < rank.rows.size(); ++i) {
        if (i % rowsBetweenLooks == 0 && progress.isCancelled()) return;
        switch (const CallRole role = table.calls[rank.rows[i].region].role; role) {
        case CallRole::StartSend:
        case CallRole::StartReceive:
        case CallRole::StartCollective: requests.start(i); break;
        case CallRole::CompleteOne:
        case CallRole::CompleteSome:
        case CallRole::CompleteAll: requests.complete(rank.rows[i], role); break;
        default: break;
        }
    }
}

Error noHead(const QString& path)
{
    return {tr("This is no table of MPI calls."), tr("%1, line 1").arg(path),
            tr("Its first line names the columns: rank, seq, call, start_ns, end_ns, comm, peer, tag, wait_before, "
               "execution, wait_after, imbalance.")};
}

}  // namespace

CallName callName(std::string_view name)
{
    struct Named {
        std::string_view name;
        CallName is;
    };
    constexpr CollectiveKind none = CollectiveKind::None;
    // clang-format off
    static constexpr Named names[] = {
        {"MPI_Send", {CallRole::Send, none, false}},       {"MPI_Bsend", {CallRole::Send, none, false}},
        {"MPI_Ssend", {CallRole::Send, none, true}},       {"MPI_Rsend", {CallRole::Send, none, false}},
        {"MPI_Isend", {CallRole::StartSend, none, false}}, {"MPI_Ibsend", {CallRole::StartSend, none, false}},
        {"MPI_Issend", {CallRole::StartSend, none, true}}, {"MPI_Irsend", {CallRole::StartSend, none, false}},
        {"MPI_Recv", {CallRole::Receive, none, false}},    {"MPI_Mrecv", {CallRole::Receive, none, false}},
        {"MPI_Irecv", {CallRole::StartReceive, none, false}},
        {"MPI_Imrecv", {CallRole::StartReceive, none, false}},
        {"MPI_Sendrecv", {CallRole::SendReceive, none, false}},
        {"MPI_Sendrecv_replace", {CallRole::SendReceive, none, false}},
        {"MPI_Wait", {CallRole::CompleteOne, none, false}},     {"MPI_Waitany", {CallRole::CompleteOne, none, false}},
        {"MPI_Test", {CallRole::CompleteOne, none, false}},     {"MPI_Testany", {CallRole::CompleteOne, none, false}},
        {"MPI_Waitsome", {CallRole::CompleteSome, none, false}},
        {"MPI_Testsome", {CallRole::CompleteSome, none, false}},
        {"MPI_Waitall", {CallRole::CompleteAll, none, false}},  {"MPI_Testall", {CallRole::CompleteAll, none, false}},
    };
    // clang-format on
    for (const Named& named : names)
        if (named.name == name) return named.is;
    const MpiCallKind kind = mpiCallKind(QByteArrayView(name.data(), qsizetype(name.size())));
    if (kind.collective == none) return {};
    return {kind.isNonBlocking ? CallRole::StartCollective : CallRole::Collective, kind.collective, false};
}

bool isCallTableHead(std::string_view line) { return isWhole(positionsIn(line)); }

Result<CallTable> readCallTable(std::string_view text, const QString& path, ImportLog& log, const Progress& progress)
{
    const std::size_t size = text.size();
    const auto nextLine = [&text](bool& isCut) {
        const std::size_t at = text.find('\n');
        isCut = at == std::string_view::npos;
        const std::string_view line = text.substr(0, at);
        text.remove_prefix(isCut ? text.size() : at + 1);
        return line;
    };
    bool isCut = false;
    const std::string_view head = nextLine(isCut);
    if (!isCallTableHead(head)) return noHead(path);
    const auto lines = static_cast<std::int64_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    TableReader reader(head, lines, log);
    for (std::int64_t number = 2; !text.empty(); ++number) {
        const std::string_view line = nextLine(isCut);
        if (!trimmed(line).empty()) reader.readLine(line, number, isCut);
        if (number % 65536 != 0) continue;
        progress.report(0.3 * (1 - double(text.size()) / double(size)));
        if (progress.isCancelled()) return cancelledError();
    }
    if (const auto rank = reader.impossibleRank())
        return impossibleFigure(tr("The table names rank %1").arg(*rank), limits::tableRanks, lines, path);
    CallTable table = reader.take();
    if (table.rowCount == 0)
        return Error{tr("The table has no row that can be read."), tr("%1, line 2").arg(path),
                     tr("A row has a rank, the name of a call, and when it began and ended in ns.")};
    for (CallTableRank& rank : table.ranks) {
        finishRank(table, rank, progress);
        if (progress.isCancelled()) return cancelledError();
    }
    return table;
}

}  // namespace longpole
