// SPDX-License-Identifier: GPL-3.0-or-later
#include "distributed/exchange/pack.h"

namespace longpole {

void Packer::append(const void* from, std::size_t size)
{
    if (size == 0) return;
    const auto* const bytes = static_cast<const std::byte*>(from);
    m_bytes.insert(m_bytes.end(), bytes, bytes + size);
}

QByteArray Unpacker::bytes()
{
    const std::span<const std::byte> from = next(count(1));
    return {reinterpret_cast<const char*>(from.data()), static_cast<qsizetype>(from.size())};
}

std::size_t Unpacker::count(std::size_t least)
{
    const auto count = value<std::uint64_t>();
    if (count <= m_bytes.size() / least) return static_cast<std::size_t>(count);
    cut();
    return 0;
}

std::uint64_t Unpacker::longVarint()
{
    std::uint64_t value = 0;
    const std::size_t most = std::min<std::size_t>(m_bytes.size(), 10);
    for (std::size_t i = 0; i < most; ++i) {
        const auto byte = static_cast<std::uint64_t>(m_bytes[i]);
        value |= (byte & 0x7f) << (7 * i);
        if (byte >= 0x80) continue;
        m_bytes = m_bytes.subspan(i + 1);
        return value;
    }
    cut();
    return 0;
}

std::span<const std::byte> Unpacker::next(std::size_t size)
{
    if (size > m_bytes.size()) {
        cut();
        return {};
    }
    const std::span<const std::byte> taken = m_bytes.first(size);
    m_bytes = m_bytes.subspan(size);
    return taken;
}

void Unpacker::cut()
{
    m_isWhole = false;
    m_bytes = {};
}

}  // namespace longpole
