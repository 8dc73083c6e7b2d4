// SPDX-License-Identifier: GPL-3.0-or-later
// Finds entry methods by what was typed, from the spelling that says most to the one that says least.
#include "analysis/base/entrychoice.h"

#include "core/base/nearestnames.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>

namespace longpole {

namespace {

// A name as it may be typed, from the one that says most to the one that says least.
enum class Spelling { Full, Brief, OwnFull, OwnBrief };
constexpr Spelling spellings[] = {Spelling::Full, Spelling::Brief, Spelling::OwnFull, Spelling::OwnBrief};

QString spelled(const Entry& entry, Spelling spelling)
{
    const bool isBrief = spelling == Spelling::Brief || spelling == Spelling::OwnBrief;
    const QString name = entryName(entry, isBrief);
    const QString prefix = entry.chare + QStringLiteral("::");
    const bool isOwn = spelling == Spelling::OwnFull || spelling == Spelling::OwnBrief;
    return isOwn && name.startsWith(prefix) ? name.mid(prefix.size()) : name;
}

QStringList namesOf(const TraceStore& store)
{
    QStringList names;
    for (const Entry& entry : store.entries())
        names << spelled(entry, Spelling::Brief) << spelled(entry, Spelling::OwnBrief);
    names.removeDuplicates();
    return names;
}

QStringList splitNames(const QString& text)
{
    QStringList names{QString()};
    int depth = 0;
    for (const QChar c : text) {
        if (c == QLatin1Char('(') || c == QLatin1Char('<') || c == QLatin1Char('[')) ++depth;
        if (c == QLatin1Char(')') || c == QLatin1Char('>') || c == QLatin1Char(']')) --depth;
        if (c == QLatin1Char(',') && depth <= 0) names << QString();
        else names.back() += c;
    }
    return names;
}

}  // namespace

Result<EntryId> parseEntry(const TraceStore& store, const QString& text)
{
    const QString wanted = text.trimmed();
    bool isNumber = false;
    const std::uint32_t id = wanted.toUInt(&isNumber);
    if (isNumber && store.entry(EntryId{id}) != nullptr) return EntryId{id};
    for (const Spelling spelling : spellings) {
        std::vector<EntryId> found;
        for (const Entry& entry : store.entries())
            if (spelled(entry, spelling) == wanted) found.push_back(entry.id);
        if (found.size() == 1) return found.front();
        if (found.empty()) continue;
        QStringList ids;
        for (const EntryId entry : found) ids << QString::number(index(entry));
        return Error{store.words()
                         .say(tr("Several entry methods are called '%1'"), tr("Several regions are called '%1'"))
                         .arg(wanted),
                     QString(), tr("Give the id of one of them: %1.").arg(ids.join(QStringLiteral(", ")))};
    }
    const QString nearest = suggestion(wanted, namesOf(store));
    return Error{store.words().say(tr("There is no entry method '%1'"), tr("There is no region '%1'")).arg(wanted)
                     + (nearest.isEmpty() ? QStringLiteral(".") : nearest),
                 QString(), tr("'longpole profile' lists them.")};
}

Result<std::vector<EntryId>> parseEntries(const TraceStore& store, const QString& text)
{
    std::vector<EntryId> entries;
    for (const QString& name : splitNames(text)) {
        const Result<EntryId> entry = parseEntry(store, name);
        if (!entry) return entry.error();
        if (std::find(entries.begin(), entries.end(), *entry) == entries.end()) entries.push_back(*entry);
    }
    return entries;
}

}  // namespace longpole
