// SPDX-License-Identifier: GPL-3.0-or-later
// Values as bytes between processes, which all have the same byte order. What is unpacked is not trusted: a length that
// the bytes cannot hold makes the rest of it zeros, and isWhole() says so.
#pragma once

#include "distributed/transport/wire.h"

#include <QByteArray>
#include <QString>

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
        std::uint64_t last = 0;
        for (const T number : numbers) putStep(last, static_cast<std::int64_t>(number));
    }

    bool isEmpty() const { return m_bytes.empty(); }
    Payload take() { return std::move(m_bytes); }

private:
    template <typename Row, typename Field>
    void putColumn(const std::vector<Row>& rows, Field field)
    {
        std::uint64_t last = 0;
        for (const Row& row : rows) putStep(last, static_cast<std::int64_t>(row.*field));
    }
    void putStep(std::uint64_t& last, std::int64_t value)
    {
        const std::uint64_t by = static_cast<std::uint64_t>(value) - last;
        last = static_cast<std::uint64_t>(value);
        putVarint(by << 1 ^ (by >> 63 != 0 ? ~std::uint64_t{0} : 0));
    }
    void putVarint(std::uint64_t value);
    void append(const void* from, std::size_t size);

    Payload m_bytes;
};

class Unpacker {
public:
    explicit Unpacker(std::span<const std::byte> bytes) : m_bytes(bytes) {}

    template <PlainValue T>
    T value()
    {
        T value{};
        const std::span<const std::byte> from = next(sizeof value);
        if (!from.empty()) std::memcpy(&value, from.data(), sizeof value);
        return value;
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
    std::uint64_t varint();
    std::span<const std::byte> next(std::size_t size);
    void cut();  // the rest is zeros

    std::span<const std::byte> m_bytes;
    bool m_isWhole = true;
};

}  // namespace longpole
