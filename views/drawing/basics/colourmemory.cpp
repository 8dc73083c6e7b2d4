// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/colourmemory.h"

#include "core/trace/format.h"
#include "views/drawing/basics/oklab.h"

#include <QColor>
#include <QHash>

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

namespace longpole {

namespace {

constexpr std::size_t mostLarge = 10;    // as many colours as the smaller palette has
constexpr double leastMain = 0.02;       // of all time
constexpr std::size_t mostNames = 2000;  // that are remembered, those of the latest traces: a program has dozens
constexpr std::size_t mostOfRun = 256;   // of a run with more, only the large ones are
constexpr qsizetype mostLetters = 256;   // of a name that is remembered

// The numbers that are given away, as in a hash table with linear probing.
class TakenNumbers {
public:
    explicit TakenNumbers(std::span<const QRgb> colours) : m_taken(colours.size()), m_left(colours.size())
    {
        for (const QRgb colour : colours) m_colours.push_back(toOklab(colour));
    }

    bool isTaken(std::size_t number) const { return m_taken[number]; }
    void take(std::size_t number, bool isLarge)
    {
        if (!m_taken[number]) --m_left;
        m_taken[number] = true;
        if (isLarge) m_large.push_back(number);
    }
    bool isAnyFree() const { return m_left > 0; }
    // The proposed one, or the next free one; if all are taken, the proposed one.
    std::size_t nextFree(std::size_t proposed) const
    {
        while (m_left > 0 && m_taken[proposed]) proposed = (proposed + 1) % m_taken.size();
        return proposed;
    }
    // For a large name: the free one that looks least like what large names have; of equals the next.
    std::size_t nextUnlike(std::size_t proposed) const
    {
        std::size_t best = proposed;
        double farthest = -1;
        for (std::size_t i = 0; i < m_taken.size(); ++i) {
            const std::size_t number = (proposed + i) % m_taken.size();
            const double distance = m_taken[number] ? -1 : distanceFromLarge(number);
            if (distance <= farthest) continue;
            farthest = distance;
            best = number;
        }
        return best;
    }

private:
    double distanceFromLarge(std::size_t number) const
    {
        double least = 1;
        for (const std::size_t large : m_large)
            least = std::min(least, fillDistance(m_colours[number], m_colours[large]));
        return least;
    }

