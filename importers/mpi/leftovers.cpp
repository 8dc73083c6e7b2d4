// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/mpi/leftovers.h"

#include "importers/mpi/collectivecall.h"

namespace longpole {
namespace {

struct Leftovers {
    struct Counter {
        std::int64_t count = 0;
        std::uint32_t first = 0;
        void add(std::uint32_t row)
        {
            if (count++ == 0) first = row;
        }
    };
    Counter sends, receives;
    std::int64_t unfinished = 0;
    std::int64_t cancelled = 0;
};

Leftovers leftoversOf(std::uint32_t number, const MpiRank& rank, const MpiPartners& partners)
{
    Leftovers left;
    for (std::uint32_t i = 0; i < rank.sends.size(); ++i) {
        const MpiSend& send = rank.sends[i];
        if (send.isCancelled) ++left.cancelled;
        else if (send.completion == noCall) ++left.unfinished;
        if (!send.isCancelled && !partners.isReceived(number, i)) left.sends.add(i);
    }
    for (std::uint32_t i = 0; i < rank.receives.size(); ++i) {
        const MpiReceive& receive = rank.receives[i];
        if (receive.isEmpty) continue;
        if (receive.isCancelled || receive.isFreed) ++left.cancelled;
        else if (receive.completion == noCall) ++left.unfinished;
        else if (!partners.isSent(number, i)) left.receives.add(i);
    }
    for (const MpiCollectivePart& part : rank.collectives) left.unfinished += part.completion == noCall ? 1 : 0;
    return left;
}

}  // namespace

void reportLeftovers(std::uint32_t rank, const MpiRank& self, const MpiRunNames& names, const MpiPartners& partners,
                     ImportLog& log)
{
    const auto place = [&](std::uint32_t from, std::uint32_t to, std::uint32_t comm, std::int32_t tag) {
        return QStringLiteral("from rank %1 to rank %2 with tag %3 on %4")
            .arg(QString::number(from), QString::number(to), QString::number(tag), communicatorName(names, comm));
    };
    const Leftovers left = leftoversOf(rank, self, partners);
    if (left.sends.count > 0) {
        const MpiSend& send = self.sends[left.sends.first];
        log.addAt(IssueKind::UnmatchedSend, place(rank, send.to, send.comm, send.tag), left.sends.count);
    }
    if (left.receives.count > 0) {
        const MpiReceive& receive = self.receives[left.receives.first];
        log.addAt(IssueKind::UnmatchedReceive, place(receive.from, rank, receive.comm, receive.tag),
                  left.receives.count);
    }
    if (left.unfinished > 0)
        log.addAt(IssueKind::UnfinishedRequest, QStringLiteral("rank %1").arg(rank), left.unfinished);
    if (left.cancelled > 0) log.addAt(IssueKind::CancelledRequest, QStringLiteral("rank %1").arg(rank), left.cancelled);
}

}  // namespace longpole
