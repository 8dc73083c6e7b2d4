// SPDX-License-Identifier: GPL-3.0-or-later
// How the preloaded library and the module that it loads find each other.
#ifndef LONGPOLE_PRELOAD_H
#define LONGPOLE_PRELOAD_H

namespace longpole_module {

// Puts a message into a queue of Charm++'s scheduler: CqsEnqueueGeneral.
typedef void (*Enqueue)(void *queue, void *message, int strategy, int bits, unsigned int *priority);

// The module's longpole_begin_preloaded, called on every PE: takes Charm++'s own and returns what stands before it.
typedef Enqueue (*BeginPreloaded)(Enqueue charms);

}  // namespace longpole_module

#endif
