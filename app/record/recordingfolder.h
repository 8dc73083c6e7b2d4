// SPDX-License-Identifier: GPL-3.0-or-later
// The folder to which a recording is written: makes it, and counts the files in it.
#pragma once

#include "core/base/result.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <utility>

namespace longpole {

struct RecordedFolder {
    qsizetype ranks = 0;    // rank-000003.lprank
    bool hasIndex = false;  // index.lpindex: the program came to MPI_Finalize
    std::int64_t bytes = 0;
    // Not only files that were begun when the disk was full.
    bool holdsEvents() const;
};

RecordedFolder recordedFolder(const QString& folder);
// All that the recorder has written there, by their whole paths: those, and what a run with --online has.
QStringList filesOfRecording(const QString& folder);

// Folders of recordings beside "run.lprec" that are called "run-2.lprec" and so on, by number: where the recorder puts
// the second program that calls MPI_Init in one command.
QStringList recordingsBeside(const QString& folder);

// A folder as long as a command records into it: no other command does. On one machine by a lock, which ends with its
// process; those of other machines, which may see none of its locks, by a file in the folder that says who holds it.
class LockedFolder {
public:
    explicit LockedFolder(const QString& folder);
    ~LockedFolder();
    LockedFolder(LockedFolder&& other) noexcept
        : m_named(std::move(other.m_named)), m_descriptor(std::exchange(other.m_descriptor, -1)),
          m_note(std::exchange(other.m_note, {})), m_holder(std::move(other.m_holder)), m_isOthers(other.m_isOthers),
          m_isNoFolder(other.m_isNoFolder)
    {
    }
    LockedFolder& operator=(LockedFolder&&) = delete;

    bool isNoFolder() const { return m_isNoFolder; }
    bool isOthers() const { return m_isOthers; }        // another command holds it
    const QString& holder() const { return m_holder; }  // the machine of that one, if it is another one
    void letGo();                                       // the recording is complete
    // Leads to it, whatever has got its name meanwhile: where /proc is there, and it may be read. Else its name.
    QString path() const;
    bool isOpen() const;  // whether that is so

private:
    bool leaveNote(bool isLocked);

    QString m_named;
    int m_descriptor;
    QString m_note{};  // the file that this one has left
    QString m_holder{};
    bool m_isOthers = false;
    bool m_isNoFolder = false;
};

// Makes an empty folder for the user alone; one that is there keeps its rights. One that has something in it is
// refused; with `replace`, an earlier recording is set aside in it, if there is nothing else. To be held until the
// recording is complete. Errors: a link, something else lies there, another command or a program writes it, no
// permission.
Result<LockedFolder> makeRecordingFolder(const QString& folder, bool replace);
// What was set aside is removed if there is a new recording with events, and put back if there is none.
void settleEarlier(const QString& folder);

}  // namespace longpole
