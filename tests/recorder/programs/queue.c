// SPDX-License-Identifier: GPL-3.0-or-later
// What liblongpole-charm.so stands before in a library of Charm++: its queue, and where entry methods are registered.
#include <stdio.h>

void CqsEnqueueGeneral(void *queue, void *message, int strategy, int bits, unsigned *priority)
{
    (void)queue, (void)message, (void)bits, (void)priority;
    printf("queued %d\n", strategy);
}

void scheduler(void)
{
    CqsEnqueueGeneral(0, 0, 1, 0, 0);
    CqsEnqueueGeneral(0, 0, 2, 0, 0);
}
