// SPDX-License-Identifier: GPL-3.0-or-later
// The collective calls that this process owns, put together from the parts of their members.
#pragma once

#include "core/base/release.h"
#include "distributed/matching/matchingrows.h"
#include "distributed/matching/passes.h"
#include "importers/mpi/collectives.h"

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace longpole {

// How often something was found, and where first.
struct FirstPlace {
    std::int64_t count = 0;
    CollectiveKey key;
    QString text;

    void add(const CollectiveKey& where) { key = count++ == 0 ? where : key; }
    void add(const FirstPlace& other)
    {
        if (other.count > 0 && (count == 0 || other.key < key)) {
            key = other.key;
            text = other.text;
        }
        count += other.count;
    }
    void put(Packer& packer) const
    {
        packer.put(count);
        packer.put(key);
        packer.put(text);
    }
    static FirstPlace from(Unpacker& unpacker)
    {
        FirstPlace place;
        place.count = unpacker.value<std::int64_t>();
        place.key = unpacker.value<CollectiveKey>();
        place.text = unpacker.text();
        return place;
    }
};

// The calls that this process owns.
class OwnedCalls {
public:
    // None where the transport has failed.
    OwnedCalls(Transport& transport, const HostedRanks& hosted, std::vector<GivenPart>&& parts);

    const std::vector<OwnedCollective>& collectives() const { return m_collectives; }
    std::vector<OwnedCollective>& collectives() { return m_collectives; }
    std::vector<OwnedCollective>&& take() { return std::move(m_collectives); }
    void forgetParts() { release(m_parts); }  // large, and told
    const FirstPlace& mismatched() const { return m_mismatched; }
    const FirstPlace& incomplete() const { return m_incomplete; }
    std::span<const GivenPart> partsOf(std::size_t i) const
    {
        return std::span(m_parts).subspan(m_first[i], m_collectives[i].instance.memberCount);
    }
    MemberPairs pairsOf(std::size_t i) const;

private:
    std::size_t membersOf(std::uint32_t comm);
    void fill(std::size_t first, std::size_t last);

    const HostedRanks& m_hosted;
    std::vector<GivenPart> m_parts;
    std::vector<std::size_t> m_first;  // by collective: its first part
    std::vector<OwnedCollective> m_collectives;
    std::map<std::uint32_t, std::size_t> m_sizes;  // of communicators
    FirstPlace m_mismatched, m_incomplete;
};

// What was found wrong with calls, in the run: into the logs of process 0. All processes call it.
void gatherLogs(Transport& transport, const OwnedCalls& owned, MatchingLogs& logs);

// The numbers that calls have in the run: process 0 puts them all in order. Sets how closely members are looked at. All
// processes call it.
std::vector<std::uint32_t> numbersOf(Transport& transport, const HostedRanks& hosted, OwnedCalls& owned);

}  // namespace longpole
