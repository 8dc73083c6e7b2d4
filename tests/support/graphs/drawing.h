// SPDX-License-Identifier: GPL-3.0-or-later
// Small activity graphs as drawings: one line a processor, one character one nanosecond, messages named below.
#pragma once

#include "analysis/graph/activitygraph.h"

#include <QByteArray>
#include <QString>

#include <memory>
#include <vector>

namespace longpole {

// A drawing is text such as
//
//     0: AAAAAAAAAA...
//     1: ..BBBBBBCCDDD
//     A@2 > B ~3
//     A > C
//     C@1 >> D
//     entry work: B C
//     E at 1:9
//
// Lines "pe: ..." draw the tasks: a letter or digit is a task, as long as its run of characters; a point is nothing.
// All lines start at time 0; the run ends with the longest line. "A@2 > B" is a message sent 2 ns after the begin of A
// that started B; without @ it is sent at A's end; "~3" says that it was received at time 3. "C@1 >> D" is a recorded
// merge: D also needed C to have run for 1 ns. "entry NAME: tasks" gives tasks a common entry method; otherwise each
// has its own, numbered by its letter. "E at 1:9" adds a task of length 0. "ranks" makes it an MPI run, in which points
// are calls.
struct Drawing {
    std::vector<RawTask> tasks;
    TimeRange run;
    std::uint32_t processors = 0;
    std::vector<std::pair<char, TaskId>> names;
    std::vector<std::pair<QByteArray, EntryId>> entries;
    std::vector<RawMerge> merges;
    bool hasRanks = false;

    TaskId operator[](char name) const;     // invalid if there is no such task
    char nameOf(TaskId id) const;           // '?' if there is none
    EntryId entry(const char* name) const;  // of "entry NAME: ...", or of a task's name
    std::shared_ptr<const ActivityGraph> graph() const
    {
        return makeActivityGraph(tasks, run, processors, merges, hasRanks);
    }
};

Drawing draw(const char* text);

}  // namespace longpole
