// SPDX-License-Identifier: GPL-3.0-or-later
// One-sided communication: every process knows the steps of all ranks at windows, and finds what its own waited for.
#include "distributed/matching/passes.h"

#include <algorithm>

namespace longpole {
namespace {

// What all processes have, on all, in the order of their ranks. take(unpacker, process) takes the part of each.
template <typename Take>
void shareAll(Transport& transport, Payload own, const Take& take)
{
    Packer packer;
    for (const Payload& bytes : transport.gather(std::move(own)))
        packer.put(QByteArray(reinterpret_cast<const char*>(bytes.data()), static_cast<qsizetype>(bytes.size())));
    const Payload told = transport.broadcast(packer.take());
    Unpacker unpacker(told);
    for (int process = 0; process < transport.processes() && !transport.failed(); ++process) {
        const QByteArray part = unpacker.bytes();
        Unpacker of(std::as_bytes(std::span(part.constData(), static_cast<std::size_t>(part.size()))));
        take(of, process);
        if (!of.isWhole() || !unpacker.isWhole()) refuse(transport, process);
    }
}

bool canBe(const WindowRow& row, const Hosting& hosting, int process)
{
    return hosting.hosts(process, row.rank) && row.step <= WindowStep::Access && row.peer >= noRank;
}

}  // namespace

void matchWindows(Transport& transport, const HostedRanks& hosted, ExchangedPartners& partners)
{
    const std::uint32_t first = hosted.hosting.first(transport.process());
    std::vector<WindowRow> own;
    for (std::uint32_t local = 0; local < hosted.ranks.size(); ++local) {
        const auto pieceBegin = [&](std::uint32_t piece) {
            return piece == noPiece ? TimeNs{0} : hosted.begins[local].at(piece);
        };
        const std::vector<WindowRow> rows = windowRowsOf(first + local, hosted.ranks[local], pieceBegin);
        own.insert(own.end(), rows.begin(), rows.end());
    }
    const auto add = [](std::uint64_t& into, const std::uint64_t& from) { into += from; };
    partners.windows.resize(hosted.ranks.size());
    if (reduceOne(transport, static_cast<std::uint64_t>(own.size()), add) == 0 || transport.failed()) return;

    Packer packer;
    put(packer, own);
    shareAll(transport, packer.take(), [&](Unpacker& unpacker, int process) {
        std::vector<WindowRow> rows;
        take(unpacker, rows);
        for (const WindowRow& row : rows)
            if (!canBe(row, hosted.hosting, process)) return unpacker.refuse();
        partners.windowRows.insert(partners.windowRows.end(), rows.begin(), rows.end());
    });
    partners.windows = findWindowMeetings(partners.windowRows, first, hosted.ranks.size());
}

void crossWindows(Transport& transport, const HostedRanks& hosted, const ExchangedPartners& partners,
                  const std::vector<std::vector<std::uint32_t>>& epochs,
                  const std::function<void(std::uint32_t, std::uint32_t)>& cross)
{
    if (partners.windowRows.empty()) return;
    const std::uint32_t first = hosted.hosting.first(transport.process());
    std::vector<std::uint32_t> own;
    for (const WindowRow& row : partners.windowRows)
        if (hosted.hosting.hosts(transport.process(), row.rank)) own.push_back(epochs[row.rank - first][row.call]);
    Packer packer;
    packer.put(own);
    std::vector<std::uint32_t> all;  // by row
    shareAll(transport, packer.take(), [&](Unpacker& unpacker, int) {
        const std::vector<std::uint32_t> part = unpacker.values<std::uint32_t>();
        all.insert(all.end(), part.begin(), part.end());
    });
    if (transport.failed()) return;
    if (all.size() != partners.windowRows.size()) return refuse(transport, 0);
    for (std::size_t local = 0; local < hosted.ranks.size(); ++local)
        for (const WindowMeeting& meeting : partners.windows[local].meetings)
            cross(all[meeting.with], epochs[local][meeting.call]);
}

}  // namespace longpole
