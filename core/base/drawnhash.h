// SPDX-License-Identifier: GPL-3.0-or-later
// A hash for tables whose keys come from files: it is drawn anew in each process, so that no file can know which keys
// would lie side by side. What it gives must never show: not even as an order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace longpole {

// Of a value, and of the values before it if there are several. All 64 bits of it can be used.
inline std::uint64_t drawnHash(std::uint64_t value, std::uint64_t before = 0)
{
    struct Drawn {
        std::uint64_t mask = std::uint64_t{std::random_device{}()} << 32 | std::random_device{}();
        std::uint64_t factor = (std::uint64_t{std::random_device{}()} << 32 | std::random_device{}()) | 1;
    };
    static const Drawn drawn;
    __extension__ using Product = unsigned __int128;
    const Product product = Product((value ^ drawn.mask) + before) * drawn.factor;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Of unordered containers whose keys are numbers or ids.
struct DrawnHash {
    template <typename Key>
    std::size_t operator()(Key key) const
    {
        return static_cast<std::size_t>(drawnHash(static_cast<std::uint64_t>(key)));
    }
};

}  // namespace longpole
