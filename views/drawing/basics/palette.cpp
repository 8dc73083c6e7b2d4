// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/basics/palette.h"

#include "core/trace/format.h"

#include <QHash>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace longpole {

namespace {

// Each hue in a strong and a light shade; hues 15 to 45, around the accent's, are left out.
constexpr std::array<QRgb, 20> calmColours{
    0xff4f9bd9, 0xff2fa58c, 0xffc77fb5, 0xffd9b44f, 0xff7fb3e6, 0xff5fc2ab, 0xff8f7fd0,
    0xffdf9bb0, 0xff45b3c9, 0xffb4a5e6, 0xff3d7fba, 0xff93d1a5, 0xffa6699c, 0xffe2cd86,
    0xff6889cf, 0xff2a8577, 0xff98d5e2, 0xffd3a4dc, 0xff5d9e6c, 0xffa9b6dd,
};
// Okabe and Ito 2008 without black, orange and vermillion (too near the accent), and lighter twins.
constexpr std::array<QRgb, 10> okabeItoColours{
    0xff56b4e9, 0xff009e73, 0xffcc79a7, 0xfff0e442, 0xff0072b2,
    0xff9ad2f2, 0xff66c5ab, 0xffe0afca, 0xffa89f2e, 0xff66aad1,
};

// The colour of each of different names; the user's own come first.
std::vector<QRgb> coloursOf(std::span<const NameToColour> names, const PaletteOptions& options,
                            const Progress& progress)
{
    static const ColourNumbers nothing;
    const std::span<const QRgb> colours = paletteColours(options.kind);
    const ColourNumbers& remembered = options.memory ? options.memory->remembered(options.kind) : nothing;
    std::vector<QRgb> result;
    result.reserve(names.size());
    for (const std::size_t number : numbersOfColours(names, colours, remembered, progress)) {
        const QString& name = names[result.size()].name;
        const std::optional<QRgb> own = options.memory ? options.memory->own(name) : std::nullopt;
        result.push_back(own.value_or(colours[number]));
    }
    return result;
}

QRgb unknownColour(const Theme& theme) { return theme.dark ? 0xff6c727d : 0xff9aa0aa; }

QRgb systemColour(std::uint64_t hash, const Theme& theme)
{
    const int shade = static_cast<int>(hash % 5) * 7;
    return theme.dark ? qRgb(104 + shade, 108 + shade, 117 + shade) : qRgb(138 + shade, 143 + shade, 153 + shade);
}

template <typename Ids>
void put(Ids& table, std::uint32_t at, QRgb colour, QRgb unknown)
{
    if (at >= mostIds) return;  // has the unknown colour
    if (at >= table.size()) table.resize(at + 1, unknown);
    table[at] = colour;
}

}  // namespace

std::uint64_t nameHash(const QString& name)
{
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : name.toUtf8()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash ^ (hash >> 29);
}

std::span<const QRgb> paletteColours(PaletteKind kind)
{
    if (kind == PaletteKind::OkabeIto) return okabeItoColours;
    return calmColours;
}

QRgb mixed(QRgb a, QRgb b, double share)
{
    const int part = std::clamp(static_cast<int>(std::lround(share * 256.0)), 0, 256);
    const auto mix = [part](int x, int y) { return (x * (256 - part) + y * part) >> 8; };
    return qRgb(mix(qRed(a), qRed(b)), mix(qGreen(a), qGreen(b)), mix(qBlue(a), qBlue(b)));
}

bool hasManyNames(const TraceStore& store)
{
    // A name takes about 2 us, a row of the profile an eighth of that: 30 ms in all.
    constexpr std::size_t most = 16'384, rowsOfName = 8;
    return store.entries().size() + store.regions().size() + store.profile().size() / rowsOfName > most;
}

Palette::Palette(const TraceStore& store, const Theme& theme, const PaletteOptions& options)
    : Palette(store.entries(), store.regions(), theme, options, store.profile())
{
}

Palette::Palette(std::span<const Entry> entries, std::span<const Region> regions, const Theme& theme,
                 const PaletteOptions& options, std::span<const ProfileRow> profile, const Progress& progress)
    : m_unknown(unknownColour(theme))
{
    const NamedEntries named = namesToColour(entries, profile, options.by, progress);
    const std::vector<QRgb> colours = coloursOf(named.names, options, progress);
    if (progress.isCancelled()) return;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        const QRgb colour = named.nameOf[i] != NamedEntries::noName
                                ? colours[named.nameOf[i]]
                                : systemColour(nameHash(colourName(entry, options.by)), theme);
        put(m_entries, index(entry.id), colour, m_unknown);
    }

    std::vector<NameToColour> regionNames;
    std::vector<std::size_t> nameOf;
    QHash<QString, std::size_t> numberOf;
    for (const Region& region : regions) {
        if (progress.isCancelled()) return;
        std::size_t& number = numberOf[region.name];
        if (static_cast<std::size_t>(numberOf.size()) > regionNames.size()) {
            number = regionNames.size();
            regionNames.push_back({.name = region.name});
        }
        nameOf.push_back(number);
    }
    const std::vector<QRgb> regionColours = coloursOf(regionNames, options, progress);
    if (progress.isCancelled()) return;
    for (std::size_t i = 0; i < regions.size(); ++i)
        put(m_regions, index(regions[i].id), regionColours[nameOf[i]], m_unknown);
}

Palette Palette::ofNumbers(const Theme& theme, PaletteKind kind)
{
    Palette palette;
    palette.m_unknown = unknownColour(theme);
    palette.m_ofNumbers = paletteColours(kind);
    return palette;
}

}  // namespace longpole
