// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/columncoding.h"

#include <bit>
#include <cstring>

namespace longpole {
namespace {

std::uint64_t zigzag(std::uint64_t value) { return (value << 1) ^ (0 - (value >> 63)); }
std::uint64_t unzigzag(std::uint64_t code) { return (code >> 1) ^ (0 - (code & 1)); }
std::uint64_t swapBytes(std::uint64_t value) { return __builtin_bswap64(value); }

// What is stored for `value` in a row below `previous`.
template <Coding coding>
std::uint64_t code(std::uint64_t value, std::uint64_t previous)
{
    if constexpr (coding == Coding::Plain) return zigzag(value);
    if constexpr (coding == Coding::Delta) return zigzag(value - previous);
    if constexpr (coding == Coding::Double) return swapBytes(value ^ previous);  // low mantissa bytes are mostly 0
}

template <Coding coding>
std::uint64_t uncode(std::uint64_t coded, std::uint64_t previous)
{
    if constexpr (coding == Coding::Plain) return unzigzag(coded);
    if constexpr (coding == Coding::Delta) return previous + unzigzag(coded);
    if constexpr (coding == Coding::Double) return swapBytes(coded) ^ previous;
}

template <Coding coding>
EncodedColumn encodeColumn(const std::int64_t* values, std::uint32_t rows, std::uint8_t* out)
{
    const auto value = [values](std::uint32_t row) { return static_cast<std::uint64_t>(values[row]); };
    const std::uint64_t first = code<coding>(value(0), 0);
    const std::uint64_t second = rows > 1 ? code<coding>(value(1), value(0)) : first;
    std::uint32_t row = 1;
    while (row < rows && code<coding>(value(row), value(row - 1)) == second) ++row;
    out = putVarint(out, first);
    if (row == rows) return {putVarint(out, second), true};
    std::uint64_t previous = value(0);
    for (row = 1; row < rows; ++row) {
        out = putVarint(out, code<coding>(value(row), previous));
        previous = value(row);
    }
    return {out, false};
}

constexpr std::uint64_t continuation = 0x8080808080808080u;

// The lowest `length` groups of 7 bits of a little-endian word, joined.
std::uint64_t joinGroups(std::uint64_t word, unsigned length)
{
    word &= ~std::uint64_t{0} >> (64 - 8 * length);
    word = (word & 0x007f007f007f007fu) | ((word & 0x7f007f007f007f00u) >> 1);
    word = (word & 0x00003fff00003fffu) | ((word & 0x3fff00003fff0000u) >> 2);
    return (word & 0x000000000fffffffu) | ((word & 0x0fffffff00000000u) >> 4);
}

// Emits all values that end within the word, which are fewer than eight; returns how many bytes they take.
struct PlainWords {
    template <Coding coding>
    [[gnu::always_inline]] static unsigned take(std::uint64_t word, std::uint64_t& previous, std::int64_t*& out)
    {
        std::uint64_t stops = ~word & continuation;
        unsigned from = 0;
        while (stops != 0) {
            const unsigned to = static_cast<unsigned>(std::countr_zero(stops) + 1) / 8;
            previous = uncode<coding>(joinGroups(word >> (8 * from), to - from), previous);
            *out++ = static_cast<std::int64_t>(previous);
            from = to;
            stops &= stops - 1;
        }
        return from;
    }
};

#ifdef __x86_64__
// With an instruction that joins bits. Four values at a time, whether they are there or not: nobody knows how many end
// in a word, and the processor that guesses wrong loses more than they take. There is room for eight at `out`.
struct JoinedWords {
    template <Coding coding>
    [[gnu::always_inline]] static unsigned take(std::uint64_t word, std::uint64_t& previous, std::int64_t*& out)
    {
        std::uint64_t stops = ~word & continuation;
        const int count = std::popcount(stops);
        const auto from = static_cast<unsigned>(64 - std::countl_zero(stops)) / 8;
        std::uint64_t taken = 0;
        std::uint64_t value = previous;
        const auto takeFour = [&](std::int64_t* to) {
            for (int i = 0; i < 4; ++i) {
                const std::uint64_t upTo = stops ^ (stops - 1);
                std::uint64_t coded;
                asm("pext %2, %1, %0" : "=r"(coded) : "r"(word), "r"(upTo & ~taken & ~continuation));
                value = uncode<coding>(coded, value);
                to[i] = static_cast<std::int64_t>(value);
                taken = upTo;
                stops &= stops - 1;
            }
        };
        takeFour(out);
        if (count > 4) takeFour(out + 4);
        out += count;
        previous = static_cast<std::uint64_t>(out[-1]);
        return from;
    }
};
#endif

// Decodes `rows` values that fill [p, end) exactly.
template <Coding coding, typename Words>
[[gnu::always_inline]] inline bool decodeWords(const std::uint8_t* p, const std::uint8_t* end, std::int64_t* out,
                                               std::uint32_t rows)
{
    std::uint64_t previous = 0;
    const auto emit = [&](std::uint64_t coded) {
        previous = uncode<coding>(coded, previous);
        *out++ = static_cast<std::int64_t>(previous);
    };
    std::int64_t* const last = out + rows;
    while (last - out >= 8 && end - p >= 16) {
        std::uint64_t word;
        std::memcpy(&word, p, sizeof word);
        const std::uint64_t more = word & continuation;
        if (more == 0) {
            for (int i = 0; i < 8; ++i) emit(p[i]);
            p += 8;
        } else if (more == continuation) {  // nine or ten bytes
            std::uint64_t coded = 0;
            p = getVarint(p, end, coded);
            if (!p) return false;
            emit(coded);
        } else {
            p += Words::template take<coding>(word, previous, out);
        }
    }
    while (out != last) {
        std::uint64_t coded = 0;
        p = getVarint(p, end, coded);
        if (!p) return false;
        emit(coded);
    }
    return p == end;
}

#ifdef __x86_64__
template <Coding coding>
[[gnu::target("bmi,bmi2,popcnt")]] bool decodeJoined(const std::uint8_t* p, const std::uint8_t* end, std::int64_t* out,
                                                     std::uint32_t rows)
{
    return decodeWords<coding, JoinedWords>(p, end, out, rows);
}
#endif

template <Coding coding>
bool decodeColumn(const std::uint8_t* p, const std::uint8_t* end, std::int64_t* out, std::uint32_t rows,
                  [[maybe_unused]] bool mayJoin)
{
#ifdef __x86_64__
    static const bool joins = __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("bmi") != 0
                              && __builtin_cpu_supports("popcnt") != 0;
    if (joins && mayJoin) return decodeJoined<coding>(p, end, out, rows);
#endif
    return decodeWords<coding, PlainWords>(p, end, out, rows);
}

template <Coding coding>
bool decodeEven(const std::uint8_t* p, const std::uint8_t* end, std::int64_t* out, std::uint32_t rows)
{
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    p = getVarint(p, end, first);
    if (p) p = getVarint(p, end, second);
    if (p != end) return false;
    std::uint64_t value = uncode<coding>(first, 0);
    out[0] = static_cast<std::int64_t>(value);
    for (std::uint32_t row = 1; row < rows; ++row) {
        value = uncode<coding>(second, value);
        out[row] = static_cast<std::int64_t>(value);
    }
    return true;
}

}  // namespace

std::uint8_t* putVarint(std::uint8_t* out, std::uint64_t value)
{
    while (value >= 0x80) {
        *out++ = static_cast<std::uint8_t>(value | 0x80);
        value >>= 7;
    }
    *out++ = static_cast<std::uint8_t>(value);
    return out;
}

const std::uint8_t* getVarint(const std::uint8_t* p, const std::uint8_t* end, std::uint64_t& value)
{
    std::uint64_t result = 0;
    for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
        const std::uint64_t byte = *p++;
        result |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            if (shift == 63 && byte > 1) return nullptr;
            value = result;
            return p;
        }
    }
    return nullptr;
}

