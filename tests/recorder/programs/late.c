// SPDX-License-Identifier: GPL-3.0-or-later
// A program without MPI that loads a module with MPI for itself alone, as Python does.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!module) {
        fputs(dlerror(), stderr);
        return 1;
    }
    int (*run)(int, char **) = (int (*)(int, char **))dlsym(module, "main");
    return run(argc - 1, argv + 1);
}
