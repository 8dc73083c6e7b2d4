// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/mpi/mpiranks.h"

#include <QHash>
#include <QRegularExpression>

#include <algorithm>
#include <numeric>
#include <random>

namespace longpole {

CollectiveKind kindOf(const QString& name)
{
    static const QHash<QString, CollectiveKind> kinds{{QStringLiteral("barrier"), CollectiveKind::Barrier},
                                                      {QStringLiteral("allreduce"), CollectiveKind::NToN},
                                                      {QStringLiteral("alltoall"), CollectiveKind::NToN},
                                                      {QStringLiteral("bcast"), CollectiveKind::OneToN},
                                                      {QStringLiteral("reduce"), CollectiveKind::NToOne},
                                                      {QStringLiteral("scan"), CollectiveKind::Prefix},
                                                      {QStringLiteral("neighbor_alltoall"), CollectiveKind::Neighbours},
                                                      {QStringLiteral("init"), CollectiveKind::Lifetime},
                                                      {QStringLiteral("init_thread"), CollectiveKind::Lifetime},
                                                      {QStringLiteral("finalize"), CollectiveKind::Lifetime},
                                                      {QStringLiteral("comm_free"), CollectiveKind::Loose}};
    const QString lower = name.mid(4).toLower();
    const auto found = kinds.constFind(lower);
    if (found != kinds.constEnd()) return *found;
    return kinds.value(lower.mid(1), CollectiveKind::None);
}

std::uint32_t MpiRun::addCommunicator(const QString& name, std::vector<std::uint32_t> members, bool isSelf)
{
    names.communicators.push_back({name, std::move(members), isSelf});
    return static_cast<std::uint32_t>(names.communicators.size() - 1);
}

std::uint32_t MpiRun::region(const QString& name)
{
    for (std::uint32_t i = 0; i < names.regions.size(); ++i)
        if (names.regions[i].name == name) return i;
    names.regions.push_back({name, {}, MpiRegionKind::Mpi});
    return static_cast<std::uint32_t>(names.regions.size() - 1);
}

std::uint32_t MpiRun::addCall(std::uint32_t rank, const QString& name, TimeNs begin, TimeNs end)
{
    std::vector<MpiCall>& calls = ranks[rank].calls;
    MpiCall call;
    call.begin = begin;
    call.end = end;
    call.region = region(name);
    call.piece = calls.empty() ? 0 : calls.back().after;
    const CollectiveKind kind = kindOf(name);
    const bool hasHub = kind == CollectiveKind::Barrier || kind == CollectiveKind::NToN
                        || kind == CollectiveKind::Lifetime;
    call.after = call.piece + 1;
    if (hasHub) call.hub = call.after++;
    calls.push_back(call);
    return static_cast<std::uint32_t>(calls.size() - 1);
}

namespace {

struct Request {
    enum class Kind { Send, Receive, Collective } kind{};
    std::size_t row = 0;
};

void finish(MpiRank& rank, const Request& request, std::uint32_t call, bool isCancelled)
{
    switch (request.kind) {
    case Request::Kind::Send:
        rank.sends[request.row].completion = call;
        rank.sends[request.row].isCancelled = isCancelled;
        break;
    case Request::Kind::Receive:
        rank.receives[request.row].completion = call;
        rank.receives[request.row].isCancelled = isCancelled;
        break;
    case Request::Kind::Collective: rank.collectives[request.row].completion = call; break;
    }
}

Request start(MpiRank& rank, std::uint32_t call, const QString& name, std::uint32_t comm, std::uint32_t peer,
              std::int32_t tag, std::int32_t root)
{
    const std::int64_t bytes = 100 * tag;
    if (name.contains(QLatin1String("send"), Qt::CaseInsensitive)) {
        const bool isSynchronous = name.contains(QLatin1String("ssend"), Qt::CaseInsensitive);
        rank.sends.push_back({call, noCall, comm, peer, tag, isSynchronous, false, bytes});
        return {Request::Kind::Send, rank.sends.size() - 1};
    }
    if (name.contains(QLatin1String("recv"), Qt::CaseInsensitive)) {
        rank.receives.push_back({call, noCall, comm, peer, tag, false, bytes});
        rank.receives.back().isMatched = name.contains(QLatin1String("mrecv"), Qt::CaseInsensitive);
        return {Request::Kind::Receive, rank.receives.size() - 1};
    }
    rank.collectives.push_back(
        {call, noCall, comm, kindOf(name), root, {bytes + 100, bytes + 100}});  // never 0: nobody would wait
    return {Request::Kind::Collective, rank.collectives.size() - 1};
}

void draw(MpiRun& run, std::uint32_t number, const QString& line)
{
    static const QRegularExpression word(QStringLiteral(
        "([A-Z][a-z_]+)(?:[<>](\\d+))?(?:#(\\d+))?(?:@(\\d+))?(?:\\^(\\d+))?(?:=(\\w))?(?::([\\w,]+))?(?:!(\\w))?(~?) "
        "(\\d+)-(\\d+|\\?)"));
    MpiRank& rank = run.ranks[number];
    QHash<QString, Request> requests;
    for (auto i = word.globalMatch(line); i.hasNext();) {
        const QRegularExpressionMatch match = i.next();
        const QString name = QStringLiteral("MPI_") + match.captured(1);
        const bool isOpen = match.captured(11) == QLatin1String("?");
        const std::uint32_t call = run.addCall(number, name, match.captured(10).toLongLong(),
                                               isOpen ? 1000 : match.captured(11).toLongLong());
        rank.calls[call].isOpen = isOpen;
        rank.calls[call].isPolling = !match.captured(9).isEmpty();
        for (const QString& done : match.captured(7).split(u',', Qt::SkipEmptyParts))
            finish(rank, requests.take(done), call, false);
        if (!match.captured(8).isEmpty()) finish(rank, requests.take(match.captured(8)), noCall, true);
        const bool isMessage = !match.captured(2).isEmpty();
        if (!isMessage && kindOf(name) == CollectiveKind::None) continue;
        if (name.contains(QLatin1String("probe"), Qt::CaseInsensitive)) {
            rank.probes.push_back({call, match.captured(4).toUInt(), match.captured(2).toUInt(),
                                   match.captured(3).toInt(),
                                   name.contains(QLatin1String("mprobe"), Qt::CaseInsensitive)});
            continue;
        }
        const std::int32_t root = match.captured(5).isEmpty() ? noRank : match.captured(5).toInt();
        const Request request = start(rank, call, name, match.captured(4).toUInt(), match.captured(2).toUInt(),
                                      match.captured(3).toInt(), root);
        if (match.captured(6).isEmpty()) finish(rank, request, isOpen ? noCall : call, false);
        else requests[match.captured(6)] = request;
    }
}

// A call of a random program before it has times.
struct Operation {
    QString name;
    std::uint32_t comm = 0, peer = 0;
    std::int32_t tag = 0, root = noRank;
    bool isBlocking = true;
    int request = -1;  // that it starts
    std::vector<int> completes;
    int cancels = -1;
};

class RandomRun {
public:
    explicit RandomRun(std::uint32_t seed) : m_random(seed) {}

