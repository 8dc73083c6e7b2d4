// SPDX-License-Identifier: GPL-3.0-or-later
// The words in which to speak of a trace: a message-driven program has PEs and entry methods, an MPI program ranks and
// regions.
#pragma once

#include <cstdint>

namespace longpole {

enum class ProgramKind : std::uint8_t {
    MessageDriven,
    Mpi,  // with the threads and streams of its ranks
};

// A constant text in the words of each kind of program.
struct Saying {
    constexpr Saying(const char* both) : objects(both), ranks(both) {}
    constexpr Saying(const char* ofObjects, const char* ofRanks) : objects(ofObjects), ranks(ofRanks) {}

    const char* objects;
    const char* ranks;
};

// Stored with a trace by its importer. A sentence that differs is written as a whole for each kind of program:
//     words.say(tr("%1 PEs have no log"), tr("%1 ranks have no log"))
// No noun is inserted into a sentence, so that every sentence can be translated.
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
