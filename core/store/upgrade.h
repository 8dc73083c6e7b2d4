// SPDX-License-Identifier: GPL-3.0-or-later
// The third door: the file of an older version becomes one of this version.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/trace/storedanswers.h"

#include <QString>

#include <bitset>
#include <cstdint>
#include <functional>

namespace longpole {

struct Upgrade {
    std::int64_t from = 0;  // schema of the file; today's, where nothing is to be done
    std::int64_t to = 0;
    std::bitset<answerTables> lacking{};  // what the older version did not compute, by AnswerTable
    // Of both files, once it is done: what is known of the older one by its stamp is meant of the newer one.
    QString stampBefore{};
    QString stampAfter{};

    bool isNeeded() const { return from != to; }
};

// What upgrading the file would do, by its mark and version alone. Errors: no Longpole file; newer; too old.
Result<Upgrade> findUpgrade(const QString& path);

// Writes the file anew as one of this version, or copies what is one already. `target` may be the file itself: it is
// replaced when all else is done, after the new file has passed whatever opening it verifies, and after `ready`, which
// is told of both files. Errors: as findUpgrade(); damaged; the disk is full; cancelled; that of `ready`. Then `target`
// is as it was.
Result<Upgrade> upgradeTrace(const QString& path, const QString& target, const Progress& progress,
                             const std::function<Result<>(const Upgrade&)>& ready = {});

}  // namespace longpole
