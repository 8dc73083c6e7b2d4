// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/advice/adviceplaces.h"

#include "analysis/scheduling/advicewhere.h"
#include "distributed/advice/gathered.h"

#include <cstdint>

namespace longpole {

namespace {

// All that says where a piece of evidence is.
struct AskedPlace {
    QString kind;
    Evidence evidence;
};

std::vector<AskedPlace> toldEvidence(Transport& transport, const std::vector<Advice>& advice)
{
    Packer packer;
    std::uint64_t count = 0;
    for (const Advice& one : advice) count += one.evidence.size();
    packer.put(count);
    for (const Advice& one : advice)
        for (const Evidence& evidence : one.evidence) {
            packer.put(one.kind);
            packer.put(evidence.pe);
            packer.put(evidence.range);
            packer.put(evidence.tasks);
            packer.put(evidence.call ? std::int64_t(index(*evidence.call)) : std::int64_t(-1));
        }
    const Payload bytes = transport.broadcast(packer.take());
    Unpacker unpacker(bytes);
    std::vector<AskedPlace> asked;
    for (std::size_t left = unpacker.count(1); left > 0 && unpacker.isWhole(); --left) {
        AskedPlace& one = asked.emplace_back();
        one.kind = unpacker.text();
        one.evidence.pe = unpacker.value<ProcessorId>();
        one.evidence.range = unpacker.value<TimeRange>();
        one.evidence.tasks = unpacker.values<TaskId>();
        if (const auto call = unpacker.value<std::int64_t>(); call >= 0)
            one.evidence.call = RegionId{static_cast<std::uint32_t>(call)};
    }
    if (!unpacker.isWhole()) tellNotWhole(transport);
    return asked;
}

}  // namespace

void findPlaces(Transport& transport, const TraceStore& store, std::vector<Advice>& advice)
{
    if (store.callPaths().empty()) return;
    const std::vector<AskedPlace> asked = toldEvidence(transport, advice);
    std::vector<std::uint32_t> own;
    own.reserve(asked.size());
    for (const AskedPlace& one : asked) own.push_back(placeOf(store, one.kind, one.evidence));
    Packer packer;
    packer.put(own);
    std::vector<std::uint32_t> all(asked.size(), noCallPath);
    eachGathered(transport, packer, [&all](Unpacker& unpacker) {
        const auto places = unpacker.values<std::uint32_t>();
        if (places.size() != all.size()) return unpacker.refuse();
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i] == noCallPath) all[i] = places[i];
    });
    if (!transport.isRoot() || transport.failed()) return;
    auto place = all.begin();
    for (Advice& one : advice) {
        one.place = noCallPath;
        for (std::size_t i = 0; i < one.evidence.size(); ++i, ++place)
            if (one.place == noCallPath) one.place = *place;
    }
}

}  // namespace longpole
