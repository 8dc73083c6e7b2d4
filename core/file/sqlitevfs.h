// SPDX-License-Identifier: GPL-3.0-or-later
// SQLite on a descriptor that is open already: all connections to a trace read the file that was verified, whatever
// happens to its name meanwhile, and what is written goes into the file that was made for it, whoever may put another
// of its name there. No temporary file is made.
#pragma once

#include "core/base/result.h"

#include <QString>

#include <cstdint>
#include <memory>

namespace longpole {

// An ordinary file, open for reading.
class StoreFile {
public:
    // Errors: missing, unreadable, no ordinary file (a device, pipe, socket or folder; the open does not wait for one).
    static Result<std::shared_ptr<const StoreFile>> open(const QString& path);
    ~StoreFile();
    StoreFile(const StoreFile&) = delete;
    StoreFile& operator=(const StoreFile&) = delete;

    int descriptor() const { return m_descriptor; }
    const QString& path() const { return m_path; }  // by which it was opened
    // How long it is, which everybody may change who may write it.
    std::int64_t length() const;
    // What limits go by, as it was when it was opened (explainedBytes()).
    std::int64_t bytes() const { return m_bytes; }

private:
    StoreFile(int descriptor, QString path);
    int m_descriptor;
    QString m_path;
    std::int64_t m_bytes;
};

// The VFS that takes a descriptor from the parameter "descriptor" of a URI and duplicates it. A database that is opened
// to be written has neither locks nor syncs: it is the writer's alone. Null if SQLite refuses.
const char* descriptorVfs();

}  // namespace longpole
