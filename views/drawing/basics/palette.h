// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of entry methods, chares and regions, chosen by their names; none is the orange of the critical path.
#pragma once

#include "core/base/ids.h"
#include "core/store/tracestore.h"
#include "views/drawing/basics/theme.h"

#include <QRgb>
#include <QString>

#include <vector>

namespace longpole {

enum class PaletteKind : std::uint8_t { Calm, OkabeIto };
enum class ColourBy : std::uint8_t { EntryMethod, Chare };

struct PaletteOptions {
    PaletteKind kind = PaletteKind::Calm;
    ColourBy by = ColourBy::EntryMethod;
};

// The same in every run of a program that executes the same entry methods. The hash of a name proposes a colour; while
// there are free ones, a name whose colour is taken gets the next free one, in the order of the hashes. Entries that
// ran choose before those that never did: of hundreds that are declared, a dozen matter.
class Palette {
public:
    Palette() = default;
    Palette(const TraceStore& store, const Theme& theme, const PaletteOptions& options = {});
    // The same without a store; entries in the profile have run.
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

// `share` (0..1) of b, the rest a.
QRgb mixed(QRgb a, QRgb b, double share);

}  // namespace longpole
