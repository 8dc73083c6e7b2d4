// SPDX-License-Identifier: GPL-3.0-or-later
// Why an import has to stop, for all of its threads: an error of one of them, a full disk, or the user.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "importers/common/spill.h"

#include <QString>

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

namespace longpole {

// Thread-safe.
class ImportStop {
public:
    // `folder`: where the spill has its file; the spill must outlive this.
    ImportStop(const Spill& spill, QString folder) : m_spill(spill), m_folder(std::move(folder)) {}

    void stop(const Error& error);  // the first one counts
    bool isStopped() const { return m_stopped.load(std::memory_order_relaxed) || m_spill.hasFailed(); }
    // Nothing: it goes on.
    std::optional<Error> reason(const Progress& progress) const;

private:
    const Spill& m_spill;
    const QString m_folder;
    std::atomic<bool> m_stopped{false};
    mutable std::mutex m_mutex;  // m_error
    std::optional<Error> m_error;
};

}  // namespace longpole
