// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of entry methods, chares and regions, chosen by their names; none is the orange of the critical path.
#pragma once

#include "core/base/ids.h"
#include "core/store/tracestore.h"
#include "views/drawing/basics/colourmemory.h"
#include "views/drawing/basics/theme.h"

#include <QRgb>
#include <QString>

#include <memory>
#include <vector>

namespace longpole {

struct PaletteOptions {
    PaletteKind kind = PaletteKind::Calm;
    ColourBy by = ColourBy::EntryMethod;
    std::shared_ptr<const ColourMemory> memory{};  // null: nothing is remembered
};

// The user's colour of a name, else the remembered one, else the one that its hash proposes (colourNumbers).
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

// The palettes of one trace: each is made once, however many panels ask for it.
class SharedPalettes {
public:
    std::shared_ptr<const Palette> of(const TraceStore& store, const Theme& theme, const PaletteOptions& options);

private:
    struct Made {
        bool isDark;
        PaletteOptions options;
        std::shared_ptr<const Palette> palette;
    };
    std::vector<Made> m_made;
};

// `share` (0..1) of b, the rest a.
QRgb mixed(QRgb a, QRgb b, double share);

}  // namespace longpole