    MpiRun make()
    {
        const auto ranks = static_cast<std::uint32_t>(1 + below(6));
        m_run.ranks.resize(ranks);
        m_requests.resize(ranks);
        m_carried.resize(ranks);
        std::vector<std::uint32_t> world(ranks);
        std::iota(world.begin(), world.end(), 0u);
        m_run.addCommunicator(QStringLiteral("MPI_COMM_WORLD"), world);
        std::vector<std::uint32_t> some;
        for (const std::uint32_t rank : world)
            if (below(2) == 0) some.push_back(rank);
        m_run.addCommunicator(QStringLiteral("some"), some);
        m_run.addCommunicator(QStringLiteral("MPI_COMM_SELF"), {}, true);
        std::shuffle(world.begin(), world.end(), m_random);
        m_run.addCommunicator(QStringLiteral("shuffled"), world);
        m_mess = below(3) == 0 ? 8 : 0;
        const int steps = 1 + below(5);
        for (int step = 0; step < steps; ++step) superstep(step * 200);
        return std::move(m_run);
    }

private:
    int below(int end) { return static_cast<int>(m_random() % static_cast<std::uint32_t>(end)); }
    bool isWrong() { return m_mess > 0 && below(100) < m_mess; }

    void superstep(TimeNs time)
    {
        const auto ranks = static_cast<int>(m_run.ranks.size());
        std::vector<std::vector<Operation>> operations(m_run.ranks.size());
        std::vector<std::vector<Operation>> later = std::exchange(m_later, {});
        m_later.resize(m_run.ranks.size());
        if (later.empty()) later.resize(m_run.ranks.size());
        for (std::size_t rank = 0; rank < later.size(); ++rank) operations[rank] = later[rank];
        for (int i = below(8); i > 0; --i) {
            const auto from = static_cast<std::uint32_t>(below(ranks));
            const auto to = static_cast<std::uint32_t>(below(ranks));
            const auto comm = static_cast<std::uint32_t>(below(2));
            const std::int32_t tag = below(2);
            const QString send = below(4) == 0 ? QStringLiteral("send") : QStringLiteral("ssend");
            if (!isWrong()) addMessage(operations[from], send, comm, to, tag);
            if (isWrong()) continue;
            addMessage(below(6) == 0 ? m_later[to] : operations[to], QStringLiteral("recv"), comm, from, tag);
        }
        for (std::uint32_t rank = 0; rank < operations.size(); ++rank) place(rank, operations[rank], time + 50);
        collective(time);
    }

