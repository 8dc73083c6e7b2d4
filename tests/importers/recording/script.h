// SPDX-License-Identifier: GPL-3.0-or-later
// Records made from a seed, which are written, read again and compared.
#pragma once

#include "support/mpi/recorded.h"
#include "support/texts.h"

#include <random>
#include <thread>

namespace longpole {

// A thread's records, made from a seed: the writer puts them, the reader compares.
class Script {
public:
    explicit Script(unsigned seed) : m_random(seed) {}

    static constexpr int Loop = 3;
    struct Step {
        lp_call call{};
        std::vector<lp_completion> completions;
        int region = -1;  // 0: leave, 1: enter, 2: polls, 3: a loop of them; a call otherwise
        std::int64_t time = 0;
        std::uint32_t number = 0;
    };
    Step next()
    {
        Step step;
        const unsigned kind = pick(20);
        if (kind < 4) {
            step.region = static_cast<int>(kind);
            step.time = m_now += 7 + pick(1000);
            step.number = pick(5000);
            return step;
        }
        constexpr lp_call_id ids[] = {LP_Isend,    LP_Irecv,   LP_Waitall, LP_Allreduce,
                                      LP_Sendrecv, LP_Barrier, LP_Startall};
        step.call = madeCall(ids[pick(7)], 0, 0);
        step.call.begin = m_now += wild(40'000);
        step.call.end = m_now += wild(9000);
        step.call.comm = pick(4) == 0 ? LP_NO_COMM : pick(9);
        step.call.peer = static_cast<std::int32_t>(pick(70'000)) - 1;
        step.call.tag = pick(9) == 0 ? std::numeric_limits<std::int32_t>::min() : static_cast<std::int32_t>(pick(300));
        step.call.bytes = pick(9) == 0 ? std::int64_t{1} << 40 : std::int64_t(pick(5000)) - 1;
        step.call.request = pick(2) == 0 ? ++m_request : LP_NO_REQUEST;
        step.call.stack = pick(3) == 0 ? 0 : pick(100'000);
        if (step.call.call == LP_Sendrecv) {
            step.call.peer2 = static_cast<std::int32_t>(pick(70'000));
            step.call.tag2 = -7;
        }
        if (isWide(step.call)) step.call.bytes2 = 12'345;
        for (unsigned i = pick(3) == 0 ? pick(12) : 0; i > 0; --i) {
            lp_completion done{};
            done.kind = static_cast<lp_completion_kind>(pick(11));
            done.request = pick(1000);
            done.comm = LP_NO_COMM;
            done.peer = LP_NO_RANK;
            if (done.kind == LP_RECV_DONE || done.kind >= LP_COMM_DONE) {
                done.comm = pick(9);
                done.peer = static_cast<std::int32_t>(pick(300));
                done.tag = static_cast<std::int32_t>(pick(10)) - 2;
                done.bytes = pick(100'000);
            }
            step.completions.push_back(done);
        }
        return step;
    }

    static void put(const Step& step)
    {
        if (step.region == 2) lp_put_failed_polls(LP_Test, step.number, step.time);
        else if (step.region == Loop) putLoop(step);
        else if (step.region >= 0) lp_put_region(step.region == 1, step.number, step.time);
        else putCall(step.call, step.completions);
    }

    // The same as it lies in an area.
    static void append(const Step& step, std::vector<char>& records)
    {
        const auto add = [&records](const auto& record) {
            const auto* const bytes = reinterpret_cast<const char*>(&record);
            records.insert(records.end(), bytes, bytes + sizeof record);
        };
        if (step.region == 2) {
            add(lp_polls_record{.type = LP_POLLS_RECORD,
                                .reserved = 0,
                                .call = LP_Test,
                                .reserved2 = 0,
                                .time = step.time,
                                .count = step.number});
            return;
        }
        if (step.region == Loop) {
            add(lp_polling_record{.type = LP_POLLING_RECORD,
                                  .is_ended = step.number % 2 == 1,
                                  .call = LP_Iprobe,
                                  .count = step.number,
                                  .begin = step.time - 7,
                                  .end = step.time,
                                  .stack = step.number / 2,
                                  .reserved = 0});
            return;
        }
        if (step.region >= 0) {
            add(lp_region_record{.type = std::uint8_t(step.region == 1 ? LP_ENTER_RECORD : LP_LEAVE_RECORD),
                                 .reserved = {},
                                 .region = step.number,
                                 .time = step.time});
            return;
        }
        lp_call2_record wide{};
        wide.call = {.type = LP_CALL_RECORD,
                     .reserved = 0,
                     .call = step.call.call,
                     .comm = step.call.comm,
                     .begin = step.call.begin,
                     .end = step.call.end,
                     .peer = step.call.peer,
                     .tag = step.call.tag,
                     .bytes = step.call.bytes,
                     .request = step.call.request,
                     .stack = step.call.stack};
        if (isWide(step.call)) {
            wide.call.type = LP_CALL2_RECORD;
            wide.peer2 = step.call.peer2;
            wide.tag2 = step.call.tag2;
            wide.bytes2 = step.call.bytes2;
            add(wide);
        } else {
            add(wide.call);
        }
        for (const lp_completion& done : step.completions) {
            add(lp_completion_record{.type = std::uint8_t(int(LP_FIRST_COMPLETION) + int(done.kind)),
                                     .reserved = {},
                                     .request = done.request,
                                     .comm = done.comm,
                                     .peer = done.peer,
                                     .tag = done.tag,
                                     .reserved2 = 0,
                                     .bytes = done.bytes});
        }
    }

private:
    // With a second partner, or a second number of bytes.
    static bool isWide(const lp_call& call)
    {
        return call.call == LP_Sendrecv || call.call == LP_Allreduce || call.call == LP_Barrier;
    }
    static void putLoop(const Step& step)
    {
        const lp_polling_loop loop{step.time - 7,        step.time,   LP_Iprobe,
                                   step.number % 2 == 1, step.number, step.number / 2};
        lp_put_polling(&loop);
    }
    unsigned pick(unsigned below) { return m_random() % below; }
    std::int64_t wild(unsigned usual) { return pick(500) == 0 ? std::int64_t(pick(1000)) << 32 : pick(usual); }

    std::mt19937 m_random;
    std::int64_t m_now = -5'000'000'000;
    std::uint32_t m_request = 0;
};

// Without the recorder's own records, whose times nobody knows before.
inline std::vector<char> withoutOwn(const std::vector<char>& records)
{
    std::vector<char> kept;
    for (std::size_t at = 0; at < records.size();) {
        const std::uint32_t size = lp_record_size(static_cast<std::uint8_t>(records[at]));
        if (size == 0 || size > records.size() - at) break;  // cut
        const auto from = records.begin() + static_cast<std::ptrdiff_t>(at);
        if (records[at] != LP_OWN_RECORD && records[at] != LP_MACHINE_RECORD)
            kept.insert(kept.end(), from, from + size);
        at += size;
    }
    return kept;
}

struct ReadRecording {
    std::optional<RecordedRank> rank;
    std::map<std::uint32_t, std::vector<char>> records;  // by thread
    std::vector<Issue> issues;
    bool ok = true;  // every chunk could be read
};

inline ReadRecording readBytes(const RecordingBytes& bytes)
{
    ReadRecording read;
    ImportLog log(QStringLiteral("file"));
    Result<RecordedRank> rank = readRecordedRank(bytes, QStringLiteral("file"), log);
    if (rank) {
        for (const RecordedChunk& chunk : rank->chunks) {
            if (!read.records.contains(chunk.thread))
                read.records[chunk.thread] = withoutOwn(recordsOf(bytes, *rank, chunk.thread, read.ok));
        }
        read.rank = std::move(*rank);
    }
    read.issues = log.issues();
    return read;
}

inline ReadRecording readFile(const QString& path)
{
    const Result<RecordingBytes> bytes = RecordingBytes::open(path);
    return bytes ? readBytes(*bytes) : ReadRecording{};
}

inline QStringList kindsOf(const ReadRecording& read)
{
    QStringList kinds;
    for (const Issue& issue : read.issues) kinds << issue.kind;
    return kinds;
}

inline std::vector<char> scripted(unsigned seed, int steps)
{
    Script script(seed);
    std::vector<char> records;
    for (int i = 0; i < steps; ++i) Script::append(script.next(), records);
    return records;
}

inline void putScripted(unsigned seed, int steps)
{
    Script script(seed);
    for (int i = 0; i < steps; ++i) Script::put(script.next());
}

inline bool isPrefix(const std::vector<char>& part, const std::vector<char>& whole)
{
    return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

// Makes a small file with all kinds of frames and two threads.
inline QByteArray smallFile(const QString& folder, bool closed)
{
    runRecorded(folder, {{"BUFFER", "64K"}}, [&] {
        lp_open(0, 4, 1);
        const std::int32_t members[] = {3, 1, 0};
        lp_put_comm(1, 0, 1, "three", 3, members);
        lp_put_region(true, lp_region("a region"), 5);
        lp_function(reinterpret_cast<const void*>(&smallFile));
        putScripted(1, 120);
        std::thread([] { putScripted(2, 120); }).join();
        if (closed) lp_close(false);
    });
    return contentOf(rankPath(folder));
}

}  // namespace longpole
