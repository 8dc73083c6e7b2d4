// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a file of priorities, as "longpole advise --priorities" writes it, inside of a running program: JSON or CSV,
// told by what is in it. C++11 and nothing else, as it is compiled with the user's Charm++.
#ifndef LONGPOLE_PRIORITYTABLE_H
#define LONGPOLE_PRIORITYTABLE_H

#include <string>
#include <vector>

namespace longpole_module {

struct ListedPriority {
    long long number;  // of the entry method where the list was written; -1: not said
    std::string name;  // "Worker::chain_hop(int it, int hop)", UTF-8
    int priority;
};

// Returns what is wrong, as a sentence without a full stop; empty if nothing is. Then `rows` are the file's.
std::string readPriorityTable(const std::string &text, std::vector<ListedPriority> &rows);

// Names are compared without blanks, which compilers of interface files set differently.
std::string withoutBlanks(const std::string &name);

}  // namespace longpole_module

#endif
