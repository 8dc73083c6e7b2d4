// SPDX-License-Identifier: GPL-3.0-or-later
// Splits a whole number in proportion to parts that come one after the other, so that the shares add up to it exactly.
#pragma once

#include "core/base/wide.h"

#include <cstdint>

namespace longpole {

// After each part the shares so far add up to total x (parts so far) / whole, rounded down (or up, if asked for), so
// that each share is within one of its exact value. total, whole >= 0; the parts are >= 0 and add up to `whole` or
// less.
class Shares {
public:
    enum class Rounding : std::uint8_t { Down, Up };
    Shares(std::int64_t total, std::int64_t whole, Rounding rounding = Rounding::Down)
        : m_total(total), m_whole(whole > 0 ? whole : 1), m_rounding(rounding)
    {
    }

    std::int64_t next(std::int64_t part)
    {
        m_parts = part < m_whole - m_parts ? m_parts + part : m_whole;
        const Wide up = m_rounding == Rounding::Up ? m_whole - 1 : 0;
        const auto until = static_cast<std::int64_t>((static_cast<Wide>(m_total) * m_parts + up) / m_whole);
        const std::int64_t share = until - m_given;
        m_given = until;
        return share;
    }

private:
    std::int64_t m_total;
    std::int64_t m_whole;
    std::int64_t m_parts = 0;
    std::int64_t m_given = 0;
    Rounding m_rounding;
};

}  // namespace longpole
