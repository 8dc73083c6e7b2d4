// SPDX-License-Identifier: GPL-3.0-or-later
// A wire of a process that lies: the bytes of what it sends are altered on their way.
#pragma once

#include "distributed/transport/wire.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace longpole::tests {

constexpr std::size_t heading = 24;  // of the transport, behind the bytes of a piece

// Alters the bytes of what one process sends.
class LyingWire final : public Wire {
public:
    using Alter = std::function<void(std::uint16_t tag, Payload& bytes)>;
    LyingWire(std::unique_ptr<Wire> wire, Alter alter) : m_wire(std::move(wire)), m_alter(std::move(alter)) {}

    int process() const override { return m_wire->process(); }
    int processes() const override { return m_wire->processes(); }
    void post(int to, std::uint16_t tag, Payload bytes, bool tracked) override
    {
        m_alter(tag, bytes);
        m_wire->post(to, tag, std::move(bytes), tracked);
    }
    std::optional<Piece> take(std::uint16_t tag) override { return m_wire->take(tag); }
    std::vector<Landed> landed() override { return m_wire->landed(); }
    void rest(std::chrono::microseconds longest, WakeOn wakeOn) override { m_wire->rest(longest, wakeOn); }

private:
    std::unique_ptr<Wire> m_wire;
    Alter m_alter;
};

inline bool isOfPass(std::uint16_t tag, std::uint16_t pass) { return tag / 2 == pass; }

template <typename T>
void put(Payload& bytes, std::size_t at, T value)
{
    if (at + sizeof value + heading <= bytes.size()) std::memcpy(bytes.data() + at, &value, sizeof value);
}

}  // namespace longpole::tests
