// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes the import of OTF2 archives: the OTF2 library writes them, the bytes are choices of definitions and events, of
// what these refer to and of numbers.
#include "fuzz/importedtrace.h"
#include "importers/otf2/import.h"
#include "support/otf2/written.h"

using namespace longpole;

namespace {

std::uint64_t anyNumber(Choices& choices) { return static_cast<std::uint64_t>(choices.number()); }

// A reference to something that is there, mostly.
std::uint32_t reference(Choices& choices)
{
    return choices.below(12) == 0 ? static_cast<std::uint32_t>(anyNumber(choices)) : choices.below(6);
}

std::uint64_t oftenSmall(Choices& choices) { return choices.below(10) == 0 ? anyNumber(choices) : choices.below(8); }

std::vector<std::uint64_t> members(Choices& choices)
{
    std::vector<std::uint64_t> list(choices.below(6));
    for (std::uint64_t& member : list) member = oftenSmall(choices);
    return list;
}

// One definition, whose number may be another's.
void define(WrittenOtf2& archive, Choices& choices)
{
    const std::uint32_t id = reference(choices);
    const std::uint32_t first = reference(choices);
    const std::uint32_t second = reference(choices);
    const std::uint32_t third = reference(choices);
    const std::uint32_t kind = choices.below(16);
    const auto type = static_cast<std::uint8_t>(choices.below(choices.below(8) == 0 ? 256 : 8));
    const auto more = static_cast<std::uint8_t>(choices.below(choices.below(8) == 0 ? 256 : 12));
    const std::uint64_t number = oftenSmall(choices);
    const std::vector<std::uint64_t> list = members(choices);
    archive.define([=](OTF2_GlobalDefWriter* to) {
        const auto count = static_cast<std::uint32_t>(list.size());
        switch (kind) {
        case 0: OTF2_GlobalDefWriter_WriteString(to, id, id % 2 == 0 ? "MPI_COMM_WORLD" : "\xff\x1b[2J<b>"); break;
        case 1: OTF2_GlobalDefWriter_WriteSystemTreeNode(to, id, first, second, third); break;
        case 2: OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(to, id, type); break;
        case 3: OTF2_GlobalDefWriter_WriteLocationGroup(to, id, first, type, second, third); break;
        case 4: OTF2_GlobalDefWriter_WriteLocation(to, number, first, type, number, second); break;
        case 5:
            OTF2_GlobalDefWriter_WriteRegion(to, id, first, second, third, more, type, 0, first, second, third);
            break;
        case 6:
        case 7: OTF2_GlobalDefWriter_WriteGroup(to, id, first, type, more, type % 4, count, list.data()); break;
        case 8: OTF2_GlobalDefWriter_WriteComm(to, id, first, second, third, type % 4); break;
        case 9: OTF2_GlobalDefWriter_WriteInterComm(to, id, first, second, third, id, type % 4); break;
        case 10:
            OTF2_GlobalDefWriter_WriteMetricMember(to, id, first, second, type, more, type, more,
                                                   static_cast<std::int64_t>(number), third);
            break;
        case 11: {
            const OTF2_MetricMemberRef parts[] = {first, second, third};
            OTF2_GlobalDefWriter_WriteMetricClass(to, id, type % 4, parts, more, type);
            break;
        }
        case 12: OTF2_GlobalDefWriter_WriteMetricInstance(to, id, first, number, type, number); break;
        case 13: OTF2_GlobalDefWriter_WriteCallingContext(to, id, first, second, third); break;
        case 14:
            OTF2_GlobalDefWriter_WriteClockProperties(to, number, number, list.empty() ? 0 : list.front(), first);
            break;
        default: OTF2_GlobalDefWriter_WriteParameter(to, id, first, type % 2); break;
        }
    });
}

void requestEvent(OTF2_EvtWriter* to, Choices& choices, std::uint64_t time)
{
    const std::uint32_t peer = reference(choices);
    const std::uint32_t comm = reference(choices);
    const std::uint64_t request = oftenSmall(choices);
    switch (choices.below(7)) {
    case 0: OTF2_EvtWriter_MpiIsend(to, nullptr, time, peer, comm, 1, oftenSmall(choices), request); break;
    case 1: OTF2_EvtWriter_MpiIsendComplete(to, nullptr, time, request); break;
    case 2: OTF2_EvtWriter_MpiIrecvRequest(to, nullptr, time, request); break;
    case 3: OTF2_EvtWriter_MpiIrecv(to, nullptr, time, peer, comm, 1, oftenSmall(choices), request); break;
    case 4: OTF2_EvtWriter_MpiRequestTest(to, nullptr, time, request); break;
    case 5: OTF2_EvtWriter_MpiRequestCancelled(to, nullptr, time, request); break;
    default: OTF2_EvtWriter_NonBlockingCollectiveRequest(to, nullptr, time, request); break;
    }
}

void event(OTF2_EvtWriter* to, Choices& choices, std::uint64_t time)
{
    const std::uint32_t region = reference(choices);
    const std::uint32_t comm = reference(choices);
    const std::uint32_t peer = reference(choices);
    switch (choices.below(12)) {
    case 0:
    case 1: OTF2_EvtWriter_Enter(to, nullptr, time, region); break;
    case 2:
    case 3: OTF2_EvtWriter_Leave(to, nullptr, time, region); break;
    case 4: OTF2_EvtWriter_MpiSend(to, nullptr, time, peer, comm, region, oftenSmall(choices)); break;
    case 5: OTF2_EvtWriter_MpiRecv(to, nullptr, time, peer, comm, region, oftenSmall(choices)); break;
    case 6: OTF2_EvtWriter_MpiCollectiveBegin(to, nullptr, time); break;
    case 7:
        OTF2_EvtWriter_MpiCollectiveEnd(to, nullptr, time, static_cast<OTF2_CollectiveOp>(choices.below(48)), comm,
                                        peer, oftenSmall(choices), oftenSmall(choices));
        break;
    case 8: {
        const auto count = static_cast<std::uint8_t>(choices.below(4));
        const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE, OTF2_TYPE_INT64};
        OTF2_MetricValue values[3]{};
        for (OTF2_MetricValue& value : values) value.unsigned_int = anyNumber(choices);
        OTF2_EvtWriter_Metric(to, nullptr, time, region, std::min<std::uint8_t>(count, 3), types, values);
        break;
    }
    case 9: OTF2_EvtWriter_CallingContextEnter(to, nullptr, time, region, comm); break;
    case 10: OTF2_EvtWriter_CallingContextLeave(to, nullptr, time, region); break;
    default: requestEvent(to, choices, time); break;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    Choices choices(data, size);
    const QString folder = fuzzFile("archive");
    QDir(folder).removeRecursively();
    QDir().mkpath(folder);
    {
        WrittenOtf2 archive(folder);
        archive.clock(choices.below(4) == 0 ? anyNumber(choices) : 1'000'000'000, oftenSmall(choices));
        const std::uint32_t ranks = 1 + choices.below(3);
        for (std::uint32_t i = choices.below(4); i > 0; --i) define(archive, choices);
        archive.mpi(ranks, 2);
        for (const char* name : {"main", "MPI_Send", "MPI_Irecv", "MPI_Allreduce", "MPI_Waitall", "!$omp barrier"}) {
            const auto other = static_cast<OTF2_Paradigm>(choices.below(12));
            const auto role = static_cast<OTF2_RegionRole>(choices.below(24));
            archive.region(QString::fromLatin1(name), *name == 'M' ? OTF2_Paradigm{OTF2_PARADIGM_MPI} : other, role);
        }
        for (std::uint32_t i = choices.below(12); i > 0; --i) define(archive, choices);
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            std::uint64_t time = oftenSmall(choices);
            if (choices.below(4) == 0) archive.clockOffset(rank, time, choices.number());
            for (std::uint32_t i = choices.below(40); i > 0; --i) {
                event(archive.events(rank), choices, time);
                time = choices.below(32) == 0 ? anyNumber(choices) : time + choices.below(100);
            }
        }
    }
    importAndRead(importOtf2, folder);
    return 0;
}
