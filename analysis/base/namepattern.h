// SPDX-License-Identifier: GPL-3.0-or-later
// What people look for in names: a part of them, or a regular expression between slashes.
#pragma once

#include "core/base/result.h"

#include <QRegularExpression>
#include <QString>

namespace longpole {

// Letters of either case match. "/^Wave::.*Ghost/" is a regular expression; one that would try too much on a name does
// not match it, so that no expression and no name keep the one who asks waiting. Error: it is none; the error says at
// which character.
Result<QRegularExpression> namePattern(const QString& text);

}  // namespace longpole
