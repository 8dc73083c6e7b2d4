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

bool isStartOrEnd(const QString& call)
{
    return call == QLatin1String("MPI_Init") || call == QLatin1String("MPI_Init_thread")
           || call == QLatin1String("MPI_Finalize");
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

QString counted(const char* many, const char* one, std::int64_t count)
{
    // Plural forms go by the last digits; Qt takes an int.
    constexpr std::int64_t digits = 1'000'000;
    const int form = static_cast<int>(count < digits ? count : digits + count % digits);
    QString text = QCoreApplication::translate("longpole", many, one, form);
    if (count == 1 && text == QString::fromUtf8(many)) text = QString::fromUtf8(one);  // nobody translates
    return text.contains(QLatin1String("%1")) ? text.arg(formatCount(count)) : text;
}

QString countedProcessors(Vocabulary words, std::int64_t count)
{
    return words.say(counted("%1 PEs", "%1 PE", count), counted("%1 ranks", "%1 rank", count));
}

}  // namespace longpole