    void addMessage(std::vector<Operation>& to, const QString& name, std::uint32_t comm, std::uint32_t peer,
                    std::int32_t tag)
    {
        const bool isBlocking = below(2) == 0;
        QString full = QStringLiteral("MPI_") + (isBlocking ? name : u'i' + name);
        full[4] = full[4].toUpper();
        to.push_back({full, comm, peer, tag, noRank, isBlocking, -1, {}, -1});
    }

    // Shuffles what a rank does, completes its requests somewhere behind, and gives all calls times.
    void place(std::uint32_t rank, std::vector<Operation> operations, TimeNs time)
    {
        std::shuffle(operations.begin(), operations.end(), m_random);
        std::vector<int> open = std::exchange(m_carried[rank], {});
        std::vector<Operation> all;
        for (Operation& operation : operations) {
            if (!operation.isBlocking) {
                operation.request = m_nextRequest++;
                open.push_back(operation.request);
            }
            all.push_back(operation);
            if (!open.empty() && below(2) == 0) all.push_back(completion(open));
        }
        if (!open.empty() && below(3) != 0) all.push_back(completion(open));
        m_carried[rank] = open;
        run(rank, all, time, 100);
    }

    Operation completion(std::vector<int>& open)
    {
        Operation operation;
        std::shuffle(open.begin(), open.end(), m_random);
        if (isWrong()) {
            operation.name = QStringLiteral("MPI_Cancel");
            operation.cancels = open.back();
            open.pop_back();
            return operation;
        }
        const int kind = below(4);
        const std::size_t count = kind == 3 ? open.size() : 1;
        operation.name = kind == 0   ? QStringLiteral("MPI_Test")
                         : kind == 3 ? QStringLiteral("MPI_Waitall")
                                     : QStringLiteral("MPI_Wait");
        operation.completes.assign(open.end() - static_cast<std::ptrdiff_t>(count), open.end());
        open.resize(open.size() - count);
        return operation;
    }

    void run(std::uint32_t rank, const std::vector<Operation>& operations, TimeNs time, int length)
    {
        std::vector<TimeNs> times;
        for (std::size_t i = 0; i < 2 * operations.size(); ++i) times.push_back(time + below(length));
        std::sort(times.begin(), times.end());
        for (std::size_t i = 0; i < operations.size(); ++i) call(rank, operations[i], times[2 * i], times[2 * i + 1]);
    }

    void call(std::uint32_t rank, const Operation& operation, TimeNs begin, TimeNs end)
    {
        const std::uint32_t number = m_run.addCall(rank, operation.name, begin, end);
        MpiRank& self = m_run.ranks[rank];
        for (const int request : operation.completes) finish(self, m_requests[rank].take(request), number, false);
        if (operation.cancels >= 0) finish(self, m_requests[rank].take(operation.cancels), noCall, true);
        if (operation.isBlocking && (!operation.completes.empty() || operation.cancels >= 0)) return;
        const Request request = start(self, number, operation.name, operation.comm, operation.peer, operation.tag,
                                      operation.root);
        if (operation.isBlocking) finish(self, request, number, false);
        else m_requests[rank][operation.request] = request;
    }

