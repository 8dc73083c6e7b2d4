// SPDX-License-Identifier: GPL-3.0-or-later
// The file that a writer fills, locked and under the name "<target>.part-<pid>", until it is complete and gets its own
// name. Unfinished ones are removed, those that dead processes left behind too, if name and content say that they are
// ours. Only the user can read it until it has its name.
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <optional>

#include <sys/types.h>

namespace longpole {

// The application id of a .longpole file that is being written: "LP0P".
constexpr std::uint32_t unfinishedMark = 0x4c503050;

class PartFile {
public:
    // Errors: the folder cannot be written; this process writes the same target already.
    static Result<PartFile> create(const QString& target);
    PartFile(PartFile&& other) noexcept;
    ~PartFile();  // removes it if it was not published

    const QString& path() const { return m_path; }
    // What is written goes here: in a folder that others may write in, the name may lead elsewhere.
    int descriptor() const { return m_descriptor; }
    Result<> sync();
    // Syncs the file, gives it its name and syncs the folder. The target is replaced at once or not at all.
    Result<> publish();

private:
    PartFile(int descriptor, QString path, QString target);
    int m_descriptor = -1;
    QString m_path;
    QString m_target;
};

// The rights of a new file: all may read and write it whom the mask of the process lets.
unsigned ordinaryMode();

// The rights of a file as those of one that belongs to `group`: it may do what everybody may, where the file belongs to
// another group, or has a list of users (an ACL), with which the bits of the group mean something else. Nothing if
// there is no such file.
std::optional<mode_t> rightsFor(gid_t group, const QString& path);

// The same without what is the group's alone.
constexpr mode_t withoutGroup(mode_t mode) { return (mode & 0707) | (mode & 07) << 3; }

// Whether the name is that of an ordinary file of the user's, no link.
bool isOwnFile(const QString& path);

// Whether anything has the name, be it a link that leads nowhere.
bool isTaken(const QString& path);

// Gives a file another name that nothing has, not even a link; QFile::rename() copies there, and follows one. Names
// count from the folders that are open, or as they are (AT_FDCWD). False: errno says why.
bool moveWithoutReplacing(int fromFolder, const QByteArray& from, int toFolder, const QByteArray& to);
bool moveWithoutReplacing(const QString& from, const QString& to);

// The rights of a new file as those of the user's own one that it is to replace: it takes its group where it may, and
// has no list where that has none (the folder gives one to all that is made in it). Nothing of a file of somebody
// else's: who puts his own there does not choose who may read the new one.
std::optional<mode_t> rightsToReplace(int descriptor, const QString& replaced);

// A file without a name in the target's folder, for bytes that have to wait; it is gone when its descriptor is closed.
// -1 on failure.
int openScratchFile(const QString& target);

}  // namespace longpole
