// SPDX-License-Identifier: GPL-3.0-or-later
// Checksums of stored bytes: XXH3-64 of a chunk, XXH3-128 of a sequence of typed values.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <QString>

namespace longpole {

std::uint64_t hashBytes(std::span<const char> bytes);

// Hashes typed values one after the other; the type and length of each are part of the hash.
class ValueHasher {
public:
    ValueHasher();
    ValueHasher(ValueHasher&&) noexcept;
    ~ValueHasher();

    void addInteger(std::int64_t value);
    void addReal(double value);
    void addText(std::string_view value);
    void addBlob(std::span<const char> value);
    void addNull();
    QString hex() const;  // of everything added so far: 32 digits

private:
    void add(char type, const void* bytes, std::size_t size);
    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace longpole
