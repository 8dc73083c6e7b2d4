// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the creations of one processor for matching: written in log order, looked up by event number.
#pragma once

#include "core/base/timerange.h"
#include "importers/common/nesting.h"
#include "importers/common/spill.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace longpole {

struct Creation {
    TimeNs sent = 0;
    TimeNs offset = 0;  // ns after the start of its task
    std::uint32_t event = 0;
    std::uint32_t task = 0;  // row of its task; noRow: none
    std::uint32_t entry = 0;
    std::uint32_t messageType = 0;
};
static_assert(sizeof(Creation) == 32);

// Whether the envelope of a message is that of an array or group broadcast (BocBcast, ArrayBcast, ArrayBcastFwd).
constexpr bool isBroadcastType(std::uint32_t messageType) { return messageType >= 23 && messageType <= 25; }

// Written by one thread; after finish() any number may read through CreationReader.
class Creations {
public:
    void add(const Creation& creation, Spill& spill);
    void finish(Spill& spill);

    std::uint32_t size() const { return m_size; }
    std::int64_t duplicateKeys() const { return m_duplicates; }

private:
    friend class CreationReader;
    void storeBlock(Spill& spill);
    void sortKeys(Spill& spill);

    std::vector<Creation> m_open;  // the last block while it fills
    std::vector<Spill::Block> m_blocks;
    std::vector<std::uint32_t> m_firstEvents;  // of every page
    // Only if the events do not grow: (event, position), sorted.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_keys;
    std::uint32_t m_size = 0;
    std::uint32_t m_lastEvent = 0;
    std::int64_t m_duplicates = 0;
    bool m_isSorted = true;
};

// Where matching looks creations up, wherever they are. A source is the number of a log.
class CreationLookup {
public:
    virtual ~CreationLookup() = default;
    // Position of the creation with this event on a source; nothing if there is none.
    virtual std::optional<std::uint32_t> find(std::uint32_t source, std::uint32_t event) = 0;
    virtual Creation at(std::uint32_t source, std::uint32_t position) = 0;
};

// One thread's view of the creations of some processors, with a cache of spilled pages (at most 16 MiB). Finds in
// O(log creations).
class CreationReader final : public CreationLookup {
public:
    CreationReader(const std::vector<Creations>& sources, const Spill& spill);

    std::optional<std::uint32_t> find(std::uint32_t source, std::uint32_t event) override;
    Creation at(std::uint32_t source, std::uint32_t position) override;

private:
    struct Page {
        std::uint64_t key = ~std::uint64_t{0};
        std::vector<Creation> creations;
    };
    std::span<const Creation> page(std::uint32_t source, std::uint32_t number);

    const std::vector<Creations>& m_sources;
    const Spill& m_spill;
    std::vector<Page> m_pages;
    std::vector<std::uint32_t> m_hints;  // by source, the page that was looked at last
};

}  // namespace longpole
