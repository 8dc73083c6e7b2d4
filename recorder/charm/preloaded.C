// SPDX-License-Identifier: GPL-3.0-or-later
// Where the module begins in a program that was not linked with it, but preloads it.
#include "preload.h"

#include "charm++.h"
#include "queueing.h"

#include <atomic>

extern void _registerlongpole(void);
extern "C" void __wrap_CqsEnqueueGeneral(Queue, void *, int, int, unsigned int *);

namespace {
std::atomic<longpole_module::Enqueue> charmsOwn(nullptr);
}

extern "C" void __real_CqsEnqueueGeneral(Queue queue, void *message, int strategy, int bits, unsigned int *priority)
{
    charmsOwn.load(std::memory_order_relaxed)(queue, message, strategy, bits, priority);
}

extern "C" longpole_module::Enqueue longpole_begin_preloaded(longpole_module::Enqueue charms)
{
    if (CmiMyRank() == 0) {  // the others wait for it before they count entry methods
        charmsOwn.store(charms, std::memory_order_relaxed);
        _registerlongpole();
    }
    return reinterpret_cast<longpole_module::Enqueue>(__wrap_CqsEnqueueGeneral);
}
