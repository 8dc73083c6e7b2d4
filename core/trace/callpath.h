// SPDX-License-Identifier: GPL-3.0-or-later
// Where in the source a call was made: the tree of functions and call sites that the program's stacks make up.
#pragma once

#include <QString>

#include <cstdint>

namespace longpole {

constexpr std::uint32_t noCallPath = 0;  // ids begin at 1

// A function as it was called from `parent`, or a place in a function from which it calls another or MPI. Below a
// place there are functions, below a function its places. Parents have smaller ids.
struct CallPath {
    std::uint32_t id = noCallPath;
    std::uint32_t parent = noCallPath;  // noCallPath: the outermost function
    bool isPlace = false;
    QString function;  // of a place: in which it is; without symbols "[app]"
    QString file;      // of a place: path of the source as the compiler had it; without debug information "app+0x12a4"
    int line = 0;      // of a place: 0 is unknown
    QString module;    // base name of the program or library
};

}  // namespace longpole
