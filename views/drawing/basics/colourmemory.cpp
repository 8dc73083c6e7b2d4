// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/colourmemory.h"

#include "core/trace/format.h"

#include <QColor>

#include <algorithm>
#include <tuple>
#include <utility>

namespace longpole {

namespace {

constexpr std::size_t mostLarge = 10;    // as many colours as the smaller palette has
constexpr std::size_t mostNames = 2000;  // that are remembered: a program has dozens
constexpr std::size_t mostOfRun = 256;   // of a run with more, only the large ones are
constexpr qsizetype mostLetters = 256;   // of a name that is remembered

// The numbers that are given away, as in a hash table with linear probing.
class TakenNumbers {
public:
    explicit TakenNumbers(std::size_t colours) : m_taken(colours), m_left(colours) {}

    bool isTaken(std::size_t number) const { return m_taken[number]; }
    void take(std::size_t number)
    {
        if (!m_taken[number]) --m_left;
        m_taken[number] = true;
    }
    // The proposed one, or the next free one; if all are taken, the proposed one.
    std::size_t nextFree(std::size_t proposed) const
    {
        while (m_left > 0 && m_taken[proposed]) proposed = (proposed + 1) % m_taken.size();
        return proposed;
    }

private:
    std::vector<bool> m_taken;
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

ColourNumbers colourNumbers(std::vector<NameToColour> names, std::size_t colours, const ColourNumbers& remembered)
{
    std::sort(names.begin(), names.end(), [](const NameToColour& a, const NameToColour& b) {
        const auto key = [](const NameToColour& n) { return std::tuple(!n.isLarge, !n.ran, nameHash(n.name), n.name); };
        return key(a) < key(b);
    });
    ColourNumbers numbers;
    TakenNumbers taken(colours);
    for (const NameToColour& named : names) {
        const auto known = remembered.find(named.name);
        if (known == remembered.end() || known->second >= colours) continue;
        if (named.isLarge && taken.isTaken(known->second)) continue;
        if (numbers.emplace(named.name, known->second).second) taken.take(known->second);
    }
    for (const NameToColour& named : names) {
        if (numbers.contains(named.name)) continue;
        const std::size_t number = taken.nextFree(nameHash(named.name) % colours);
        taken.take(number);
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
    for (const ProfileRow& row : profile) timeOf[index(row.entry)] += row.exclusive;
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
        sum.time += found->second;
    }
    std::vector<std::pair<TimeNs, QString>> byTime;
    for (const auto& [name, sum] : sums)
        if (sum.time > 0) byTime.emplace_back(-sum.time, name);
    const std::size_t large = std::min(mostLarge, byTime.size());
    std::partial_sort(byTime.begin(), byTime.begin() + static_cast<std::ptrdiff_t>(large), byTime.end());
    std::set<QString> largest;
    for (std::size_t i = 0; i < large; ++i) largest.insert(byTime[i].second);
    std::vector<NameToColour> names;
    for (const auto& [name, sum] : sums) names.push_back({name, sum.ran, largest.contains(name)});
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
            for (const auto& [name, number] : colourNumbers(std::move(names), paletteColours(kind).size(), *numbers)) {
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
