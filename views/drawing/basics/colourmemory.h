// SPDX-License-Identifier: GPL-3.0-or-later
// The colours that names were given once, which they keep in every trace, and those that the user gave them.
#pragma once

#include "analysis/base/json.h"
#include "core/base/progress.h"
#include "core/store/tracestore.h"

#include <QRgb>
#include <QString>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace longpole {

enum class PaletteKind : std::uint8_t { Calm, OkabeIto };
enum class ColourBy : std::uint8_t { EntryMethod, Chare };

std::span<const QRgb> paletteColours(PaletteKind kind);

// FNV-1a of the UTF-8 name: stable across machines and Qt versions (qHash is not).
std::uint64_t nameHash(const QString& name);

// Numbers of colours by name.
using ColourNumbers = std::map<QString, std::size_t>;

// A name that is to have a colour.
struct NameToColour {
    QString name;
    bool ran = true;       // of hundreds that are declared, a dozen run
    bool isLarge = false;  // one of the few with most time: no two of these share a colour
    bool isMain = false;   // one of these that takes part in what is seen: they choose first
};

// Gives each of `names`, no two of which are equal, the number of one of `colours`, in their order. A name keeps the
// one that is remembered, but if two large ones have the same one, the second in the order of hashes gets another. Of
// the others the hash of a name proposes a number; while there are free ones, a name whose number is taken gets the
// next free one, and a large one that which looks least like the other large ones'. So the result does not depend on
// how often or how long anything ran, but for what is large. O(names): a stranger's file has hundreds of thousands.
// Cancelled, the numbers mean nothing.
std::vector<std::size_t> numbersOfColours(std::span<const NameToColour> names, std::span<const QRgb> colours,
                                          const ColourNumbers& remembered, const Progress& progress = {});
// The same by name, of names that may be equal: for few, which are to be remembered.
ColourNumbers colourNumbers(std::span<const NameToColour> names, std::span<const QRgb> colours,
                            const ColourNumbers& remembered);

// What the entry methods of a trace are called; by their chares if `by` says so. Entries that are in the profile ran;
// the ten with most time are large, and those of them with 2 % of all time main ones.
struct NamedEntries {
    static constexpr std::uint32_t noName = ~std::uint32_t{0};
    std::vector<NameToColour> names;    // each once
    std::vector<std::uint32_t> nameOf;  // of each entry, in `names`; noName: the system's
};
NamedEntries namesToColour(std::span<const Entry> entries, std::span<const ProfileRow> profile, ColourBy by,
                           const Progress& progress = {});
QString colourName(const Entry& entry, ColourBy by);

class ColourMemory {
public:
    // The names of a trace get colours, and keep them until 2,000 others have been seen since. True if this is to be
    // kept: there are new ones, or they were not the last to be seen. Cancelled, nothing is learned.
    bool learn(const TraceStore& store, const Progress& progress = {});
    bool learn(std::span<const Entry> entries, std::span<const ProfileRow> profile, const Progress& progress = {});
    // Remembers also what another one does; the user's own choices stay as they are here.
    void takeRemembered(const ColourMemory& other);

    const ColourNumbers& remembered(PaletteKind kind) const { return kind == PaletteKind::Calm ? m_calm : m_okabeIto; }

    // The user's own choice, which no rule changes; nothing: as the rules have it.
    std::optional<QRgb> own(const QString& name) const;
    void setOwn(const QString& name, std::optional<QRgb> colour);

    JsonValue toJson() const;
    static ColourMemory fromJson(const JsonValue& json);  // leaves out what it cannot read

    friend bool operator==(const ColourMemory&, const ColourMemory&) = default;

private:
    bool noteSeen(std::span<const std::vector<NameToColour>> names);
    void forgetOldest();

    ColourNumbers m_calm;
    ColourNumbers m_okabeIto;
    std::map<QString, QRgb> m_own;
    std::map<QString, std::uint64_t> m_lastSeen;  // of each name that has a number: in which of the traces so far
    std::uint64_t m_seen = 0;                     // traces
};

}  // namespace longpole
