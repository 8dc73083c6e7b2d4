// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the program of a recording still runs, as far as this machine can tell.
#pragma once

#include <QByteArray>
#include <QString>

#include <cstdint>

namespace longpole {

enum class RunState : std::uint8_t {
    Unknown,  // nothing has begun there yet, or it was on another machine, or before this one was started
    Running,
    Ended,
    Gone  // its process is not there any more, and has closed nothing: killed
};

struct FollowedRun {
    RunState state = RunState::Unknown;
    bool hasTrace = true;      // else only its path was followed
    bool isElsewhere = false;  // it has not ended, and was on another machine
};

// Of this machine since it was started; empty: unknown.
QByteArray bootId();

// The folder of a run, of which that or a file in it was named.
QString runFolder(const QString& path);

// `folder`: of a recording. Asks for the process of rank 0: where that is in another container, it is taken for gone.
FollowedRun followedRun(const QString& folder);
// The same of the process of any rank, by its file.
FollowedRun followedRank(const QString& file);

}  // namespace longpole
