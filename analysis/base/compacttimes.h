// SPDX-License-Identifier: GPL-3.0-or-later
// A column of times that nearly always fit in 32 bits (up to 4.29 s): takes four bytes for each and keeps the few
// others in a table aside; if they are not few, it takes eight bytes more for each element.
#pragma once

#include "analysis/base/bigarray.h"
#include "core/base/timerange.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace longpole {

class CompactTimes {
public:
    CompactTimes() = default;
    CompactTimes(CompactTimes&&) = default;
    CompactTimes& operator=(CompactTimes&&) = default;
    CompactTimes(const CompactTimes& other) : m_small(other.m_small)
    {
        m_aside->values = other.m_aside->values;
        m_aside->wide = other.m_aside->wide;
    }
    CompactTimes& operator=(const CompactTimes& other) { return *this = CompactTimes(other); }

    friend bool operator==(const CompactTimes& a, const CompactTimes& b)
    {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (a[i] != b[i]) return false;
        return true;
    }

    std::size_t size() const { return m_small.size(); }

    // New elements are zero.
    void resize(std::size_t size)
    {
        if (size < m_small.size()) m_aside->cut(size);
        resizeBig(m_small, size);
    }

    TimeNs operator[](std::size_t i) const
    {
        const std::uint32_t value = m_small[i];
        return value != aside ? TimeNs{value} : m_aside->at(i);
    }

    // Threads may set different elements at the same time, as long as none reads.
    void set(std::size_t i, TimeNs value)
    {
        if (value >= 0 && value < TimeNs{aside}) {
            m_small[i] = static_cast<std::uint32_t>(value);
            return;
        }
        m_small[i] = aside;
        m_aside->set(i, value, m_small.size());
    }

    // For fast passes: data()[i] is the time, or `aside` if only operator[] has it.
    static constexpr std::uint32_t aside = 0xffffffffu;
    const std::uint32_t* data() const { return m_small.data(); }

    // This column in another order: its element i becomes element graphTaskAt[i] of the result. `gather` does the same
    // for a vector of 32-bit numbers, whose memory it may reuse, so this column is no longer to be used.
    template <typename Gather>
    CompactTimes gathered(const std::vector<std::uint32_t>& graphTaskAt, Gather gather)
    {
        CompactTimes result;
        result.m_small = gather(m_small);
        const std::size_t size = result.m_small.size();
        for (const auto& [i, value] : m_aside->values) result.m_aside->set(graphTaskAt[i], value, size);
        if (!m_aside->wide.empty()) resizeBig(result.m_aside->wide, size);
        for (std::size_t i = 0; i < m_aside->wide.size(); ++i) result.m_aside->wide[graphTaskAt[i]] = m_aside->wide[i];
        return result;
    }

    // Copies the elements [first, last) to `to` <= first and following places.
    void moveDown(std::size_t first, std::size_t last, std::size_t to)
    {
        if (first == to) return;
        for (std::size_t i = first; i < last; ++i, ++to) {
            if (m_small[i] == aside) set(to, (*this)[i]);
            else m_small[to] = m_small[i];
        }
    }

    // The memory that it holds; for the few elements aside this is an estimate.
    std::int64_t bytes() const
    {
        constexpr std::size_t perAside = 48;
        return static_cast<std::int64_t>(m_small.capacity() * sizeof(std::uint32_t)
                                         + m_aside->wide.capacity() * sizeof(TimeNs)
                                         + m_aside->values.size() * perAside);
    }

private:
    struct Aside {
        std::mutex mutex;  // for set() from several threads
        std::unordered_map<std::size_t, TimeNs> values;
        std::vector<TimeNs> wide;  // holds the times instead of `values` when these become too many

        TimeNs at(std::size_t i) const
        {
            if (!wide.empty()) return i < wide.size() ? wide[i] : 0;
            const auto found = values.find(i);
            return found == values.end() ? 0 : found->second;
        }
        void set(std::size_t i, TimeNs value, std::size_t size)
        {
            constexpr std::size_t few = 4096;
            const std::lock_guard lock(mutex);
            if (wide.empty()) {
                values[i] = value;
                if (values.size() > std::max(few, size / 32)) widen(size);
            } else {
                if (wide.size() < size) wide.resize(size);
                wide[i] = value;
            }
        }
        // Elements from `size` on are gone.
        void cut(std::size_t size)
        {
            std::erase_if(values, [size](const auto& entry) { return entry.first >= size; });
            if (wide.size() > size) wide.resize(size);
        }
        void widen(std::size_t size)
        {
            resizeBig(wide, size);
            for (const auto& [i, value] : values) wide[i] = value;
            values.clear();
        }
    };

    std::vector<std::uint32_t> m_small;
    std::unique_ptr<Aside> m_aside = std::make_unique<Aside>();
};

}  // namespace longpole
