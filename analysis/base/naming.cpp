// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/base/naming.h"

#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

QString nameOfEntry(const TraceStore& store, EntryId entry)
{
    const Entry* known = store.entry(entry);
    return known != nullptr ? entryName(*known) : tr("entry %1").arg(index(entry));
}

QString callName(const TraceStore& store, RegionId call)
{
    const Region* const region = store.region(call);
    return region != nullptr ? region->name : tr("call %1").arg(index(call));
}

const Chare* findChare(const TraceStore& store, ChareId id)
{
    const std::span<const Chare> chares = store.chares();
    const auto found = std::lower_bound(chares.begin(), chares.end(), id,
                                        [](const Chare& chare, ChareId wanted) { return chare.id < wanted; });
    return found == chares.end() || found->id != id ? nullptr : &*found;
}

QString withoutEvents(const TraceStore& store, const QString& otherwise)
{
    const Result<> there = requireEvents(store);
    return there ? otherwise : there.error().what % QLatin1Char(' ') % there.error().hint;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }
double ratio(std::int64_t part, std::int64_t whole)
{
    return ratio(static_cast<double>(part), static_cast<double>(whole));
}

QString shareText(double part, double whole) { return formatShare(ratio(part, whole)); }
QString shareText(std::int64_t part, std::int64_t whole) { return formatShare(ratio(part, whole)); }

QString counted(std::int64_t count, const QString& one, const QString& many)
{
    return formatCount(count) % QLatin1Char(' ') % (count == 1 ? one : many);
}

QString countedProcessors(Vocabulary words, std::int64_t count)
{
    return counted(count, words.say(tr("PE"), tr("rank")), words.say(tr("PEs"), tr("ranks")));
}

}  // namespace longpole
