// SPDX-License-Identifier: GPL-3.0-or-later
// Values as bytes between processes, which all have the same byte order. What is unpacked is not trusted: a length that
// the bytes cannot hold makes the rest of it zeros, and isWhole() says so.
#pragma once

#include "distributed/transport/wire.h"

#include <QByteArray>
#include <QString>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace longpole {

template <typename T>
concept PlainValue = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

class Packer {
public:
    template <PlainValue T>
    void put(const T& value)
    {
        append(&value, sizeof value);
    }
    template <PlainValue T>
    void put(const std::vector<T>& values)
    {
        put(static_cast<std::uint64_t>(values.size()));
        append(values.data(), values.size() * sizeof(T));
    }
    void put(const QByteArray& bytes)
    {
        put(static_cast<std::uint64_t>(bytes.size()));
        append(bytes.constData(), static_cast<std::size_t>(bytes.size()));
    }
    void put(const QString& text) { put(text.toUtf8()); }
    // A table column by column, each value as the difference to the one above it: mostly one byte. `fields` are
    // pointers to members of integers, enums or booleans.
    template <typename Row, typename... Field>
    void putTable(const std::vector<Row>& rows, Field... fields)
    {
        put(static_cast<std::uint64_t>(rows.size()));
        (putColumn(rows, fields), ...);
    }

    // One column of such a table.
    template <typename T>
    void putNumbers(const std::vector<T>& numbers)
    {
        put(static_cast<std::uint64_t>(numbers.size()));
        putSteps(numbers.size(), [&numbers](std::size_t i) { return numbers[i]; });
    }

    bool isEmpty() const { return m_bytes.empty(); }
    Payload take() { return std::move(m_bytes); }

private:
    template <typename Row, typename Field>
    void putColumn(const std::vector<Row>& rows, Field field)
    {
        putSteps(rows.size(), [&rows, field](std::size_t i) { return rows[i].*field; });
    }
    // By way of a little room of its own, so that not each byte asks whether there is some.
    template <typename ValueOf>
    void putSteps(std::size_t count, ValueOf valueOf)
    {
        constexpr std::size_t rowsAtOnce = 256, mostOfOne = 10;
        std::array<std::byte, rowsAtOnce * mostOfOne> room;  // NOLINT(cppcoreguidelines-pro-type-member-init)
        std::uint64_t last = 0;
        for (std::size_t i = 0; i < count;) {
            std::byte* end = room.data();
            for (const std::size_t until = std::min(count, i + rowsAtOnce); i < until; ++i) {
                const auto value = static_cast<std::uint64_t>(static_cast<std::int64_t>(valueOf(i)));
                const std::uint64_t by = value - last;
                last = value;
                std::uint64_t coded = by << 1 ^ (by >> 63 != 0 ? ~std::uint64_t{0} : 0);
                for (; coded >= 0x80; coded >>= 7) *end++ = static_cast<std::byte>(coded | 0x80);
                *end++ = static_cast<std::byte>(coded);
            }
            m_bytes.insert(m_bytes.end(), room.data(), end);
        }
    }
    void append(const void* from, std::size_t size);

    Payload m_bytes;
};

class Unpacker {
public:
    explicit Unpacker(std::span<const std::byte> bytes) : m_bytes(bytes) {}

    template <PlainValue T>
    requires(!std::is_enum_v<T> || sizeof(T) > 1)  // ids are enums, too
        T value()
    {
        if constexpr (std::is_same_v<T, bool>) {
            return choice(std::uint8_t{1}) != 0;
        } else {
            T value{};
            const std::span<const std::byte> from = next(sizeof value);
            if (!from.empty()) std::memcpy(&value, from.data(), sizeof value);
            return value;
        }
    }
    // One of those from 0 to `last`; others are refused.
    template <typename T>
    T choice(T last)
    {
        using Number =
            typename std::conditional_t<std::is_enum_v<T>, std::underlying_type<T>, std::type_identity<T>>::type;
        static_assert(std::is_unsigned_v<Number>);
        const auto number = value<Number>();
        if (number <= static_cast<Number>(last)) return static_cast<T>(number);
        refuse();
        return T{};
    }
    template <PlainValue T>
    std::vector<T> values()
    {
        std::vector<T> values(count(sizeof(T)));
        const std::span<const std::byte> from = next(values.size() * sizeof(T));
        if (!from.empty()) std::memcpy(values.data(), from.data(), from.size());
        return values;
    }
    QByteArray bytes();
    QString text() { return QString::fromUtf8(bytes()); }
    // What putTable() made of the same fields.
    template <typename Row, typename... Field>
    std::vector<Row> table(Field... fields)
    {
        std::vector<Row> rows(count(sizeof...(Field)));
        (takeColumn(rows, fields), ...);
        return rows;
    }
    template <typename T>
    std::vector<T> numbers()
    {
        std::vector<T> numbers(count(1));
        std::uint64_t last = 0;
        for (T& number : numbers) number = static_cast<T>(takeStep(last));
        return numbers;
    }
    // How many things of at least `least` bytes each follow: never more than there are bytes for.
    std::size_t count(std::size_t least);

    bool isAtEnd() const { return m_bytes.empty(); }
    bool isWhole() const { return m_isWhole; }
    // For values that are whole but cannot be.
    void refuse() { m_isWhole = false; }

private:
    template <typename Row, typename Field>
    void takeColumn(std::vector<Row>& rows, Field field)
    {
        std::uint64_t value = 0;
        for (Row& row : rows) row.*field = static_cast<std::remove_reference_t<decltype(row.*field)>>(takeStep(value));
    }
    std::int64_t takeStep(std::uint64_t& last)
    {
        const std::uint64_t coded = varint();
        last += coded >> 1 ^ ((coded & 1) != 0 ? ~std::uint64_t{0} : 0);
        return static_cast<std::int64_t>(last);
    }
    std::uint64_t varint()
    {
        if (m_bytes.empty() || (m_bytes.front() & std::byte{0x80}) != std::byte{0}) return longVarint();
        const auto value = static_cast<std::uint64_t>(m_bytes.front());
        m_bytes = m_bytes.subspan(1);
        return value;
    }
    std::uint64_t longVarint();
    std::span<const std::byte> next(std::size_t size);
    void cut();  // the rest is zeros

    std::span<const std::byte> m_bytes;
    bool m_isWhole = true;
};

}  // namespace longpole
