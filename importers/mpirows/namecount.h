// SPDX-License-Identifier: GPL-3.0-or-later
// Counts the characters of a run's names: many rows may have one name, which a file says once and each row takes.
#pragma once

#include "core/base/limits.h"
#include "importers/mpi/source.h"

namespace longpole {

class MpiNameCount {
public:
    // `info`: where the names are from, and of how many bytes.
    explicit MpiNameCount(const TraceInfo& info) : m_info(info) {}

    void add(const QString& name)
    {
        constexpr std::int64_t longer = 64;
        m_characters += longer + name.size();
    }
    bool isPlausible() const { return m_characters <= limits::mpiNames.of(m_info.sourceBytes); }
    // An error if there are more than limits::mpiNames.
    Result<> verdict() const;

private:
    const TraceInfo& m_info;
    std::int64_t m_characters = 0;
};

// Of regions, communicators, locations and counters. Call paths have a limit of their own: limits::callPathNames.
Result<> checkNames(const MpiRunNames& names);

}  // namespace longpole
