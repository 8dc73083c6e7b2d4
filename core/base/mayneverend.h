// SPDX-License-Identifier: GPL-3.0-or-later
// Tells what is no ordinary file of this machine, so that nobody waits for the end of a pipe, a device or a file of the
// kernel's, or has another machine asked because a stranger's file says so.
#pragma once

#include <QString>

namespace longpole {

// Whether the last part of the path is a link that leads to another machine, other than the one that its folder is on:
// by the names that it leads through, so that nobody is asked. A path that the user types may lead there without one.
bool leadsToOtherHost(const QString& path);

// Whether there is something at `path` that is no ordinary file, or a link into /proc or /sys, whose files say nothing
// about how long they are, or to another machine. A path that the user types may lead there without a link.
bool mayNeverEnd(const QString& path);

// Whether the path leads into /proc or /sys, with links or without: for paths that files name.
bool isOfTheKernel(const QString& path);

// The place under which a path is another machine's: asking for it alone can reach that machine, or have its disks
// mounted. "/net/host"; empty: it is of this machine. Looks at the text only.
QString otherHostOf(const QString& path);

// Whether a path that stands in the file `from` may be looked at before the user asks for it: it does not lead into the
// kernel, nor to another machine but the one that `from` is on.
bool mayFollow(const QString& path, const QString& from);

}  // namespace longpole
