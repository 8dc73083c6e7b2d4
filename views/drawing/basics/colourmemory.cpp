// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/colourmemory.h"

#include "core/trace/format.h"
#include "views/drawing/basics/oklab.h"

#include <QColor>

#include <algorithm>
#include <tuple>
#include <utility>

namespace longpole {

namespace {

constexpr std::size_t mostLarge = 10;    // as many colours as the smaller palette has
constexpr double leastMain = 0.02;       // of all time
constexpr std::size_t mostNames = 2000;  // that are remembered: a program has dozens
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

ColourNumbers colourNumbers(std::vector<NameToColour> names, std::span<const QRgb> colours,
                            const ColourNumbers& remembered)
{
    struct Hashed {
        NameToColour name;
        std::size_t hash;
    };
    std::vector<Hashed> order;
    order.reserve(names.size());
    for (NameToColour& name : names) {
        const std::size_t hash = nameHash(name.name);
        order.push_back({std::move(name), hash});
    }
    std::sort(order.begin(), order.end(), [](const Hashed& a, const Hashed& b) {
        const auto key = [](const Hashed& n) {
            return std::tuple(!n.name.isMain, !n.name.isLarge, !n.name.ran, n.hash, QStringView(n.name.name));
        };
        return key(a) < key(b);
    });
    ColourNumbers numbers;
    TakenNumbers taken(colours);
    for (const auto& [named, hash] : order) {
        const auto known = remembered.find(named.name);
        if (known == remembered.end() || known->second >= colours.size()) continue;
        if (named.isLarge && taken.isTaken(known->second)) continue;
        if (numbers.emplace(named.name, known->second).second) taken.take(known->second, named.isLarge);
    }
    for (const auto& [named, hash] : order) {
        if (numbers.contains(named.name)) continue;
        const std::size_t proposed = hash % colours.size();
        const std::size_t number = named.isLarge ? taken.nextUnlike(proposed) : taken.nextFree(proposed);
        taken.take(number, named.isLarge);
        numbers.emplace(named.name, number);
    }
    return numbers;
}

QString colourName(const Entry& entry, ColourBy by)
{
    return by == ColourBy::Chare && !entry.chare.isEmpty() ? entry.chare : entryName(entry);
}

std::vector<NameToColour> namesToColour(std::span<const Entry> entries, std::span<const ProfileRow> profile,
                                        ColourBy by)
{
    std::map<std::uint32_t, TimeNs> timeOf;
    for (const ProfileRow& row : profile) addSaturating(timeOf[index(row.entry)], row.exclusive);
    struct Sum {
        TimeNs time = 0;
        bool ran = false;
    };
    std::map<QString, Sum> sums;
    for (const Entry& entry : entries) {
        if (entry.kind != EntryKind::User) continue;
        Sum& sum = sums[colourName(entry, by)];
        const auto found = timeOf.find(index(entry.id));
        if (found == timeOf.end()) continue;
        sum.ran = true;
        addSaturating(sum.time, found->second);
    }
    std::vector<std::pair<TimeNs, QString>> byTime;
    for (const auto& [name, sum] : sums)
        if (sum.time > 0) byTime.emplace_back(-sum.time, name);
    const std::size_t large = std::min(mostLarge, byTime.size());
    std::partial_sort(byTime.begin(), byTime.begin() + static_cast<std::ptrdiff_t>(large), byTime.end());
    std::set<QString> largest;
    for (std::size_t i = 0; i < large; ++i) largest.insert(byTime[i].second);
    double all = 0;
    for (const auto& [name, sum] : sums) all += static_cast<double>(sum.time);
    std::vector<NameToColour> names;
    for (const auto& [name, sum] : sums) {
        const bool isLarge = largest.contains(name);
        const bool isMain = isLarge && static_cast<double>(sum.time) >= leastMain * all;
        names.push_back({.name = name, .ran = sum.ran, .isLarge = isLarge, .isMain = isMain});
    }
    return names;
}

bool ColourMemory::learn(const TraceStore& store) { return learn(store.entries(), store.profile()); }

bool ColourMemory::learn(std::span<const Entry> entries, std::span<const ProfileRow> profile)
{
    bool isNew = false;
    for (const auto& [numbers, kind] :
         {std::pair(&m_calm, PaletteKind::Calm), std::pair(&m_okabeIto, PaletteKind::OkabeIto)})
        for (const ColourBy by : {ColourBy::EntryMethod, ColourBy::Chare}) {
            std::vector<NameToColour> names = namesToColour(entries, profile, by);
            std::erase_if(names, [](const NameToColour& name) { return !name.ran; });
            const bool isMany = names.size() > mostOfRun;
            std::erase_if(names, [isMany](const NameToColour& name) {
                return name.name.size() > mostLetters || (isMany && !name.isLarge);
            });
            for (const auto& [name, number] : colourNumbers(std::move(names), paletteColours(kind), *numbers)) {
                const auto known = numbers->find(name);
                if (known != numbers->end() ? known->second == number : numbers->size() >= mostNames) continue;
                numbers->insert_or_assign(name, number);
                isNew = true;
            }
        }
    return isNew;
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
    return {{"calm", numbersJson(m_calm)}, {"okabe_ito", numbersJson(m_okabeIto)}, {"own", own}};
}

ColourMemory ColourMemory::fromJson(const JsonValue& json)
{
    ColourMemory memory;
    memory.m_calm = numbersFrom(json, "calm", PaletteKind::Calm);
    memory.m_okabeIto = numbersFrom(json, "okabe_ito", PaletteKind::OkabeIto);
    if (!json.is_object() || !json.contains("own") || !json["own"].is_object()) return memory;
    for (const auto& [name, colour] : json["own"].items()) {
        const QColor read(colour.is_string() ? QString::fromStdString(colour.get<std::string>()) : QString());
        if (read.isValid()) memory.setOwn(QString::fromStdString(name), read.rgb());
    }
    return memory;
}

}  // namespace longpole
