// SPDX-License-Identifier: GPL-3.0-or-later
// The creations of a process' own logs, and those that it has asked the processes of other PEs for, looked up as if it
// had them all.
#pragma once

#include "importers/projections/creations.h"
#include "importers/projections/matching.h"

#include <cstddef>
#include <cstdint>
#include <memory>
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

class ExchangedCreations {
public:
    // `own`: of the logs from `firstOwn` on. `keys`: of other logs, ascending, each once; `answers` by key. `logs`: how
    // many the run has.
    ExchangedCreations(const std::vector<Creations>& own, const Spill& ownSpill, std::size_t firstOwn,
                       std::vector<CreationKey> keys, std::vector<AnsweredCreation> answers, std::size_t logs);

    // So that views know them; in any order, each once.
    void add(std::vector<AnsweredBroadcast> broadcasts);
    std::vector<BroadcastCreation> broadcasts() const;

    // One thread's; this outlives it. Its at() knows what its find() gave last, own creations, and broadcasts.
    std::unique_ptr<CreationLookup> view() const;

private:
    class View;

    const std::vector<Creations>& m_own;
    const Spill& m_ownSpill;
    std::uint32_t m_firstOwn;
    std::vector<CreationKey> m_keys;
    std::vector<AnsweredCreation> m_answers;
    std::vector<std::size_t> m_first;  // by log, of its keys; and the end
    std::vector<AnsweredBroadcast> m_broadcasts;
};

}  // namespace longpole
