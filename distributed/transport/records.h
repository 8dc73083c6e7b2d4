// SPDX-License-Identifier: GPL-3.0-or-later
// Records of one plain type as bytes of a message. All processes run on machines of one kind, so they go as they lie.
#pragma once

#include "core/base/translate.h"
#include "distributed/transport/transport.h"

#include <cstring>
#include <type_traits>
#include <vector>

namespace longpole {

template <typename Record>
void appendRecord(Payload& bytes, const Record& record)
{
    static_assert(std::is_trivially_copyable_v<Record>);
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof(Record));
    std::memcpy(bytes.data() + at, &record, sizeof(Record));
}

// Calls each(record) for those in a message. A payload that is no whole number of them fails the transport.
template <typename Record, typename Each>
void forEachRecord(Transport& transport, const Payload& bytes, Each each)
{
    static_assert(std::is_trivially_copyable_v<Record>);
    if (bytes.size() % sizeof(Record) != 0)
        return transport.fail({.what = tr("A message between processes is damaged."), .where = {}, .hint = {}});
    for (std::size_t at = 0; at < bytes.size() && !transport.failed(); at += sizeof(Record)) {
        Record record;
        std::memcpy(&record, bytes.data() + at, sizeof(Record));
        each(record);
    }
}

// A vector of records as bytes, and back; damaged bytes give nothing and fail the transport.
template <typename Record>
Payload toBytes(const std::vector<Record>& records)
{
    static_assert(std::is_trivially_copyable_v<Record>);
    Payload bytes(records.size() * sizeof(Record));
    if (!bytes.empty()) std::memcpy(bytes.data(), records.data(), bytes.size());
    return bytes;
}
template <typename Record>
std::vector<Record> recordsOf(Transport& transport, const Payload& bytes)
{
    std::vector<Record> records;
    records.reserve(bytes.size() / sizeof(Record));
    forEachRecord<Record>(transport, bytes, [&](const Record& record) { records.push_back(record); });
    return records;
}

inline std::vector<Payload> emptyPieces(const Transport& transport)
{
    return std::vector<Payload>(static_cast<std::size_t>(transport.processes()));
}

}  // namespace longpole
