// SPDX-License-Identifier: GPL-3.0-or-later
// What a fuzz target holds its input's outcome to: a violation ends it, so that the fuzzer keeps the input.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace longpole {

inline void require(bool holds, const char* what)
{
    if (holds) return;
    std::fprintf(stderr, "violated: %s\n", what);
    std::abort();
}

}  // namespace longpole
