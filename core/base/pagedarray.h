// SPDX-License-Identifier: GPL-3.0-or-later
// An array by small numbers of which most are not used: pages are made when one of their elements is asked for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace longpole {

template <typename Value, std::size_t pageSize = 256>
class PagedArray {
public:
    PagedArray() = default;
    PagedArray(PagedArray&&) noexcept = default;
    PagedArray& operator=(PagedArray&&) noexcept = default;
    ~PagedArray() = default;
    PagedArray(const PagedArray& other)
    {
        m_pages.reserve(other.m_pages.size());
        for (const auto& page : other.m_pages) m_pages.push_back(page ? std::make_unique<Page>(*page) : nullptr);
    }
    PagedArray& operator=(const PagedArray& other)
    {
        PagedArray(other).m_pages.swap(m_pages);
        return *this;
    }

    // Made as Value{} if it is new.
    Value& operator[](std::uint32_t index)
    {
        const std::size_t page = index / pageSize;
        if (page >= m_pages.size()) m_pages.resize(page + 1);
        if (!m_pages[page]) m_pages[page] = std::make_unique<Page>();
        return (*m_pages[page])[index % pageSize];
    }

    // Of all elements of pages that are there, in order.
    template <typename Visit>
    void forEach(const Visit& visit)
    {
        for (std::size_t page = 0; page < m_pages.size(); ++page) {
            if (!m_pages[page]) continue;
            for (std::size_t i = 0; i < pageSize; ++i)
                visit(static_cast<std::uint32_t>(page * pageSize + i), (*m_pages[page])[i]);
        }
    }

private:
    using Page = std::array<Value, pageSize>;
    std::vector<std::unique_ptr<Page>> m_pages;
};

}  // namespace longpole
