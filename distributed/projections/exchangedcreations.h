// SPDX-License-Identifier: GPL-3.0-or-later
// The creations that a process has asked the processes of their PEs for, looked up as if it had them all.
#pragma once

#include "importers/projections/creations.h"
#include "importers/projections/matching.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

// A creation by its key, as it is asked for. In the order of logs and so of the processes that read them.
struct CreationKey {
    std::uint32_t log = 0;
    std::uint32_t event = 0;
    friend auto operator<=>(const CreationKey&, const CreationKey&) = default;
};

// What the process of its log says.
struct AnsweredCreation {
    static constexpr std::int64_t none = -1;
    std::int64_t position = none;  // none: there is no such creation
    Creation creation;             // `event` is that of the key
};

// One of an array broadcast, of whatever log.
struct AnsweredBroadcast {
    BroadcastCreation broadcast;
    Creation creation;
};

// By one thread.
class ExchangedCreations final : public CreationLookup {
public:
    // `keys` ascending, each once; `answers` by key. `logs`: how many the run has.
    ExchangedCreations(std::vector<CreationKey> keys, std::vector<AnsweredCreation> answers, std::size_t logs);

    // So that at() knows them; in any order, each once.
    void add(std::vector<AnsweredBroadcast> broadcasts);
    std::vector<BroadcastCreation> broadcasts() const;

    std::optional<std::uint32_t> find(std::uint32_t source, std::uint32_t event) override;
    // Of what find() gave last, or of a broadcast.
    Creation at(std::uint32_t source, std::uint32_t position) override;

private:
    std::vector<CreationKey> m_keys;
    std::vector<AnsweredCreation> m_answers;
    std::vector<std::size_t> m_first;  // by log, of its keys; and the end
    std::vector<std::size_t> m_hints;  // by log: the key that was found last
    std::size_t m_found = 0;           // likewise, of all logs; the number of keys: none
    std::vector<AnsweredBroadcast> m_broadcasts;
};

}  // namespace longpole
