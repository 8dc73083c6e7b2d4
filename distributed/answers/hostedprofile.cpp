// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/answers/hostedprofile.h"

#include "core/base/translate.h"
#include "distributed/exchange/pack.h"

#include <vector>

namespace longpole {
namespace {

// As they travel to process 0.
struct CallsRow {
    std::uint32_t region = 0;
    std::int64_t calls = 0;
    TimeNs inclusive = 0, held = 0;
    bool isMpi = false;
};
struct OutsideRow {
    std::uint32_t pe = 0;
    std::int64_t count = 0, bytes = 0;
};

template <typename Visit>
auto withCallsColumns(Visit visit)
{
    return visit(&CallsRow::region, &CallsRow::calls, &CallsRow::inclusive, &CallsRow::held, &CallsRow::isMpi);
}

Payload packedEvents(const ProfiledEvents& events)
{
    std::vector<CallsRow> calls;
    for (const auto& [region, sums] : events.calls)
        calls.push_back({index(region), sums.calls, sums.inclusive, sums.held, sums.isMpi});
    std::vector<OutsideRow> outside;
    for (const auto& [pe, messages] : events.outside) outside.push_back({index(pe), messages.count, messages.bytes});
    Packer packer;
    withCallsColumns([&](auto... columns) { packer.putTable(calls, columns...); });
    packer.putTable(outside, &OutsideRow::pe, &OutsideRow::count, &OutsideRow::bytes);
    return packer.take();
}

// False: it did not come whole.
bool addEvents(const Payload& bytes, ProfiledEvents& events)
{
    Unpacker unpacker(bytes);
    const auto calls = withCallsColumns([&](auto... columns) { return unpacker.table<CallsRow>(columns...); });
    const auto outside = unpacker.table<OutsideRow>(&OutsideRow::pe, &OutsideRow::count, &OutsideRow::bytes);
    for (const CallsRow& row : calls) {
        RegionCalls& sums = events.calls[RegionId{row.region}];
        sums.calls = saturatingAdd(sums.calls, row.calls);
        sums.inclusive = saturatingAdd(sums.inclusive, row.inclusive);
        sums.held = saturatingAdd(sums.held, row.held);
        sums.isMpi = sums.isMpi || row.isMpi;
    }
    for (const OutsideRow& row : outside) {
        ProfiledEvents::Messages& messages = events.outside[ProcessorId{row.pe}];
        messages.count = saturatingAdd(messages.count, row.count);
        messages.bytes = saturatingAdd(messages.bytes, row.bytes);
    }
    return unpacker.isWhole();
}

}  // namespace

Result<ProfiledEvents> hostedProfile(Transport& transport, const TraceStore& store, const Progress& progress)
{
    const Result<ProfiledEvents> own = profiledEvents(store, progress);
    if (!own) transport.fail(own.error());
    ProfiledEvents all;
    for (const Payload& bytes : transport.gather(own ? packedEvents(*own) : Payload()))
        if (!addEvents(bytes, all))
            transport.fail(Error{tr("The profile did not arrive whole from another process."), QString(), QString()});
    if (transport.failed()) return transport.failure();
    return all;
}

}  // namespace longpole
