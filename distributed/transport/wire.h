// SPDX-License-Identifier: GPL-3.0-or-later
// The least that processes need to talk, and all that differs between threads and the MPIs: to post a piece of bytes,
// to take one that came, and to learn that the other has taken it. Everything else is in transport.h, once.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

using Payload = std::vector<std::byte>;

constexpr std::uint16_t highestTag = 32767;  // what every MPI allows

struct Piece {
    int from = 0;
    std::uint16_t tag = 0;
    Payload bytes;
};

// A tracked piece that its receiver has taken.
struct Landed {
    int to = 0;
    std::uint16_t tag = 0;
    friend bool operator==(const Landed&, const Landed&) = default;
};

// What ends a rest.
enum class WakeOn : std::uint8_t { Pieces, PiecesAndLandings };

// One process' end. Used by one thread.
class Wire {
public:
    Wire() = default;
    virtual ~Wire() = default;
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    virtual int process() const = 0;
    virtual int processes() const = 0;
    // Takes the piece over and returns at once; never to itself. A tracked one is told by landed() once it was taken.
    virtual void post(int to, std::uint16_t tag, Payload bytes, bool tracked) = 0;
    // A piece of that tag which has come, of any process, in any order; at once.
    virtual std::optional<Piece> take(std::uint16_t tag) = 0;
    // What has landed since it was asked last.
    virtual std::vector<Landed> landed() = 0;
    // Lets others run: returns when something of that kind may have happened since the last rest, and after a while in
    // any case, about `longest` where it has to look for itself.
    virtual void rest(std::chrono::microseconds longest, WakeOn wakeOn) = 0;
};

}  // namespace longpole
