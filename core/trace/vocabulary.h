// SPDX-License-Identifier: GPL-3.0-or-later
// The words of a trace: a program of message-driven objects has PEs and entry methods, one of MPI ranks and regions.
#pragma once

#include <cstdint>

namespace longpole {

enum class ProgramKind : std::uint8_t {
    MessageDriven,
    Mpi,  // with the threads and streams of its ranks
};

// A text for a table of constants: a whole one for each vocabulary.
struct Saying {
    constexpr Saying(const char* both) : objects(both), ranks(both) {}
    constexpr Saying(const char* ofObjects, const char* ofRanks) : objects(ofObjects), ranks(ofRanks) {}

    const char* objects;
    const char* ranks;
};

// Stored with a trace by its importer. A sentence that differs is written once for each kind of program, in whole:
//     words.say(tr("%1 PEs have no log"), tr("%1 ranks have no log"))
// so that no noun is put into another's sentence, and every sentence can be translated.
class Vocabulary {
public:
    constexpr Vocabulary(ProgramKind kind = ProgramKind::MessageDriven) : m_kind(kind) {}

    constexpr ProgramKind kind() const { return m_kind; }
    constexpr bool ofRanks() const { return m_kind == ProgramKind::Mpi; }

    template <typename Text>
    constexpr Text say(const Text& objects, const Text& ranks) const
    {
        return ofRanks() ? ranks : objects;
    }
    constexpr const char* say(const Saying& saying) const { return ofRanks() ? saying.ranks : saying.objects; }

    friend bool operator==(const Vocabulary&, const Vocabulary&) = default;

private:
    ProgramKind m_kind;
};

}  // namespace longpole