    std::vector<bool> m_taken;
    std::vector<Oklab> m_colours;
    std::vector<std::size_t> m_large;
    std::size_t m_left;
};

JsonValue numbersJson(const ColourNumbers& numbers)
{
    JsonValue json = JsonValue::object();
    for (const auto& [name, number] : numbers) json[name.toStdString()] = number;
    return json;
}

ColourNumbers numbersFrom(const JsonValue& json, const char* key, PaletteKind kind)
{
    ColourNumbers numbers;
    if (!json.is_object() || !json.contains(key) || !json[key].is_object()) return numbers;
    for (const auto& [name, number] : json[key].items())
        if (number.is_number_unsigned() && number.get<std::size_t>() < paletteColours(kind).size())
            numbers.emplace(QString::fromStdString(name), number.get<std::size_t>());
    return numbers;
}

}  // namespace

std::vector<std::size_t> numbersOfColours(std::span<const NameToColour> names, std::span<const QRgb> colours,
                                          const ColourNumbers& remembered, const Progress& progress)
{
    std::vector<std::size_t> hashes;
    hashes.reserve(names.size());
    for (const NameToColour& name : names) hashes.push_back(progress.isCancelled() ? 0 : nameHash(name.name));
    const auto isBefore = [&](std::size_t a, std::size_t b) {
        const auto key = [&](std::size_t i) {
            const NameToColour& n = names[i];
            return std::tuple(!n.isMain, !n.isLarge, !n.ran, hashes[i], QStringView(n.name));
        };
        return key(a) < key(b);
    };

    constexpr std::size_t undecided = ~std::size_t{0};
    std::vector<std::size_t> numbers(names.size(), undecided);
    TakenNumbers taken(colours);
    std::vector<std::pair<std::size_t, std::size_t>> known;  // the name, and the number that it has had
    for (std::size_t i = 0; i < names.size() && !remembered.empty() && !progress.isCancelled(); ++i) {
        const auto found = remembered.find(names[i].name);
        if (found != remembered.end() && found->second < colours.size()) known.emplace_back(i, found->second);
    }
    std::sort(known.begin(), known.end(), [&](const auto& a, const auto& b) { return isBefore(a.first, b.first); });
    for (const auto& [name, number] : known) {
        if (names[name].isLarge && taken.isTaken(number)) continue;
        numbers[name] = number;
        taken.take(number, names[name].isLarge);
    }

    // Only those that come first choose: once all numbers are taken, the others have what their hashes propose.
    std::vector<std::size_t> rest;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (numbers[i] == undecided) rest.push_back(i);
    const auto isAfter = [&](std::size_t a, std::size_t b) { return isBefore(b, a); };
    std::make_heap(rest.begin(), rest.end(), isAfter);
    for (; taken.isAnyFree() && !rest.empty(); rest.pop_back()) {
        std::pop_heap(rest.begin(), rest.end(), isAfter);
        const std::size_t name = rest.back(), proposed = hashes[name] % colours.size();
        const bool isLarge = names[name].isLarge;
        numbers[name] = isLarge ? taken.nextUnlike(proposed) : taken.nextFree(proposed);
        taken.take(numbers[name], isLarge);
    }
    for (const std::size_t name : rest) numbers[name] = hashes[name] % colours.size();
    return numbers;
}

ColourNumbers colourNumbers(std::span<const NameToColour> names, std::span<const QRgb> colours,
                            const ColourNumbers& remembered)
{
    std::map<QStringView, NameToColour> each;  // of equal names, what comes first in the order
    for (const NameToColour& name : names) {
        NameToColour& one = each.try_emplace(name.name, name).first->second;
        one.ran |= name.ran;
        one.isLarge |= name.isLarge;
        one.isMain |= name.isMain;
    }
    std::vector<NameToColour> distinct;
    distinct.reserve(each.size());
    for (const auto& [name, one] : each) distinct.push_back(one);
    const std::vector<std::size_t> numbers = numbersOfColours(distinct, colours, remembered);
    ColourNumbers result;
    for (std::size_t i = 0; i < distinct.size(); ++i) result.emplace_hint(result.end(), distinct[i].name, numbers[i]);
    return result;
}

QString colourName(const Entry& entry, ColourBy by)
{
    return by == ColourBy::Chare && !entry.chare.isEmpty() ? entry.chare : entryName(entry);
}

NamedEntries namesToColour(std::span<const Entry> entries, std::span<const ProfileRow> profile, ColourBy by,
                           const Progress& progress)
{
    struct Sum {
        TimeNs time = 0;
        bool ran = false;
    };
    std::vector<std::pair<std::uint32_t, TimeNs>> times;  // sorted: numbers of a file would collide in a table
    times.reserve(profile.size());
    for (const ProfileRow& row : profile) times.emplace_back(index(row.entry), row.exclusive);
    std::sort(times.begin(), times.end());
    NamedEntries result;
    std::vector<Sum> sums;  // by name
    QHash<QString, std::uint32_t> numberOf;
    numberOf.reserve(static_cast<qsizetype>(entries.size()));
    for (const Entry& entry : entries) {
        if (progress.isCancelled()) return {};
        result.nameOf.push_back(NamedEntries::noName);
        if (entry.kind != EntryKind::User) continue;
        QString name = colourName(entry, by);
        std::uint32_t& number = numberOf[name];
        if (static_cast<std::size_t>(numberOf.size()) > sums.size()) {
            number = static_cast<std::uint32_t>(sums.size());
            sums.emplace_back();
            result.names.push_back({.name = std::move(name), .ran = false});
        }
        result.nameOf.back() = number;
        Sum& sum = sums[number];
        const std::uint32_t id = index(entry.id);
        for (auto row = std::lower_bound(times.begin(), times.end(), std::pair(id, std::numeric_limits<TimeNs>::min()));
             row != times.end() && row->first == id; ++row) {
            sum.ran = true;
            addSaturating(sum.time, row->second);
        }
    }

    TimeNs all = 0;
    std::vector<std::uint32_t> byTime;
    for (std::uint32_t i = 0; i < sums.size(); ++i) {
        result.names[i].ran = sums[i].ran;
        addSaturating(all, sums[i].time);
        if (sums[i].time > 0) byTime.push_back(i);
    }
    const std::size_t large = std::min(mostLarge, byTime.size());
    std::partial_sort(byTime.begin(), byTime.begin() + static_cast<std::ptrdiff_t>(large), byTime.end(),
                      [&](std::uint32_t a, std::uint32_t b) {
                          return std::tuple(-sums[a].time, QStringView(result.names[a].name))
                                 < std::tuple(-sums[b].time, QStringView(result.names[b].name));
                      });
    for (std::size_t i = 0; i < large; ++i) {
        NameToColour& name = result.names[byTime[i]];
        name.isLarge = true;
        name.isMain = static_cast<double>(sums[byTime[i]].time) >= leastMain * static_cast<double>(all);
    }
    return result;
}

bool ColourMemory::learn(const TraceStore& store, const Progress& progress)
{
    return learn(store.entries(), store.profile(), progress);
}

bool ColourMemory::learn(std::span<const Entry> entries, std::span<const ProfileRow> profile, const Progress& progress)
{
    // Of each, only those that ran: hundreds are declared.
    const auto namesThatRan = [&](ColourBy by) {
        std::vector<NameToColour> names = namesToColour(entries, profile, by, progress).names;
        std::erase_if(names, [](const NameToColour& name) { return !name.ran; });
        const bool isMany = names.size() > mostOfRun;
        std::erase_if(names, [isMany](const NameToColour& name) {
            return name.name.size() > mostLetters || (isMany && !name.isLarge);
        });
        return names;
    };
    const std::array names{namesThatRan(ColourBy::EntryMethod), namesThatRan(ColourBy::Chare)};
    if (progress.isCancelled()) return false;
    bool isNew = noteSeen(names);
    for (const auto& [numbers, kind] :
         {std::pair(&m_calm, PaletteKind::Calm), std::pair(&m_okabeIto, PaletteKind::OkabeIto)})
        for (const std::vector<NameToColour>& some : names)
            for (const auto& [name, number] : colourNumbers(some, paletteColours(kind), *numbers)) {
                const auto known = numbers->find(name);
                if (known != numbers->end() && known->second == number) continue;
                numbers->insert_or_assign(name, number);
                isNew = true;
            }
    forgetOldest();
    return isNew;
}

// Counts traces, but one only once that is opened again and again: the settings would be written each time.
bool ColourMemory::noteSeen(std::span<const std::vector<NameToColour>> names)
{
    const auto isSeenLast = [this](const NameToColour& name) {
        const auto found = m_lastSeen.find(name.name);
        return found != m_lastSeen.end() && found->second == m_seen;
    };
    if (std::all_of(names.begin(), names.end(),
                    [&](const auto& some) { return std::all_of(some.begin(), some.end(), isSeenLast); }))
        return false;
    ++m_seen;
    for (const std::vector<NameToColour>& some : names)
        for (const NameToColour& name : some) m_lastSeen.insert_or_assign(name.name, m_seen);
    return true;
}

void ColourMemory::forgetOldest()
{
    std::map<QString, std::uint64_t> lastSeen;
    for (const ColourNumbers* numbers : {&m_calm, &m_okabeIto})
        for (const auto& [name, number] : *numbers) {
            const auto found = m_lastSeen.find(name);
            lastSeen.emplace(name, found == m_lastSeen.end() ? 0 : found->second);
        }
    m_lastSeen = std::move(lastSeen);
    if (m_lastSeen.size() <= mostNames) return;
    std::vector<std::pair<std::uint64_t, QString>> oldest;
    for (const auto& [name, seen] : m_lastSeen) oldest.emplace_back(seen, name);
    std::sort(oldest.begin(), oldest.end());
    oldest.resize(oldest.size() - mostNames);
    for (const auto& [seen, name] : oldest) {
        m_calm.erase(name);
        m_okabeIto.erase(name);
        m_lastSeen.erase(name);
    }
}

void ColourMemory::takeRemembered(const ColourMemory& other)
{
    for (const auto& [mine, others] : {std::pair(&m_calm, &other.m_calm), std::pair(&m_okabeIto, &other.m_okabeIto)})
        for (const auto& [name, number] : *others) mine->insert_or_assign(name, number);
    for (const auto& [name, seen] : other.m_lastSeen) {
        std::uint64_t& mine = m_lastSeen[name];
        mine = std::max(mine, seen);
    }
    m_seen = std::max(m_seen, other.m_seen);
    forgetOldest();
}

std::optional<QRgb> ColourMemory::own(const QString& name) const
{
    const auto found = m_own.find(name);
    return found == m_own.end() ? std::nullopt : std::optional(found->second);
}

void ColourMemory::setOwn(const QString& name, std::optional<QRgb> colour)
{
    if (colour) m_own.insert_or_assign(name, *colour | 0xff000000u);
    else m_own.erase(name);
}

JsonValue ColourMemory::toJson() const
{
    JsonValue own = JsonValue::object();
    for (const auto& [name, colour] : m_own) own[name.toStdString()] = QColor::fromRgb(colour).name().toStdString();
    JsonValue seen = JsonValue::object();
    for (const auto& [name, trace] : m_lastSeen) seen[name.toStdString()] = trace;
    return {{"calm", numbersJson(m_calm)},
            {"okabe_ito", numbersJson(m_okabeIto)},
            {"own", std::move(own)},
            {"seen", std::move(seen)}};
}

ColourMemory ColourMemory::fromJson(const JsonValue& json)
{
    ColourMemory memory;
    memory.m_calm = numbersFrom(json, "calm", PaletteKind::Calm);
    memory.m_okabeIto = numbersFrom(json, "okabe_ito", PaletteKind::OkabeIto);
    if (json.is_object() && json.contains("seen") && json["seen"].is_object())
        for (const auto& [name, trace] : json["seen"].items()) {
            if (!trace.is_number_unsigned()) continue;
            memory.m_lastSeen.emplace(QString::fromStdString(name), trace.get<std::uint64_t>());
            memory.m_seen = std::max(memory.m_seen, trace.get<std::uint64_t>());
        }
    memory.forgetOldest();
    if (!json.is_object() || !json.contains("own") || !json["own"].is_object()) return memory;
    for (const auto& [name, colour] : json["own"].items()) {
        const QColor read(colour.is_string() ? QString::fromStdString(colour.get<std::string>()) : QString());
        if (read.isValid()) memory.setOwn(QString::fromStdString(name), read.rgb());
    }
    return memory;
}

}  // namespace longpole