    void collective(TimeNs time)
    {
        static const QStringList names{QStringLiteral("MPI_Barrier"),  QStringLiteral("MPI_Allreduce"),
                                       QStringLiteral("MPI_Alltoall"), QStringLiteral("MPI_Bcast"),
                                       QStringLiteral("MPI_Reduce"),   QStringLiteral("MPI_Scan"),
                                       QStringLiteral("MPI_Finalize"), QStringLiteral("MPI_Comm_free"),
                                       QStringLiteral("MPI_Ibarrier"), QStringLiteral("MPI_Ibcast"),
                                       QStringLiteral("MPI_Ireduce"),  QStringLiteral("MPI_Iallreduce")};
        const auto comm = static_cast<std::uint32_t>(below(4));
        const QString name = names[below(static_cast<int>(names.size()))];
        const int root = below(static_cast<int>(m_run.ranks.size()));
        const bool meets = below(4) != 0;
        std::vector<std::uint32_t> members = m_run.names.communicators[comm].members;
        if (comm == 2) members.push_back(static_cast<std::uint32_t>(root));
        for (const std::uint32_t rank : members) {
            if (isWrong()) continue;
            Operation operation;
            operation.name = isWrong() ? names[below(5)] : name;
            operation.comm = comm;
            const CollectiveKind kind = kindOf(operation.name);
            const bool isRooted = kind == CollectiveKind::OneToN || kind == CollectiveKind::NToOne;
            if (isRooted && !isWrong()) operation.root = root;
            operation.isBlocking = !operation.name.startsWith(QLatin1String("MPI_I"));
            if (!operation.isBlocking) m_carried[rank].push_back(operation.request = m_nextRequest++);
            const TimeNs begin = time + 150 + below(meets ? 20 : 30);
            call(rank, operation, begin, meets ? time + 170 + below(25) : begin + below(20));
        }
    }

    std::mt19937 m_random;
    MpiRun m_run;
    std::vector<QHash<int, Request>> m_requests;
    std::vector<std::vector<int>> m_carried;
    std::vector<std::vector<Operation>> m_later;
    int m_nextRequest = 0;
    int m_mess = 0;  // percent
};

}  // namespace

MpiRun drawnRun(const QStringList& lines)
{
    MpiRun run;
    run.ranks.resize(static_cast<std::size_t>(lines.size()));
    std::vector<std::uint32_t> world(run.ranks.size());
    std::iota(world.begin(), world.end(), 0u);
    run.addCommunicator(QStringLiteral("MPI_COMM_WORLD"), world);
    run.addCommunicator(QStringLiteral("first two"), {0, 1});
    run.addCommunicator(QStringLiteral("MPI_COMM_SELF"), {}, true);
    for (std::uint32_t rank = 0; rank < world.size(); ++rank) draw(run, rank, lines[rank]);
    return run;
}

MpiRun randomRun(std::uint32_t seed) { return RandomRun(seed).make(); }

MpiRun permuted(const MpiRun& run, const std::vector<std::uint32_t>& order)
{
    MpiRun result = run;
    for (MpiCommunicator& communicator : result.names.communicators)
        for (std::uint32_t& member : communicator.members) member = order[member];
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
        MpiRank& moved = result.ranks[order[rank]];
        moved = run.ranks[rank];
        for (MpiSend& send : moved.sends) send.to = order[send.to];
        for (MpiReceive& receive : moved.receives) receive.from = order[receive.from];
        for (MpiCollectivePart& part : moved.collectives)
            if (part.root != noRank) part.root = static_cast<std::int32_t>(order[static_cast<std::size_t>(part.root)]);
        for (MpiWindowStep& step : moved.windowSteps)
            if (step.peer != noRank) step.peer = static_cast<std::int32_t>(order[static_cast<std::size_t>(step.peer)]);
    }
    return result;
}

MpiRun shifted(const MpiRun& run, TimeNs by)
{
    MpiRun result = run;
    for (MpiRank& rank : result.ranks) {
        for (MpiCall& call : rank.calls) {
            call.begin += by;
            call.end += by;
        }
    }
    return result;
}

}  // namespace longpole
