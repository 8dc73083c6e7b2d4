// SPDX-License-Identifier: GPL-3.0-or-later
// The programs and libraries that a rank's code came from: which one an address is in, and which files may be read for
// the names in it. Both are a stranger's words.
#pragma once

#include "importers/recording/file.h"

#include <QByteArray>

#include <cstdint>
#include <vector>

namespace longpole {

// Where modules overlap, the later one counts: a library may have been unloaded and another loaded there.
class ModulePlaces {
public:
    // Keeps `modules`, which must outlive it. O(n log n).
    explicit ModulePlaces(const std::vector<RecordedModule>& modules);
    // Null: in none.
    const RecordedModule* of(std::uint64_t address) const;

private:
    struct Part {
        std::uint64_t begin;
        const RecordedModule* module;  // null: up to the next part there is none
    };
    std::vector<Part> m_parts;  // by begin
};

// The module's file by the one name that it has on this machine, whatever names lead there: an ordinary ELF file that
// an absolute path names and that is no part of the recording in `folder`. Empty if there is none. What the kernel
// makes up (/proc, /sys, /dev) and what would have to be unpacked is not opened; a file of another host (//host, /net)
// is not even asked for.
QByteArray readableModule(const RecordedModule& module, const QString& folder);

}  // namespace longpole
