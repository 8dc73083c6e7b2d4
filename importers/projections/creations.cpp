// SPDX-License-Identifier: GPL-3.0-or-later
// Creations in blocks of 8192, found by page of 512: the first event of every page stays in memory.
#include "importers/projections/creations.h"

#include "core/base/release.h"

#include <algorithm>
#include <span>

namespace longpole {
namespace {

constexpr std::uint32_t blockCreations = 8192;
constexpr std::uint32_t pageCreations = 512;
constexpr std::uint32_t pagesPerBlock = blockCreations / pageCreations;
constexpr std::size_t cachedPages = 1024;

}  // namespace

void Creations::add(const Creation& creation, Spill& spill)
{
    if (m_size > 0 && creation.event <= m_lastEvent) {
        if (creation.event < m_lastEvent) m_isSorted = false;
        else ++m_duplicates;
    }
    m_lastEvent = creation.event;
    if (m_size % pageCreations == 0) m_firstEvents.push_back(creation.event);
    m_open.push_back(creation);
    ++m_size;
    if (m_open.size() == blockCreations) storeBlock(spill);
}

void Creations::storeBlock(Spill& spill)
{
    m_blocks.push_back(spill.store(std::as_bytes(std::span(m_open))));
    m_open.clear();
}

void Creations::finish(Spill& spill)
{
    if (!m_open.empty()) storeBlock(spill);
    release(m_open);
    if (!m_isSorted) sortKeys(spill);
}

void Creations::sortKeys(Spill& spill)
{
    m_keys.reserve(m_size);
    std::vector<Creation> block(blockCreations);
    std::uint32_t position = 0;
    for (const Spill::Block& stored : m_blocks) {
        const std::size_t count = stored.size / sizeof(Creation);
        if (!spill.read(stored, 0, std::as_writable_bytes(std::span(block).first(count)))) return;
        for (std::size_t i = 0; i < count; ++i) m_keys.emplace_back(block[i].event, position++);
    }
    std::sort(m_keys.begin(), m_keys.end());
    m_duplicates = 0;
    for (std::size_t i = 1; i < m_keys.size(); ++i) m_duplicates += m_keys[i].first == m_keys[i - 1].first;
}

CreationReader::CreationReader(const std::vector<Creations>& sources, const Spill& spill)
    : m_sources(sources), m_spill(spill), m_hints(std::clamp<std::size_t>(sources.size(), 1, 256))
{
}

std::span<const Creation> CreationReader::page(std::uint32_t source, std::uint32_t number)
{
    const Spill::Block& block = m_sources[source].m_blocks[number / pagesPerBlock];
    const std::size_t first = std::size_t{number % pagesPerBlock} * pageCreations;
    const std::size_t count = std::min<std::size_t>(pageCreations, block.size / sizeof(Creation) - first);
    if (block.memory) return {reinterpret_cast<const Creation*>(block.memory.get()) + first, count};

    if (m_pages.empty()) m_pages.resize(cachedPages);
    const std::uint64_t key = (std::uint64_t{source} << 32) | number;
    Page& cached = m_pages[(key * 0x9e3779b97f4a7c15u) >> 54];
    if (cached.key != key) {
        cached.key = key;
        cached.creations.resize(count);
        if (!m_spill.read(block, first * sizeof(Creation), std::as_writable_bytes(std::span(cached.creations)))) {
            cached.key = ~std::uint64_t{0};
            cached.creations.clear();
        }
    }
    return cached.creations;
}

std::optional<std::uint32_t> CreationReader::find(std::uint32_t source, std::uint32_t event)
{
    const Creations& creations = m_sources[source];
    if (!creations.m_isSorted) {
        const auto& keys = creations.m_keys;
        const auto key = std::lower_bound(keys.begin(), keys.end(), std::pair{event, std::uint32_t{0}});
        if (key == keys.end() || key->first != event) return std::nullopt;
        return key->second;
    }
    const std::vector<std::uint32_t>& first = creations.m_firstEvents;
    if (first.empty() || event < first.front()) return std::nullopt;
    std::uint32_t& hint = m_hints[source % m_hints.size()];
    std::uint32_t number = hint;
    const auto holds = [&](std::uint32_t n) {
        return n < first.size() && first[n] <= event && (n + 1 == first.size() || event < first[n + 1]);
    };
    if (!holds(number) && !holds(++number)) {
        number = static_cast<std::uint32_t>(std::upper_bound(first.begin(), first.end(), event) - first.begin()) - 1;
    }
    hint = number;
    const std::span<const Creation> candidates = page(source, number);
    if (candidates.empty()) return std::nullopt;
    // From creation to creation the event grows by one or more, so the place is this one or before it, mostly this one.
    const auto last = candidates.begin()
                      + std::min<std::ptrdiff_t>(event - candidates.front().event,
                                                 static_cast<std::ptrdiff_t>(candidates.size()) - 1);
    const auto found = std::lower_bound(last->event == event && creations.m_duplicates == 0 ? last : candidates.begin(),
                                        last + 1, event,
                                        [](const Creation& creation, std::uint32_t e) { return creation.event < e; });
    if (found == last + 1 || found->event != event) return std::nullopt;
    return number * pageCreations + static_cast<std::uint32_t>(found - candidates.begin());
}

Creation CreationReader::at(std::uint32_t source, std::uint32_t position)
{
    const std::span<const Creation> candidates = page(source, position / pageCreations);
    const std::size_t i = position % pageCreations;
    return i < candidates.size() ? candidates[i] : Creation{};
}

}  // namespace longpole
