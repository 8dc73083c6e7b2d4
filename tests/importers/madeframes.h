// SPDX-License-Identifier: GPL-3.0-or-later
// Files of a recording whose checksums are right, whatever stands in their frames.
#pragma once

#include "recorder/format/chunkrecords.h"

#include <QByteArray>

#include <cstring>

namespace longpole::test {

inline lp_header bombHeader(int rank, int size)
{
    lp_header header{};
    std::memcpy(header.magic, LP_RANK_MAGIC, sizeof header.magic);
    header.endian = LP_ENDIAN_MARK;
    header.version = LP_FORMAT_VERSION;
    header.run = 7;
    header.rank = rank;
    header.size = size;
    header.end_kind = LP_FINALIZED;
    return header;
}

inline QByteArray paddedTo(QByteArray bytes, qsizetype step)
{
    bytes.append((step - bytes.size() % step) % step, '\0');
    return bytes;
}

inline QByteArray frameOf(std::uint32_t kind, const QByteArray& payload, bool isSound = true)
{
    lp_frame head{};
    head.magic = LP_FRAME_MAGIC;
    head.kind = kind;
    head.length = static_cast<std::uint64_t>(payload.size());
    head.checksum = lp_head_checksum(head);
    if (kind != LP_AREA && kind != LP_PADDING)
        head.checksum = lp_checksum(payload.constData(), head.length, head.checksum);
    if (!isSound) head.checksum ^= 1;
    return paddedTo(QByteArray(reinterpret_cast<const char*>(&head), sizeof head) + payload, LP_ALIGNMENT);
}

inline QByteArray rankFile(const lp_header& header, const QByteArray& frames)
{
    QByteArray bytes(reinterpret_cast<const char*>(&header), sizeof header);
    bytes.append(LP_FIRST_FRAME - bytes.size(), '\0');
    return bytes + frames;
}

template <typename Struct>
QByteArray bytesOf(const Struct& value)
{
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

// Records of the main thread, as they lie in memory.
inline QByteArray areaOf(const QByteArray& records)
{
    lp_area area{};
    area.used = static_cast<std::uint64_t>(records.size());
    return frameOf(LP_AREA, bytesOf(area) + records);
}

}  // namespace longpole::test
