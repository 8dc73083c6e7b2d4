// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes the reader of recordings: the bytes are one rank's file. A selector byte before them puts right what a fuzzer
// would not guess: checksums of frames.
#include "fuzz/require.h"
#include "importers/recording/events.h"
#include "importers/recording/run.h"
#include "importers/recording/sourcelines.h"

#include <cstring>

using namespace longpole;

namespace {

// Checks what a source promises (importers/mpi/source.h).
class CheckingEvents final : public MpiEvents {
public:
    explicit CheckingEvents(const MpiRunNames& names) : m_names(names) {}

    void enter(TimeNs time, std::uint32_t region) override { outside(time, region); }
    void leave(TimeNs time, std::uint32_t region) override { outside(time, region); }
    void beginCall(TimeNs time, std::uint32_t region) override
    {
        outside(time, region);
        require(m_names.regions[region].kind == MpiRegionKind::Mpi, "a call is a call");
        m_isInCall = true;
    }
    void endCall(TimeNs time) override
    {
        require(m_isInCall, "a call that ends has begun");
        advance(time);
        m_isInCall = false;
    }
    void send(std::int64_t request, std::uint32_t comm, std::uint32_t to, std::int32_t, std::int64_t, bool) override
    {
        inside(request, comm);
        require(to <= 0x7fffffffu, "somebody gets it");
    }
    void postReceive(std::int64_t request) override { inside(request, noComm); }
    void sendCompleted(std::int64_t request) override { inside(request, noComm); }
    void received(std::int64_t request, std::uint32_t comm, std::uint32_t from, std::int32_t, std::int64_t) override
    {
        inside(request, comm);
        require(from <= 0x7fffffffu, "somebody sent it");
    }
    void polled() override { inside(blocking, noComm); }
    void probed(std::uint32_t comm, std::uint32_t from, std::int32_t, bool) override
    {
        inside(blocking, comm);
        require(from <= 0x7fffffffu, "somebody sent it");
    }
    void receivedNothing(std::int64_t request) override { inside(request, noComm); }
    void cancelled(std::int64_t request) override { inside(request, noComm); }
    void collective(std::int64_t request, std::uint32_t comm, std::int32_t root, MpiMoved, CollectiveKind) override
    {
        inside(request, comm);
        require(comm != noComm && root >= noRank, "a collective call has a communicator");
    }
    void collectiveCompleted(std::int64_t request) override { inside(request, noComm); }
    void counter(TimeNs time, std::uint32_t counter, double) override
    {
        require(counter < m_names.counters.size(), "a counter has a name");
        advance(time);
    }
    void mark(TimeNs, std::uint32_t, const QString&) override {}
    void record(const char* kind) override { require(kind != nullptr, "a record has a kind"); }

private:
    void advance(TimeNs time)
    {
        require(time >= m_last, "events are in time order");
        m_last = time;
    }
    void outside(TimeNs time, std::uint32_t region)
    {
        require(!m_isInCall, "nothing begins inside a call");
        require(region < m_names.regions.size(), "a region has a name");
        advance(time);
    }
    void inside(std::int64_t request, std::uint32_t comm)
    {
        require(m_isInCall, "communication belongs to a call");
        require(request >= blocking, "a request has a serial");
        require(comm == noComm || comm < m_names.communicators.size(), "a communicator has members");
    }

    const MpiRunNames& m_names;
    TimeNs m_last = minTime;
    bool m_isInCall = false;
};

// Frames at 64-byte steps with the right magic get the checksum that they should have.
void repairFrames(QByteArray& bytes)
{
    const auto size = static_cast<std::uint64_t>(bytes.size());
    for (std::uint64_t at = LP_FIRST_FRAME; at + sizeof(lp_frame) <= size; at += LP_ALIGNMENT) {
        lp_frame head;
        std::memcpy(&head, bytes.constData() + at, sizeof head);
        const std::uint64_t behind = at + sizeof head;
        if (head.magic != LP_FRAME_MAGIC || head.length > size - behind) continue;
        head.checksum = lp_head_checksum(head);
        if (head.kind != LP_AREA && head.kind != LP_PADDING)
            head.checksum = lp_checksum(bytes.constData() + behind, head.length, head.checksum);
        std::memcpy(bytes.data() + at, &head, sizeof head);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) return 0;
    QByteArray file(reinterpret_cast<const char*>(data) + 1, static_cast<qsizetype>(size - 1));
    if ((data[0] & 1) != 0) repairFrames(file);
    const RecordingBytes bytes(std::move(file));
    ImportLog log;
    Result<RecordedRank> rank = readRecordedRank(bytes, QStringLiteral("file"), log);
    if (!rank) return 0;
    RecordingRun run;
    run.names.ranks = 1;
    run.numbers.resize(1);
    for (RecordedModule& module : rank->modules) module.path = "/nonexistent";
    run.ranks.emplace_back(std::move(*rank));
    alignClocks(run, {});
    const Progress progress;
    SourceLines lines(run.folder, run.begun(), progress);
    nameRegions(run, lines);
    if (!nameCommunicators(run)) return 0;
    nameStacks(run, lines);
    nameLocations(run);
    std::vector<char> records;
    for (const std::uint32_t thread : run.threadOf) {
        CheckingEvents checking(run.names);
        RecordingEvents events(run.numbers[0], run.regions, run.clocks[0], checking, log);
        for (const RecordedChunk& chunk : run.ranks[0]->chunks) {
            if (chunk.thread != thread) continue;
            if (readRecords(bytes, chunk, records)) events.take(records);
            if (chunk.openCall == 0) continue;
            events.finish();
            events.takeOpenCall(chunk.openCall - 1, chunk.openBegin);
            break;
        }
    }
    return 0;
}
