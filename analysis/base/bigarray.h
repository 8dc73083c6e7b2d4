// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors of many millions of elements, on huge pages where the system has them: with pages of 4 KiB, touching each for
// the first time would cost more than the passes over the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace longpole {

// As reserve(), but asks for huge pages before the memory is touched.
template <typename T>
void reserveBig(std::vector<T>& array, std::size_t size)
{
    if (array.capacity() >= size) return;
    array.reserve(size);
#ifdef __linux__
    constexpr std::uintptr_t hugePage = std::uintptr_t{1} << 21;
    const auto begin = (reinterpret_cast<std::uintptr_t>(array.data()) + hugePage - 1) & ~(hugePage - 1);
    const auto end = reinterpret_cast<std::uintptr_t>(array.data() + array.capacity()) & ~(hugePage - 1);
    // It is advice only: if the system refuses it, pages are small.
    if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

// Makes room for one more element: doubles a vector that is full.
template <typename T>
void growBig(std::vector<T>& array)
{
    if (array.size() == array.capacity()) reserveBig(array, 2 * array.size() + 64);
}

template <typename T>
void resizeBig(std::vector<T>& array, std::size_t size, T value = {})
{
    reserveBig(array, size);
    array.resize(size, value);
}

template <typename T>
std::vector<T> bigArray(std::size_t size, T value = {})
{
    std::vector<T> array;
    resizeBig(array, size, value);
    return array;
}

}  // namespace longpole
