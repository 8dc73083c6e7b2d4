// SPDX-License-Identifier: GPL-3.0-or-later
// Asks a run whose path is followed to stop that, to go on, or to follow other procedures: online.control in its
// folder, which the program looks at once a second.
#pragma once

#include "core/base/result.h"

#include <QString>
#include <QStringList>

#include <cstdint>

namespace longpole {

enum class PathWish : std::uint8_t { Stop, Start };

// Errors: the file cannot be written.
Result<> askForPath(const QString& folder, PathWish wish);
// The procedures whose gain is followed from then on, instead of those before. Errors: the same; more than fit, or a
// name with a line break.
Result<> askForProcedures(const QString& folder, const QStringList& names);

}  // namespace longpole
