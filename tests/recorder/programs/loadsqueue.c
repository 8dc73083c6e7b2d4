// SPDX-License-Identifier: GPL-3.0-or-later
// Loads a library that has Charm++ by itself, as Python does for charm4py: "global" or "local".
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **words)
{
    if (count < 3) return 1;
    void *library = dlopen(words[1], RTLD_NOW | (strcmp(words[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!library) return 2;
    void (*scheduler)(void) = (void (*)(void))dlsym(library, "scheduler");
    if (!scheduler) return 3;
    scheduler();
    puts("ended");
    return 0;
}
