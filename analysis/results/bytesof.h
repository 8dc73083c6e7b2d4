// SPDX-License-Identifier: GPL-3.0-or-later
// How many bytes an answer's arrays hold, which Results counts against its bound.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

namespace longpole {

// Of the array alone, without what its elements point to (see bytesOfAll).
template <typename T>
std::int64_t bytesOf(const std::vector<T>& values)
{
    if constexpr (std::is_same_v<T, bool>) return static_cast<std::int64_t>(values.capacity() / 8);
    else return static_cast<std::int64_t>(values.capacity() * sizeof(T));
}

// Of the array and of what each element holds, which `held(element)` gives.
template <typename T, typename Held>
std::int64_t bytesOfAll(const std::vector<T>& values, Held held)
{
    auto sum = static_cast<std::int64_t>(values.capacity() * sizeof(T));
    for (const T& value : values) sum += held(value);
    return sum;
}

template <typename T>
std::int64_t bytesOf(const std::vector<std::vector<T>>& values)
{
    return bytesOfAll(values, [](const std::vector<T>& inner) { return bytesOf(inner); });
}

}  // namespace longpole
