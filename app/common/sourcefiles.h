// SPDX-License-Identifier: GPL-3.0-or-later
// The files that commands read when a raw trace is named, and what rights something that is made of them may have.
#pragma once

#include <QString>
#include <QStringList>

#include <sys/types.h>

namespace longpole {

// All files of the run that `path`, one of them or their folder, leads to, with those that are read beside its logs.
// Nothing for a .longpole file and for what is no trace. Links that lead to another machine are left out.
QStringList sourceFiles(const QString& path);

// Bits of 0666: what everybody who may read all of it has, in a file that belongs to `group`; at least 0600.
mode_t rightsOf(const QString& source, gid_t group);

// Takes rights away from a file that is open which the files of its source do not give.
void followRights(int file, const QString& source);

// From now on what this process writes, `target` first of all, has no rights that the source does not give: for
// commands that end thereafter.
void writeWithRightsOf(const QString& source, const QString& target);

}  // namespace longpole
