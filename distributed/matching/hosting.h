// SPDX-License-Identifier: GPL-3.0-or-later
// Which process hosts which ranks: each a block of them, in order, so that their bytes are about equal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

class Hosting {
public:
    Hosting() = default;
    // `borders`: the first rank of each process, and the number of ranks; ascending.
    explicit Hosting(std::vector<std::uint32_t> borders) : m_borders(std::move(borders)) {}
    // By the bytes that each rank has. A process may get none: there are more processes than ranks.
    static Hosting balanced(std::span<const std::uint64_t> bytes, int processes)
    {
        constexpr std::uint64_t forItself = 4096;  // what a rank costs that has recorded nothing
        std::vector<std::uint32_t> borders{0};
        long double all = 0;
        for (const std::uint64_t own : bytes) all += static_cast<long double>(own + forItself);
        long double before = 0;
        for (std::uint32_t rank = 0; rank < bytes.size(); ++rank) {
            // A rank belongs to the process in whose share its middle lies.
            const long double middle = before + static_cast<long double>(bytes[rank] + forItself) / 2;
            while (static_cast<int>(borders.size()) < processes
                   && middle * static_cast<long double>(processes) >= all * static_cast<long double>(borders.size()))
                borders.push_back(rank);
            before += static_cast<long double>(bytes[rank] + forItself);
        }
        borders.resize(static_cast<std::size_t>(processes) + 1, static_cast<std::uint32_t>(bytes.size()));
        return Hosting(std::move(borders));
    }

    // Whether they are borders of so many processes: what another one sent may not be.
    bool isOf(int processes) const
    {
        return m_borders.size() == static_cast<std::size_t>(processes) + 1 && !m_borders.empty()
               && m_borders.front() == 0 && std::is_sorted(m_borders.begin(), m_borders.end());
    }
    int processes() const { return static_cast<int>(m_borders.size()) - 1; }
    std::uint32_t ranks() const { return m_borders.back(); }
    std::uint32_t first(int process) const { return m_borders[static_cast<std::size_t>(process)]; }
    std::uint32_t last(int process) const { return m_borders[static_cast<std::size_t>(process) + 1]; }  // one more
    std::uint32_t size(int process) const { return last(process) - first(process); }
    bool hosts(int process, std::uint32_t rank) const { return rank >= first(process) && rank < last(process); }
    // O(log processes).
    int hostOf(std::uint32_t rank) const
    {
        const auto next = std::upper_bound(m_borders.begin(), m_borders.end() - 1, rank);
        return static_cast<int>(next - m_borders.begin()) - 1;
    }
    const std::vector<std::uint32_t>& borders() const { return m_borders; }

private:
    std::vector<std::uint32_t> m_borders{0, 0};
};

}  // namespace longpole
