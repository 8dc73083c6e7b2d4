// SPDX-License-Identifier: GPL-3.0-or-later
// Which colour an entry method, chare or region has: from its name, never the accent's orange; overrides win.
#pragma once

#include "core/base/ids.h"
#include "core/store/tracestore.h"
#include "views/drawing/basics/theme.h"

#include <QHash>
#include <QRgb>
#include <QString>

#include <vector>

namespace longpole {

enum class PaletteKind : std::uint8_t { Calm, OkabeIto };
enum class ColourBy : std::uint8_t { EntryMethod, Chare };

struct PaletteOptions {
    PaletteKind kind = PaletteKind::Calm;
    ColourBy by = ColourBy::EntryMethod;
    QHash<QString, QColor> overrides;  // by entryName() or chare name
};

// The same in every run of a program that executes the same entry methods: the hash of the name proposes a colour, and
// names that would share one move on to the next free colour in the order of their hashes (until the set is used up).
// Entries that never ran come after those that did: of hundreds that are declared, a dozen matter.
class Palette {
public:
    Palette() = default;
    Palette(const TraceStore& store, const Theme& theme, const PaletteOptions& options = {});
    // The same from definitions alone; entries in the profile choose first.
    Palette(std::span<const Entry> entries, std::span<const Region> regions, const Theme& theme,
            const PaletteOptions& options = {}, std::span<const ProfileRow> profile = {});

    QRgb entry(EntryId id) const { return index(id) < m_entries.size() ? m_entries[index(id)] : m_unknown; }
    QRgb region(RegionId id) const { return index(id) < m_regions.size() ? m_regions[index(id)] : m_unknown; }

private:
    std::vector<QRgb> m_entries;  // by entry id
    std::vector<QRgb> m_regions;  // by region id
    QRgb m_unknown = 0xff808890;
};

// FNV-1a of the UTF-8 name: stable across machines and Qt versions (qHash is not).
std::uint64_t nameHash(const QString& name);

std::span<const QRgb> paletteColours(PaletteKind kind);

// a with `share` (0..1) of b mixed in.
QRgb mixed(QRgb a, QRgb b, double share);

}  // namespace longpole
