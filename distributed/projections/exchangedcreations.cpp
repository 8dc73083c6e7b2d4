// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/projections/exchangedcreations.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace longpole {

ExchangedCreations::ExchangedCreations(std::vector<CreationKey> keys, std::vector<AnsweredCreation> answers,
                                       std::size_t logs)
    : m_keys(std::move(keys)), m_answers(std::move(answers)), m_first(logs + 1, m_keys.size()), m_found(m_keys.size())
{
    for (std::size_t i = m_keys.size(); i-- > 0;) m_first[m_keys[i].log] = i;
    for (std::size_t log = logs; log-- > 0;) m_first[log] = std::min(m_first[log], m_first[log + 1]);
    m_hints.assign(m_first.begin(), m_first.end() - 1);
}

void ExchangedCreations::add(std::vector<AnsweredBroadcast> broadcasts)
{
    m_broadcasts = std::move(broadcasts);
    std::sort(m_broadcasts.begin(), m_broadcasts.end(), [](const AnsweredBroadcast& a, const AnsweredBroadcast& b) {
        return std::tie(a.broadcast.source, a.broadcast.position) < std::tie(b.broadcast.source, b.broadcast.position);
    });
}

std::vector<BroadcastCreation> ExchangedCreations::broadcasts() const
{
    std::vector<BroadcastCreation> all;
    all.reserve(m_broadcasts.size());
    for (const AnsweredBroadcast& one : m_broadcasts) all.push_back(one.broadcast);
    return all;
}

std::optional<std::uint32_t> ExchangedCreations::find(std::uint32_t source, std::uint32_t event)
{
    const CreationKey wanted{source, event};
    std::size_t& hint = m_hints[source];
    // Mostly that one again, or the one behind it.
    const std::size_t last = m_first[source + std::size_t{1}];
    std::size_t at = hint;
    if (at + 1 < last && m_keys[at] < wanted) ++at;
    if (at >= last || m_keys[at] != wanted) {
        const auto end = m_keys.begin() + static_cast<std::ptrdiff_t>(last);
        const auto found = std::lower_bound(m_keys.begin() + static_cast<std::ptrdiff_t>(m_first[source]), end, wanted);
        if (found == end || *found != wanted) return std::nullopt;
        at = static_cast<std::size_t>(found - m_keys.begin());
    }
    hint = m_found = at;
    if (m_answers[at].position == AnsweredCreation::none) return std::nullopt;
    return static_cast<std::uint32_t>(m_answers[at].position);
}

Creation ExchangedCreations::at(std::uint32_t source, std::uint32_t position)
{
    if (m_found < m_keys.size() && m_keys[m_found].log == source
        && m_answers[m_found].position == std::int64_t{position})
        return m_answers[m_found].creation;
    const std::tuple wanted(source, position);
    const auto key = [](const AnsweredBroadcast& one) {
        return std::tuple(one.broadcast.source, one.broadcast.position);
    };
    const auto found = std::lower_bound(m_broadcasts.begin(), m_broadcasts.end(), wanted,
                                        [key](const AnsweredBroadcast& one, const auto& value) {
                                            return key(one) < value;
                                        });
    return found != m_broadcasts.end() && key(*found) == wanted ? found->creation : Creation{};
}

}  // namespace longpole
