// SPDX-License-Identifier: GPL-3.0-or-later
// Paths of the command line whose bytes are no UTF-8, as old archives have them: Qt cannot name them, descriptors can.
#pragma once

#include <QByteArray>

#include <vector>

namespace longpole {

struct ReplacedArgument {
    QByteArray typed;
    QByteArray path;  // "/proc/self/fd/7", or "/proc/self/fd/7/x.json" for what is in a folder
};

// Replaces each argument that is no UTF-8 and names a file or folder, or something in a folder, by a path through a
// descriptor, which stays open until the program ends. Others stay as they are. Returns what was replaced.
std::vector<ReplacedArgument> replaceByDescriptors(int argc, char** argv);

}  // namespace longpole
