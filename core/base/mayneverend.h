// SPDX-License-Identifier: GPL-3.0-or-later
// Tells what is no ordinary file, so that nobody waits for the end of a pipe, a device or a file of the kernel's.
#pragma once

#include <QString>

namespace longpole {

// Whether there is something at `path` that is no ordinary file, or a link into /proc or /sys, whose files say nothing
// about how long they are. A path that the user types may lead there without a link.
bool mayNeverEnd(const QString& path);

// Whether the path leads into /proc or /sys, with links or without: for paths that files name.
bool isOfTheKernel(const QString& path);

}  // namespace longpole
