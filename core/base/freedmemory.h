// SPDX-License-Identifier: GPL-3.0-or-later
// How memory that was freed goes back to the system, for a program that outlives its work: by itself glibc keeps it.
#pragma once

namespace longpole {

// Before a thread begins: arrays of a quarter of a megabyte and more are mapped one by one from now on, so that they go
// back when they are freed.
void giveLargeArraysBack();
// The same for the small pieces that were freed so far. Milliseconds: for the end of work that took many of them.
void giveFreedMemoryBack();

}  // namespace longpole
