// SPDX-License-Identifier: GPL-3.0-or-later
// Words of commands that are proposed: what is pasted into a shell may be the name of a stranger's file.
#pragma once

#include <QString>

namespace longpole {

// As a shell takes it for one word.
QString quotedForShell(const QString& word);

}  // namespace longpole
