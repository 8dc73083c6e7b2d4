// SPDX-License-Identifier: GPL-3.0-or-later
// A recording whose frames and records are a fuzzer's choices; its checksums and sizes are right.
#pragma once

#include "fuzz/choices.h"
#include "recorder/format/calls.h"
#include "recorder/format/chunkrecords.h"

#include <QByteArray>
#include <QDir>

#include <algorithm>
#include <bit>
#include <cstring>

namespace longpole::drawnrecording {

constexpr std::uint32_t mostRanks = 3;

template <typename T>
inline QByteArray bytesOfObject(const T& object)
{
    return QByteArray(reinterpret_cast<const char*>(&object), sizeof object);
}

inline QByteArray paddedTo(QByteArray bytes, qsizetype step)
{
    bytes.append((step - bytes.size() % step) % step, '\0');
    return bytes;
}

inline QByteArray frame(lp_frame head, const QByteArray& payload)
{
    head.magic = LP_FRAME_MAGIC;
    head.length = static_cast<std::uint64_t>(payload.size());
    head.checksum = lp_head_checksum(head);
    if (head.kind != LP_AREA && head.kind != LP_PADDING)
        head.checksum = lp_checksum(payload.constData(), head.length, head.checksum);
    return paddedTo(bytesOfObject(head) + payload, LP_ALIGNMENT);
}

// Mostly a small number, as a sound file has them.
inline std::int64_t oftenSmall(Choices& choices) { return choices.below(8) == 0 ? choices.number() : choices.below(6); }

template <typename T>
T numberAs(Choices& choices)
{
    return static_cast<T>(oftenSmall(choices));
}

inline QByteArray name(Choices& choices)
{
    static const QByteArray names[] = {"", "main", "_ZN1a1bEv", "\xff\xfe", "=1+1", "MPI_Send", QByteArray(300, 'x')};
    return names[choices.below(std::size(names))];
}

inline lp_call_record call(Choices& choices, std::int64_t& now, std::uint8_t type)
{
    lp_call_record record{};
    record.type = type;
    record.call = choices.below(8) == 0 ? numberAs<std::uint16_t>(choices)
                                        : static_cast<std::uint16_t>(choices.below(LP_CALL_COUNT));
    record.comm = numberAs<std::uint32_t>(choices);
    record.begin = choices.below(16) == 0 ? choices.number() : (now += choices.below(1000));
    record.end = choices.below(16) == 0 ? choices.number() : (now += choices.below(1000));
    record.peer = numberAs<std::int32_t>(choices);
    record.tag = numberAs<std::int32_t>(choices);
    record.bytes = oftenSmall(choices);
    record.request = numberAs<std::uint32_t>(choices);
    record.stack = numberAs<std::uint32_t>(choices);
    return record;
}

inline QByteArray record(Choices& choices, std::int64_t& now)
{
    switch (choices.below(9)) {
    case 0: {
        lp_call2_record second{};
        second.call = call(choices, now, choices.below(2) == 0 ? LP_CALL2_RECORD : LP_JOINED2_RECORD);
        second.peer2 = numberAs<std::int32_t>(choices);
        second.tag2 = numberAs<std::int32_t>(choices);
        second.bytes2 = oftenSmall(choices);
        return bytesOfObject(second);
    }
    case 1: {
        lp_region_record region{};
        constexpr std::uint8_t types[] = {LP_ENTER_RECORD, LP_LEAVE_RECORD, LP_SWITCH_RECORD};
        region.type = types[choices.below(3)];
        region.region = numberAs<std::uint32_t>(choices);
        region.time = now += choices.below(100);
        return bytesOfObject(region);
    }
    case 2: {
        lp_polls_record polls{};
        polls.type = LP_POLLS_RECORD;
        polls.call = static_cast<std::uint16_t>(choices.below(LP_CALL_COUNT + 2));
        polls.time = now += choices.below(100);
        polls.count = oftenSmall(choices);
        return bytesOfObject(polls);
    }
    case 3:
    case 4: {
        lp_completion_record done{};
        done.type = static_cast<std::uint8_t>(LP_FIRST_COMPLETION
                                              + choices.below(LP_RECORD_TYPES - LP_FIRST_COMPLETION));
        done.request = numberAs<std::uint32_t>(choices);
        done.comm = numberAs<std::uint32_t>(choices);
        done.peer = numberAs<std::int32_t>(choices);
        done.tag = numberAs<std::int32_t>(choices);
        done.bytes = oftenSmall(choices);
        return bytesOfObject(done);
    }
    case 5: {
        lp_own_record own{};
        own.type = LP_OWN_RECORD;
        own.begin = now;
        own.end = now += choices.below(100);
        return bytesOfObject(own);
    }
    case 6: {
        lp_polling_record loop{};
        loop.type = LP_POLLING_RECORD;
        loop.is_ended = static_cast<std::uint8_t>(choices.below(2));
        loop.call = static_cast<std::uint16_t>(choices.below(LP_CALL_COUNT + 2));
        loop.count = numberAs<std::uint32_t>(choices);
        loop.begin = now;
        loop.end = choices.below(16) == 0 ? choices.number() : (now += choices.below(100));
        loop.stack = numberAs<std::uint32_t>(choices);
        return bytesOfObject(loop);
    }
    case 7: {
        lp_machine_record machine{};
        machine.type = LP_MACHINE_RECORD;
        machine.core = static_cast<std::uint16_t>(choices.below(4));
        machine.taken = numberAs<std::uint32_t>(choices);
        machine.time = choices.below(16) == 0 ? choices.number() : (now += choices.below(100));
        machine.cpu = oftenSmall(choices);
        machine.without = oftenSmall(choices);
        machine.given = numberAs<std::uint32_t>(choices);
        return bytesOfObject(machine);
    }
    default: return bytesOfObject(call(choices, now, choices.below(8) == 0 ? LP_JOINED_RECORD : LP_CALL_RECORD));
    }
}

inline QByteArray records(Choices& choices, std::uint32_t& count)
{
    QByteArray bytes;
    std::int64_t now = oftenSmall(choices) / 4;  // there is room for what is added
    const std::uint32_t most = 1 + choices.below(24);
    for (count = 0; count < most; ++count) bytes += record(choices, now);
    return bytes;
}

inline QByteArray chunk(Choices& choices, lp_frame head)
{
    std::uint32_t count = 0;
    const QByteArray bytes = records(choices, count);
    head.thread = choices.below(3);
    head.seq = choices.below(3);
    head.records = choices.below(8) == 0 ? numberAs<std::uint32_t>(choices) : count;
    head.raw_length = choices.below(8) == 0 ? static_cast<std::uint64_t>(choices.number())
                                            : static_cast<std::uint64_t>(bytes.size());
    if (head.kind == LP_CHUNK) return frame(head, bytes);
    lp_area area{};
    area.used = choices.below(8) == 0 ? static_cast<std::uint64_t>(choices.number())
                                      : static_cast<std::uint64_t>(bytes.size());
    area.open_call = numberAs<std::uint32_t>(choices);
    area.open_begin = oftenSmall(choices);
    return frame(head, bytesOfObject(area) + bytes);
}

// Columns as the recorder has them: types, then planes of each column, of any bytes.
inline QByteArray columns(Choices& choices, lp_frame head)
{
    QByteArray bytes;
    head.kind = LP_CHUNK;
    head.coding = LP_CODING_COLUMNS;
    head.records = 1 + choices.below(8);
    for (std::uint32_t i = 0; i < head.records; ++i)
        bytes += static_cast<char>(choices.below(4) == 0 ? choices.below(48) : std::uint32_t{LP_CALL_RECORD});
    for (int column = 0; column < LP_COLUMNS; ++column) {
        const std::uint32_t width = choices.below(4) == 0 ? choices.below(10) : 1;
        bytes += static_cast<char>(width);
        for (std::uint32_t i = 0; i < width * head.records; ++i) bytes += static_cast<char>(choices.below(256));
    }
    head.raw_length = choices.below(4) == 0 ? static_cast<std::uint64_t>(choices.number())
                                            : std::uint64_t{48} * head.records;
    return frame(head, bytes);
}

inline QByteArray communicator(Choices& choices)
{
    lp_comm comm{};
    comm.comm = numberAs<std::uint32_t>(choices);
    comm.serial = numberAs<std::uint32_t>(choices);
    comm.origin = numberAs<std::int32_t>(choices);
    comm.size = numberAs<std::int32_t>(choices);
    comm.first = numberAs<std::int32_t>(choices);
    comm.stride = numberAs<std::int32_t>(choices);
    QByteArray members;
    for (std::uint32_t i = choices.below(4); i > 0; --i) members += bytesOfObject(numberAs<std::int32_t>(choices));
    const QByteArray text = name(choices);
    comm.name_length = choices.below(8) == 0 ? numberAs<std::uint32_t>(choices)
                                             : static_cast<std::uint32_t>(text.size());
    return bytesOfObject(comm) + members + text;
}

inline QByteArray stacks(Choices& choices)
{
    QByteArray bytes;
    for (std::uint32_t i = choices.below(4); i > 0; --i) {
        const std::uint32_t count = choices.below(8) == 0 ? numberAs<std::uint32_t>(choices) : choices.below(5);
        bytes += bytesOfObject(lp_stack_head{numberAs<std::uint32_t>(choices), count});
        for (std::uint32_t k = 0; k < std::min(count, 8u); ++k)
            bytes += bytesOfObject(std::uint64_t{0x1000} + choices.below(4));
    }
    return bytes;
}

inline QByteArray functions(Choices& choices)
{
    const QByteArray text = name(choices);
    lp_known_function known{};
    known.region = numberAs<std::uint32_t>(choices);
    known.name_length = choices.below(8) == 0 ? numberAs<std::uint32_t>(choices)
                                              : static_cast<std::uint32_t>(text.size());
    known.address = 0x1000 + choices.below(4);
    return bytesOfObject(known) + paddedTo(text, 8);
}

inline QByteArray modules(Choices& choices)
{
    const QByteArray path = "/nonexistent/" + name(choices);
    lp_module module{};
    module.base = static_cast<std::uint64_t>(oftenSmall(choices));
    module.begin = 0x1000;
    module.end = choices.below(4) == 0 ? static_cast<std::uint64_t>(choices.number()) : 0x2000;
    module.path_length = choices.below(8) == 0 ? numberAs<std::uint32_t>(choices)
                                               : static_cast<std::uint32_t>(path.size());
    module.build_id_length = numberAs<std::uint32_t>(choices);
    return bytesOfObject(module) + paddedTo(path, 8) + QByteArray(8, 'b');
}

inline QByteArray neighbours(Choices& choices)
{
    lp_neighbours_head head{};
    head.comm = numberAs<std::uint32_t>(choices);
    head.sources = numberAs<std::int32_t>(choices);
    head.targets = numberAs<std::int32_t>(choices);
    QByteArray ranks;
    for (std::uint32_t i = choices.below(6); i > 0; --i) ranks += bytesOfObject(numberAs<std::int32_t>(choices));
    return bytesOfObject(head) + ranks;
}

inline QByteArray anyFrame(Choices& choices)
{
    lp_frame head{};
    head.kind = LP_CHUNK;
    switch (choices.below(13)) {
    case 0: head.kind = LP_COMM; return frame(head, communicator(choices));
    case 1: head.kind = LP_REGION; return frame(head, bytesOfObject(numberAs<std::uint32_t>(choices)) + name(choices));
    case 2: head.kind = LP_FUNCTIONS; return frame(head, functions(choices));
    case 3: head.kind = LP_MODULES; return frame(head, modules(choices));
    case 4: head.kind = LP_STACKS; return frame(head, stacks(choices));
    case 5: {
        lp_thread_start start{};
        start.thread = numberAs<std::uint32_t>(choices);
        start.time = oftenSmall(choices);
        std::memset(start.name, 'n', sizeof start.name);
        head.kind = LP_THREAD;
        return frame(head, bytesOfObject(start));
    }
    case 6: head.kind = LP_AREA; return chunk(choices, head);
    case 7: return columns(choices, head);
    case 8: head.kind = LP_NEIGHBOURS; return frame(head, neighbours(choices));
    default: return chunk(choices, head);
    }
}

inline lp_header header(Choices& choices, const char* magic, std::uint32_t rank, std::uint32_t ranks)
{
    lp_header head{};
    std::memcpy(head.magic, magic, sizeof head.magic);
    head.endian = LP_ENDIAN_MARK;
    head.version = choices.below(8) == 0 ? numberAs<std::uint32_t>(choices) : LP_FORMAT_VERSION;
    head.run = 7;
    head.rank = static_cast<std::int32_t>(rank);
    head.size = choices.below(8) == 0 ? numberAs<std::int32_t>(choices) : static_cast<std::int32_t>(ranks);
    head.end_kind = numberAs<std::uint32_t>(choices);
    head.threads = numberAs<std::uint32_t>(choices);
    head.start = oftenSmall(choices);
    head.start_wall = oftenSmall(choices);
    head.end = oftenSmall(choices);
    head.cpu = oftenSmall(choices);
    head.cores = numberAs<std::uint32_t>(choices);
    for (std::uint64_t& word : head.own_core) {
        word = static_cast<std::uint64_t>(oftenSmall(choices));
        head.own_cores += static_cast<std::uint32_t>(std::popcount(word));
    }
    if (choices.below(8) == 0) head.own_cores = numberAs<std::uint32_t>(choices);
    for (lp_clock_point& point : head.clock) {
        point.local = oftenSmall(choices);
        point.offset = oftenSmall(choices);
        point.error = oftenSmall(choices);
        point.method = choices.below(6);
    }
    if (choices.below(8) == 0) std::memset(head.host, 'h', sizeof head.host);  // no 0 at its end
    return head;
}

inline QByteArray withFrames(const lp_header& head, const QByteArray& frames)
{
    QByteArray bytes = bytesOfObject(head);
    bytes.append(LP_FIRST_FRAME - bytes.size(), '\0');
    return bytes + frames;
}

// Writes its files; returns their folder, which the next one replaces.
inline QString write(Choices& choices)
{
    const QString folder = fuzzFile("run.lprec");
    QDir(folder).removeRecursively();
    QDir().mkpath(folder);
    const std::uint32_t ranks = 1 + choices.below(mostRanks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const lp_header head = header(choices, LP_RANK_MAGIC, rank, ranks);
        QByteArray frames;
        for (std::uint32_t i = 1 + choices.below(8); i > 0; --i) frames += anyFrame(choices);
        writeFuzzFile(folder + QStringLiteral("/rank-%1.lprank").arg(rank, 6, 10, QLatin1Char('0')),
                      withFrames(head, frames));
    }
    if (choices.below(2) == 0) {
        QByteArray rows;
        for (std::uint32_t i = 0; i < ranks + choices.below(2); ++i) {
            lp_index_rank row{};
            row.rank = numberAs<std::int32_t>(choices);
            row.bytes = static_cast<std::uint64_t>(oftenSmall(choices));
            rows += bytesOfObject(row);
        }
        lp_frame head{};
        head.kind = LP_RANKS;
        head.records = choices.below(8) == 0 ? numberAs<std::uint32_t>(choices) : ranks;
        writeFuzzFile(folder + QStringLiteral("/index.lpindex"),
                      withFrames(header(choices, LP_INDEX_MAGIC, 0, ranks), frame(head, rows)));
    }
    return folder;
}

}  // namespace longpole::drawnrecording
