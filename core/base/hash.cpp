// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/hash.h"

#include <QByteArray>

#include <array>
#include <cstring>
#include <new>

#include <xxhash.h>

namespace longpole {

std::uint64_t hashBytes(std::span<const char> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

// Most values are numbers: they are handed on together.
struct ValueHasher::State {
    XXH3_state_t* xxh = XXH3_createState();
    std::array<char, 2048> waiting{};
    std::size_t size = 0;  // of what waits
    State()
    {
        if (!xxh) throw std::bad_alloc();
        XXH3_128bits_reset(xxh);
    }
    ~State() { XXH3_freeState(xxh); }
    void handOn()
    {
        XXH3_128bits_update(xxh, waiting.data(), size);
        size = 0;
    }
    void add(const void* bytes, std::size_t count)
    {
        if (count > waiting.size() - size) handOn();
        if (count > waiting.size()) {
            XXH3_128bits_update(xxh, bytes, count);
            return;
        }
        if (count > 0) std::memcpy(waiting.data() + size, bytes, count);
        size += count;
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
};

ValueHasher::ValueHasher() : m_state(std::make_unique<State>()) {}
ValueHasher::ValueHasher(ValueHasher&&) noexcept = default;
ValueHasher::~ValueHasher() = default;

void ValueHasher::add(char type, const void* bytes, std::size_t size)
{
    char head[9] = {type};
    const std::uint64_t length = size;
    std::memcpy(head + 1, &length, sizeof length);
    m_state->add(head, sizeof head);
    m_state->add(bytes, size);
}

void ValueHasher::addInteger(std::int64_t value) { add('i', &value, sizeof value); }
void ValueHasher::addReal(double value) { add('r', &value, sizeof value); }
void ValueHasher::addText(std::string_view value) { add('t', value.data(), value.size()); }
void ValueHasher::addBlob(std::span<const char> value) { add('b', value.data(), value.size()); }
void ValueHasher::addNull() { add('n', nullptr, 0); }

QString ValueHasher::hex() const
{
    m_state->handOn();
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(m_state->xxh));
    const QByteArray bytes(reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest);
    return QString::fromLatin1(bytes.toHex());
}

}  // namespace longpole
