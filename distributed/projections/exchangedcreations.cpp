// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/projections/exchangedcreations.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace longpole {

class ExchangedCreations::View final : public CreationLookup {
public:
    explicit View(const ExchangedCreations& all)
        : m_all(all), m_own(all.m_own, all.m_ownSpill), m_hints(all.m_first.begin(), all.m_first.end() - 1),
          m_found(all.m_keys.size())
    {
    }

    std::optional<std::uint32_t> find(std::uint32_t source, std::uint32_t event) override
    {
        if (isOwn(source)) return m_own.find(source - m_all.m_firstOwn, event);
        const std::vector<CreationKey>& keys = m_all.m_keys;
        const CreationKey wanted{source, event};
        std::size_t& hint = m_hints[source];
        // Mostly that one again, or the one behind it.
        const std::size_t first = m_all.m_first[source], last = m_all.m_first[source + std::size_t{1}];
        std::size_t at = hint;
        if (at + 1 < last && keys[at] < wanted) ++at;
        if (at >= last || keys[at] != wanted) {
            const auto end = keys.begin() + static_cast<std::ptrdiff_t>(last);
            const auto found = std::lower_bound(keys.begin() + static_cast<std::ptrdiff_t>(first), end, wanted);
            if (found == end || *found != wanted) return std::nullopt;
            at = static_cast<std::size_t>(found - keys.begin());
        }
        hint = m_found = at;
        if (m_all.m_answers[at].position == AnsweredCreation::none) return std::nullopt;
        return static_cast<std::uint32_t>(m_all.m_answers[at].position);
    }

    Creation at(std::uint32_t source, std::uint32_t position) override
    {
        if (isOwn(source)) return m_own.at(source - m_all.m_firstOwn, position);
        if (m_found < m_all.m_keys.size() && m_all.m_keys[m_found].log == source
            && m_all.m_answers[m_found].position == std::int64_t{position})
            return m_all.m_answers[m_found].creation;
        const std::tuple wanted(source, position);
        const auto key = [](const AnsweredBroadcast& one) {
            return std::tuple(one.broadcast.source, one.broadcast.position);
        };
        const std::vector<AnsweredBroadcast>& broadcasts = m_all.m_broadcasts;
        const auto found = std::lower_bound(broadcasts.begin(), broadcasts.end(), wanted,
                                            [key](const AnsweredBroadcast& one, const auto& value) {
                                                return key(one) < value;
                                            });
        return found != broadcasts.end() && key(*found) == wanted ? found->creation : Creation{};
    }

private:
    bool isOwn(std::uint32_t source) const
    {
        return source >= m_all.m_firstOwn && source - m_all.m_firstOwn < m_all.m_own.size();
    }

    const ExchangedCreations& m_all;
    CreationReader m_own;
    std::vector<std::size_t> m_hints;  // by log: the key that was found last
    std::size_t m_found;               // likewise, of all logs; the number of keys: none
};

ExchangedCreations::ExchangedCreations(const std::vector<Creations>& own, const Spill& ownSpill, std::size_t firstOwn,
                                       std::vector<CreationKey> keys, std::vector<AnsweredCreation> answers,
                                       std::size_t logs)
    : m_own(own), m_ownSpill(ownSpill), m_firstOwn(static_cast<std::uint32_t>(firstOwn)), m_keys(std::move(keys)),
      m_answers(std::move(answers)), m_first(logs + 1, m_keys.size())
{
    for (std::size_t i = m_keys.size(); i-- > 0;) m_first[m_keys[i].log] = i;
    for (std::size_t log = logs; log-- > 0;) m_first[log] = std::min(m_first[log], m_first[log + 1]);
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

std::unique_ptr<CreationLookup> ExchangedCreations::view() const { return std::make_unique<View>(*this); }

}  // namespace longpole
