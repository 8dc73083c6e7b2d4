// SPDX-License-Identifier: GPL-3.0-or-later
// The open regions of one thread: one in the middle, too, is found and closed at once, however many are open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace longpole {

class OpenRegions {
public:
    bool isInnermost(std::uint32_t region) const { return !m_open.empty() && m_open.back().region == region; }

    void open(std::uint32_t region)
    {
        m_places[region].push_back(m_open.size());
        m_open.push_back({.region = region, .isOpen = true});
    }

    // The innermost one of this number. False: none is open.
    bool close(std::uint32_t region)
    {
        const auto places = m_places.find(region);
        if (places == m_places.end() || places->second.empty()) return false;
        m_open[places->second.back()].isOpen = false;
        places->second.pop_back();
        while (!m_open.empty() && !m_open.back().isOpen) m_open.pop_back();
        return true;
    }

    // Hands over all of them, the innermost first.
    template <typename Take>
    void forEach(const Take& take) const
    {
        for (std::size_t at = m_open.size(); at > 0; --at)
            if (const Open& open = m_open[at - 1]; open.isOpen) take(open.region);
    }

private:
    struct Open {
        std::uint32_t region;
        bool isOpen;
    };
    std::vector<Open> m_open;                                    // the last one is open
    std::map<std::uint32_t, std::vector<std::size_t>> m_places;  // in m_open, by region
};

}  // namespace longpole
