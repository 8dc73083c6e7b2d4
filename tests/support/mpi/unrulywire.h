// SPDX-License-Identifier: GPL-3.0-or-later
// A wire as bad as MPI allows: pieces leave in any order, some only after many steps. With TransportLimits of few bytes
// a piece, messages are split as well.
#pragma once

#include "distributed/transport/threadwire.h"

#include <random>

namespace longpole::tests {

class UnrulyWire : public Wire {
public:
    // `longest`: steps that a piece may be held back.
    UnrulyWire(std::unique_ptr<Wire> wire, std::uint32_t seed, unsigned longest = 1000)
        : m_wire(std::move(wire)), m_random(seed), m_longest(longest)
    {
    }
    ~UnrulyWire() override
    {
        while (!m_held.empty()) release(0);
    }
    int process() const override { return m_wire->process(); }
    int processes() const override { return m_wire->processes(); }
    void post(int to, std::uint16_t tag, Payload bytes, bool tracked) override
    {
        const bool isSlow = m_random() % 8 == 0;
        m_held.push_back({m_step + m_random() % (isSlow ? m_longest : 4), to, tag, std::move(bytes), tracked});
        step();
    }
    std::optional<Piece> take(std::uint16_t tag) override
    {
        step();
        if (m_random() % 3 != 0) return m_wire->take(tag);
        m_hidSome = true;
        return std::nullopt;
    }
    std::vector<Landed> landed() override
    {
        step();
        return m_wire->landed();
    }
    void rest(std::chrono::microseconds longest, WakeOn wakeOn) override
    {
        step();
        if (m_held.empty() && !m_hidSome) m_wire->rest(longest, wakeOn);
        m_hidSome = false;
    }

private:
    struct Held {
        std::uint64_t step;
        int to;
        std::uint16_t tag;
        Payload bytes;
        bool tracked;
    };
    void step()
    {
        ++m_step;
        for (std::size_t i = m_held.size(); i-- > 0;)  // the newest first
            if (m_held[i].step <= m_step) release(i);
    }
    void release(std::size_t i)
    {
        Held held = std::move(m_held[i]);
        m_held.erase(m_held.begin() + static_cast<std::ptrdiff_t>(i));
        m_wire->post(held.to, held.tag, std::move(held.bytes), held.tracked);
    }

    std::unique_ptr<Wire> m_wire;
    std::mt19937 m_random;
    unsigned m_longest;
    bool m_hidSome = false;  // perhaps, since the last rest: what has come already wakes nobody
    std::uint64_t m_step = 0;
    std::vector<Held> m_held;
};

// As runOnThreads, over unruly wires that split messages every `pieceBytes`.
inline Result<> runUnruly(int processes, std::uint32_t seed, const std::function<void(Transport&)>& body,
                          std::size_t pieceBytes = 7)
{
    std::vector<std::unique_ptr<Wire>> wires = threadWires(processes);
    for (std::size_t i = 0; i < wires.size(); ++i)
        wires[i] = std::make_unique<UnrulyWire>(std::move(wires[i]), seed * 101 + static_cast<std::uint32_t>(i));
    return runOnThreads(std::move(wires), body, {.pieceBytes = pieceBytes, .blockBytes = 64});
}

}  // namespace longpole::tests
