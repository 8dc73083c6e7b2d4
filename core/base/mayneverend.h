// SPDX-License-Identifier: GPL-3.0-or-later
// Tells what is no ordinary file of this machine, so that nobody waits for the end of a pipe, a device or a file of the
// kernel's, or has another machine asked because a stranger's file says so.
#pragma once

#include <QString>

#include <cstdint>

namespace longpole {

enum class Leads : std::uint8_t { Here, ToKernel, ToOtherHost };

// Where a path that a stranger's file or folder names leads to: to an ordinary place of this machine (or to none), to
// files of the kernel's (/proc, /sys), or to another machine than the one that `named`, or the user's home, is on.
// `named` is what the user has named himself: as far as the path begins like it, it may lead anywhere. From there on
// the path is walked part by part as the kernel does, but with readlink() alone, and the walk ends before the first
// part that is elsewhere: nobody is asked. One with ".." is also walked as Qt cleans it. More links than the kernel
// follows, or parts than any way has, lead elsewhere. `named` is empty: the user has named nothing.
Leads whereLeads(const QString& path, const QString& named);

// Whether the last part of the path is a link that leads to another machine, where the user, or the folder that was
// listed, has named the rest.
bool leadsToOtherHost(const QString& path);

// Whether the last part of the path is an ordinary file, or a link to one, and leads to no other machine.
bool isFileHere(const QString& path);

// Whether there is something at `path` that is no ordinary file, or whose last part is a link to files of the kernel's,
// which say nothing about how long they are, or to another machine.
bool mayNeverEnd(const QString& path);

// The place under which a path is another machine's: asking for it alone can reach that machine, or have its disks
// mounted. "/net/host"; empty: it is of this machine. Looks at the text only.
QString otherHostOf(const QString& path);

// Whether a path that stands in the file `from` may be looked at before the user asks for it: whereLeads() from the
// folder on that `from` is in; empty: from the root.
bool mayFollow(const QString& path, const QString& from);

}  // namespace longpole
