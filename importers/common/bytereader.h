// SPDX-License-Identifier: GPL-3.0-or-later
// A bounds-checked cursor over little-endian bytes: a read past the end fails and leaves the cursor where it is.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace longpole {

static_assert(std::endian::native == std::endian::little, "binary logs are read as they lie in memory");

class ByteReader {
public:
    explicit ByteReader(std::span<const char> bytes) : m_bytes(bytes) {}

    template <typename T>
    [[nodiscard]] bool read(T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>);
        if (remaining() < sizeof(T)) return false;
        std::memcpy(&value, m_bytes.data() + m_position, sizeof(T));
        m_position += sizeof(T);
        return true;
    }
    [[nodiscard]] bool skip(std::size_t bytes)
    {
        if (remaining() < bytes) return false;
        m_position += bytes;
        return true;
    }
    // Empty if fewer than `bytes` remain.
    std::span<const char> take(std::size_t bytes)
    {
        if (remaining() < bytes) return {};
        const std::span<const char> taken = m_bytes.subspan(m_position, bytes);
        m_position += bytes;
        return taken;
    }

    std::size_t position() const { return m_position; }
    std::size_t remaining() const { return m_bytes.size() - m_position; }

private:
    std::span<const char> m_bytes;
    std::size_t m_position = 0;
};

}  // namespace longpole
