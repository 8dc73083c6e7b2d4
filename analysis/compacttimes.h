// A column of times that nearly always fit in 32 bits (up to 4.29 s): four bytes each, the few others in a table aside.
#pragma once

#include "analysis/bigarray.h"
#include "core/timerange.h"

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
    CompactTimes(const CompactTimes& other) : m_small(other.m_small) { m_aside->values = other.m_aside->values; }
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
    void resize(std::size_t size) { resizeBig(m_small, size); }

    TimeNs operator[](std::size_t i) const
    {
        const std::uint32_t value = m_small[i];
        return value != aside ? TimeNs{value} : m_aside->at(i);
    }

    // Threads may set different elements at once.
    void set(std::size_t i, TimeNs value)
    {
        if (value >= 0 && value < TimeNs{aside}) {
            m_small[i] = static_cast<std::uint32_t>(value);
            return;
        }
        m_small[i] = aside;
        m_aside->set(i, value);
    }

    // For passes over many millions: in [i] stands the time, or `aside`, and then operator[] knows it.
    static constexpr std::uint32_t aside = 0xffffffffu;
    const std::uint32_t* data() const { return m_small.data(); }

    // Element i of the result is element order[i] of this column, whose memory goes into `spare` and may be used again.
    template <typename Gather>
    CompactTimes gathered(const std::vector<std::uint32_t>& graphTaskAt, Gather gather)
    {
        CompactTimes result;
        result.m_small = gather(m_small);
        for (const auto& [i, value] : m_aside->values) result.m_aside->set(graphTaskAt[i], value);
        return result;
    }

    // As std::move(first, last, to) for the elements [first, last); to <= first.
    void moveDown(std::size_t first, std::size_t last, std::size_t to)
    {
        if (first == to) return;
        for (std::size_t i = first; i < last; ++i, ++to) {
            if (m_small[i] == aside) set(to, (*this)[i]);
            else m_small[to] = m_small[i];
        }
    }

private:
    struct Aside {
        std::mutex mutex;  // of set() while a column is filled
        std::unordered_map<std::size_t, TimeNs> values;

        TimeNs at(std::size_t i) const
        {
            const auto found = values.find(i);
            return found == values.end() ? 0 : found->second;
        }
        void set(std::size_t i, TimeNs value)
        {
            const std::lock_guard lock(mutex);
            values[i] = value;
        }
    };

    std::vector<std::uint32_t> m_small;
    std::unique_ptr<Aside> m_aside = std::make_unique<Aside>();
};

}  // namespace longpole
