// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/freedmemory.h"

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace longpole {

void giveLargeArraysBack()
{
#ifdef __GLIBC__
    constexpr int mappedFrom = 256 << 10;  // bytes; to set it ends glibc's own raising of it
    constexpr int mostArenas = 4;
    // No thread has begun yet.
    ::mallopt(M_MMAP_THRESHOLD, mappedFrom);  // NOLINT(concurrency-mt-unsafe)
    ::mallopt(M_ARENA_MAX, mostArenas);       // NOLINT(concurrency-mt-unsafe)
#endif
}

void giveFreedMemoryBack()
{
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)  // which has memory of its own
    ::malloc_trim(0);
#endif
}

}  // namespace longpole
