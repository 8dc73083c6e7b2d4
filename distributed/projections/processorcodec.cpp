// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/projections/processorcodec.h"

namespace longpole {
namespace {

template <typename Visit>
void visitTotals(Processor& processor, Visit visit)
{
    for (std::int64_t* const total :
         {&processor.firstRecord, &processor.lastRecord, &processor.records, &processor.tasks, &processor.messages,
          &processor.busy, &processor.idle, &processor.pack, &processor.flush, &processor.untraced})
        visit(*total);
}

}  // namespace

void put(Packer& packer, const ProcessorResult& result)
{
    Processor processor = result.processor;
    packer.put(index(processor.pe));
    packer.put(processor.hasLog);
    visitTotals(processor, [&packer](std::int64_t total) { packer.put(total); });
    packer.put(result.busy);
    packer.put(result.counts);
    packer.put(result.profile);
    packer.put(std::vector<std::uint32_t>(result.regions.begin(), result.regions.end()));
    packer.put(result.unknownEntries);
    packer.put(static_cast<std::uint64_t>(result.texts.size()));
    for (const QString& text : result.texts) packer.put(text);
    packer.put(result.hasUserEventTrack);
    packer.put(result.isBinary);
}

void take(Unpacker& unpacker, ProcessorResult& result)
{
    Processor& processor = result.processor;
    processor.pe = ProcessorId{unpacker.value<std::uint32_t>()};
    processor.track = processorTrack(index(processor.pe));
    processor.hasLog = unpacker.value<std::uint8_t>() != 0;
    visitTotals(processor, [&unpacker](std::int64_t& total) { total = unpacker.value<std::int64_t>(); });
    result.busy = unpacker.value<TimeNs>();
    result.counts = unpacker.value<std::array<std::int64_t, recordTypes>>();
    result.profile = unpacker.values<ProfileRow>();
    const std::vector<std::uint32_t> regions = unpacker.values<std::uint32_t>();
    result.regions = {regions.begin(), regions.end()};
    result.unknownEntries = unpacker.values<std::uint32_t>();
    for (std::size_t left = unpacker.count(1); left > 0 && unpacker.isWhole(); --left)
        result.texts.push_back(unpacker.text());
    result.hasUserEventTrack = unpacker.value<std::uint8_t>() != 0;
    result.isBinary = unpacker.value<std::uint8_t>() != 0;
}

}  // namespace longpole