EncodedColumn encodeColumn(Coding coding, const std::int64_t* values, std::uint32_t rows, std::uint8_t* out)
{
    switch (coding) {
    case Coding::Delta: return encodeColumn<Coding::Delta>(values, rows, out);
    case Coding::Double: return encodeColumn<Coding::Double>(values, rows, out);
    case Coding::Plain: break;
    }
    return encodeColumn<Coding::Plain>(values, rows, out);
}

bool decodeColumn(Coding coding, bool even, std::span<const std::uint8_t> bytes, std::int64_t* out, std::uint32_t rows,
                  bool mayJoin)
{
    const std::uint8_t* begin = bytes.data();
    const std::uint8_t* end = begin + bytes.size();
    switch (coding) {
    case Coding::Delta:
        return even ? decodeEven<Coding::Delta>(begin, end, out, rows)
                    : decodeColumn<Coding::Delta>(begin, end, out, rows, mayJoin);
    case Coding::Double:
        return even ? decodeEven<Coding::Double>(begin, end, out, rows)
                    : decodeColumn<Coding::Double>(begin, end, out, rows, mayJoin);
    case Coding::Plain: break;
    }
    return even ? decodeEven<Coding::Plain>(begin, end, out, rows)
                : decodeColumn<Coding::Plain>(begin, end, out, rows, mayJoin);
}

}  // namespace longpole
