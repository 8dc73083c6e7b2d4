// SPDX-License-Identifier: GPL-3.0-or-later
// Colours of entry methods, chares and regions, chosen by their names; none is the orange of the critical path.
#pragma once

#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/store/tracestore.h"
#include "views/drawing/basics/colourmemory.h"
#include "views/drawing/basics/theme.h"

#include <QRgb>
#include <QString>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace longpole {

struct PaletteOptions {
    PaletteKind kind = PaletteKind::Calm;
    ColourBy by = ColourBy::EntryMethod;
    std::shared_ptr<const ColourMemory> memory{};  // null: nothing is remembered
    friend bool operator==(const PaletteOptions&, const PaletteOptions&) = default;
};

// The user's colour of a name, else the remembered one, else the one that its hash proposes (colourNumbers).
class Palette {
public:
    Palette() = default;
    Palette(const TraceStore& store, const Theme& theme, const PaletteOptions& options = {});
    // The same without a store; entries in the profile have run.
    // `progress` cancelled: the palette is not whole.
    Palette(std::span<const Entry> entries, std::span<const Region> regions, const Theme& theme,
            const PaletteOptions& options = {}, std::span<const ProfileRow> profile = {},
            const Progress& progress = {});
    // Colours of numbers instead of names, which cost nothing: to be seen until the others are there.
    static Palette ofNumbers(const Theme& theme, PaletteKind kind);

    QRgb entry(EntryId id) const { return colour(m_entries, index(id)); }
    QRgb region(RegionId id) const { return colour(m_regions, index(id)); }
    std::int64_t bytes() const
    {
        return static_cast<std::int64_t>((m_entries.capacity() + m_regions.capacity()) * sizeof(QRgb));
    }

private:
    QRgb colour(const std::vector<QRgb>& table, std::size_t id) const
    {
        if (id < table.size()) return table[id];
        return m_ofNumbers.empty() ? m_unknown : m_ofNumbers[id % m_ofNumbers.size()];
    }

    std::vector<QRgb> m_entries;  // by entry id
    std::vector<QRgb> m_regions;  // by region id
    std::span<const QRgb> m_ofNumbers;
    QRgb m_unknown = 0xff808890;
};

// Whether the colours of a trace take more time than a window that is drawn has.
bool hasManyNames(const TraceStore& store);

// `share` (0..1) of b, the rest a.
QRgb mixed(QRgb a, QRgb b, double share);

}  // namespace longpole
