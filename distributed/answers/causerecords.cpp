// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/causerecords.h"

#include "core/base/translate.h"
#include "distributed/exchange/pack.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace longpole {
namespace {

// A message, for the process that hosts who sent it.
struct ReceivedMessage {
    std::uint32_t receiver = 0;
    std::uint32_t position = 0;  // among those of the receiver
    std::uint32_t sender = 0;
    std::uint32_t sendTask = 0;
    std::uint32_t receive = 0;  // the receiver's call
    TimeNs end = 0;             // of the wait in it
};

// The answer of that process, where the sender's wait ended no later.
struct NamedSend {
    std::uint32_t number = 0;  // of the message among those it was asked about
    std::uint32_t send = 0;    // the sender's call
};

// With its place in the order that one process has them in that knows all.
struct PlacedMessage {
    WaitMessage message;
    std::uint32_t receiver = 0;
    std::uint32_t position = 0;
    bool isSent = false;
    friend bool operator<(const PlacedMessage& a, const PlacedMessage& b)
    {
        return std::tie(a.message.own, a.receiver, a.position, a.isSent)
               < std::tie(b.message.own, b.receiver, b.position, b.isSent);
    }
};

class MessageNames {
public:
    MessageNames(Transport& transport, const Hosting& hosting, OwnWaitRecords& own)
        : m_transport(transport), m_hosting(hosting), m_own(own), m_placed(own.ranks.size()),
          m_asked(static_cast<std::size_t>(transport.processes()))
    {
    }

    void name()
    {
        gather();
        std::vector<Payload> packed;
        for (const std::vector<ReceivedMessage>& rows : m_asked) {
            Packer packer;
            if (!rows.empty())
                packer.putTable(rows, &ReceivedMessage::receiver, &ReceivedMessage::position, &ReceivedMessage::sender,
                                &ReceivedMessage::sendTask, &ReceivedMessage::receive, &ReceivedMessage::end);
            packed.push_back(packer.take());
        }
        std::vector<Payload> answers(m_asked.size());
        m_transport.exchange(CausePassNumber::NameMessages, std::move(packed),
                             [&](int from, const Payload& bytes) { answer(from, bytes, answers); });
        m_transport.exchange(CausePassNumber::TellMessages, std::move(answers),
                             [this](int from, const Payload& bytes) { hear(from, bytes); });
        for (std::size_t rank = 0; rank < m_placed.size(); ++rank) {
            std::sort(m_placed[rank].begin(), m_placed[rank].end());
            m_own.ranks[rank].messages.reserve(m_placed[rank].size());
            for (const PlacedMessage& placed : m_placed[rank]) m_own.ranks[rank].messages.push_back(placed.message);
            std::vector<PlacedMessage>().swap(m_placed[rank]);
        }
    }

private:
    TimeNs endOf(std::size_t rank, std::uint32_t call) const { return m_own.ranks[rank].calls.wait(call).end; }

    void gather()
    {
        for (std::uint32_t rank = 0; rank < m_own.received.size(); ++rank) {
            std::uint32_t position = 0;
            std::size_t lastReceive = 0;
            for (const TaskMessage& message : m_own.received[rank]) {
                const std::uint32_t receive = callBefore(m_own.tasks[rank], message.receivedIn, lastReceive);
                if (receive != noWaitCall && message.sender < m_hosting.ranks())
                    m_asked[static_cast<std::size_t>(m_hosting.hostOf(message.sender))].push_back(
                        {m_own.first + rank, position, message.sender, message.sendTask, receive,
                         endOf(rank, receive)});
                ++position;
            }
            std::vector<TaskMessage>().swap(m_own.received[rank]);
        }
    }

    void answer(int from, const Payload& bytes, std::vector<Payload>& answers)
    {
        Unpacker unpacker(bytes);
        const auto rows = unpacker.table<ReceivedMessage>(&ReceivedMessage::receiver, &ReceivedMessage::position,
                                                          &ReceivedMessage::sender, &ReceivedMessage::sendTask,
                                                          &ReceivedMessage::receive, &ReceivedMessage::end);
        if (!unpacker.isWhole()) return refuse(from);
        std::vector<NamedSend> named;
        std::vector<std::size_t> lastSends(m_own.tasks.size(), 0);
        for (std::uint32_t number = 0; number < rows.size(); ++number) {
            const ReceivedMessage& row = rows[number];
            if (!m_hosting.hosts(m_transport.process(), row.sender) || !m_hosting.hosts(from, row.receiver))
                return refuse(from);
            const std::size_t sender = row.sender - m_own.first;
            const std::uint32_t send = callAfter(m_own.tasks[sender], row.sendTask, lastSends[sender]);
            if (send == noWaitCall) continue;
            const TimeNs end = endOf(sender, send);
            if (row.end <= end)
                m_placed[sender].push_back({{row.receiver, send, row.receive}, row.receiver, row.position, true});
            if (end <= row.end) named.push_back({number, send});
        }
        Packer packer;
        if (!named.empty()) packer.putTable(named, &NamedSend::number, &NamedSend::send);
        answers[static_cast<std::size_t>(from)] = packer.take();
    }

    void hear(int from, const Payload& bytes)
    {
        Unpacker unpacker(bytes);
        const auto named = unpacker.table<NamedSend>(&NamedSend::number, &NamedSend::send);
        const std::vector<ReceivedMessage>& asked = m_asked[static_cast<std::size_t>(from)];
        if (!unpacker.isWhole()) return refuse(from);
        for (const NamedSend& one : named) {
            if (one.number >= asked.size()) return refuse(from);
            const ReceivedMessage& row = asked[one.number];
            m_placed[row.receiver - m_own.first].push_back(
                {{row.sender, row.receive, one.send}, row.receiver, row.position, false});
        }
    }

    void refuse(int from)
    {
        m_transport.fail({tr("Process %1 told process %2 what cannot be.").arg(from).arg(m_transport.process()),
                          QString(), QString()});
    }

    Transport& m_transport;
    const Hosting& m_hosting;
    OwnWaitRecords& m_own;
    std::vector<std::vector<PlacedMessage>> m_placed;   // by hosted rank
    std::vector<std::vector<ReceivedMessage>> m_asked;  // by process
};

}  // namespace

Result<CauseRecords> causeRecords(Transport& transport, const HostedTrace& trace, const Progress& progress)
{
    const Hosting& hosting = trace.hosting;
    const int process = transport.process();
    Result<OwnWaitRecords> own = ownWaitRecords(*trace.store, hosting.first(process), hosting.last(process), progress);
    if (!own) {
        transport.fail(own.error());
        return own.error();
    }
    MessageNames(transport, hosting, *own).name();
    CauseRecords records{own->first, std::move(own->ranks), std::vector<std::uint32_t>(hosting.ranks(), 0)};
    for (std::size_t rank = 0; rank < records.ranks.size(); ++rank)
        records.calls[records.first + rank] = static_cast<std::uint32_t>(records.ranks[rank].calls.size());
    reduceValues(transport, std::span(records.calls),
                 [](std::uint32_t& into, const std::uint32_t& from) { into = std::max(into, from); });
    if (transport.failed()) return transport.failure();
    return records;
}

}  // namespace longpole
