// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/record/recordingfolder.h"

#include "app/record/runstate.h"
#include "core/base/mayneverend.h"
#include "core/base/translate.h"
#include "recorder/format/format.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include <cerrno>
#include <map>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole {

namespace {

bool isRankFile(const QString& name)
{
    static const QRegularExpression rank(QStringLiteral("^rank-[0-9]+\\.lprank$"));
    return rank.match(name).hasMatch();
}

bool isIndex(const QString& name) { return name == QLatin1String("index.lpindex"); }

// Of a run with --online.
bool isOfPath(const QString& name)
{
    return name == QLatin1String("online.jsonl") || name == QLatin1String("online.control");
}

// Of programs that others started (recorder/storage/spawnfiles.h).
bool isOfSpawned(const QString& name)
{
    static const QRegularExpression spawned(
        QStringLiteral("^spawned-[0-9]+$|^spawn-[-0-9]+\\.(open|here-[0-9a-f]+-[0-9]+|ranks)$"));
    return spawned.match(name).hasMatch();
}

bool isOfRecording(const QString& name)
{
    return isIndex(name) || isRankFile(name) || isOfPath(name) || isOfSpawned(name);
}

QFileInfoList entries(const QString& folder)
{
    return QDir(folder).entryInfoList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
}

// In the folder itself, where the recording that is to be replaced lies meanwhile.
QString asideIn(const QString& folder) { return QDir(folder).filePath(QStringLiteral(".earlier")); }

Result<> setAside(const QString& folder, const QFileInfoList& files)
{
    const QString aside = asideIn(folder);
    bool isMoved = ::mkdir(QFile::encodeName(aside).constData(), 0700) == 0;
    for (const QFileInfo& file : files)
        isMoved = isMoved && QFile::rename(file.filePath(), QDir(aside).filePath(file.fileName()));
    if (isMoved) return Unit{};
    settleEarlier(folder);
    return Error{tr("The earlier recording cannot be replaced."), folder, {}};
}

// Those that are on the folder's own machine: nothing is asked about others.
QFileInfoList entriesHere(const QString& folder)
{
    QFileInfoList here = entries(folder);
    here.removeIf([](const QFileInfo& file) { return leadsToOtherHost(file.filePath()); });
    return here;
}

}  // namespace

bool RecordedFolder::holdsEvents() const { return ranks > 0 && bytes > ranks * std::int64_t{LP_FIRST_FRAME}; }

RecordedFolder recordedFolder(const QString& folder)
{
    RecordedFolder found;
    for (const QFileInfo& file : entriesHere(folder)) {
        if (isIndex(file.fileName())) found.hasIndex = true;
        else if (isRankFile(file.fileName())) ++found.ranks;
        else continue;
        found.bytes += file.size();
    }
    return found;
}

QStringList filesOfRecording(const QString& folder)
{
    QStringList files;
    for (const QFileInfo& file : entriesHere(folder))
        if (isOfRecording(file.fileName())) files << file.absoluteFilePath();
    return files;
}

QStringList recordingsBeside(const QString& folder)
{
    // In a shared folder somebody else's may have got such a name meanwhile, or a link to it.
    const auto isOwn = [](const QFileInfo& other) {
        return !other.isSymLink() && other.isDir() && other.ownerId() == ::geteuid();
    };
    const QFileInfo info(folder);
    const QString stem = info.completeBaseName();
    const QString ending = info.suffix().isEmpty() ? QString() : QString(QLatin1Char('.') + info.suffix());
    const QRegularExpression numbered(QLatin1Char('^') + QRegularExpression::escape(stem)
                                      + QStringLiteral("-([0-9]{1,5})") + QRegularExpression::escape(ending)
                                      + QLatin1Char('$'));
    std::map<int, QString> found;
    for (const QFileInfo& other : entriesHere(info.path()))
        if (const auto match = numbered.match(other.fileName()); match.hasMatch() && isOwn(other))
            if (recordedFolder(other.filePath()).ranks > 0) found[match.captured(1).toInt()] = other.filePath();
    QStringList folders;
    for (const auto& [number, path] : found) folders << QDir::cleanPath(path);
    return folders;
}

void settleEarlier(const QString& folder)
{
    const QFileInfo aside(asideIn(folder));
    if (!aside.isDir() || aside.isSymLink()) return;
    const bool isReplaced = recordedFolder(folder).holdsEvents();
    if (!isReplaced)
        for (const QString& begun : filesOfRecording(folder)) QFile::remove(begun);
    for (const QFileInfo& file : entries(aside.filePath())) {
        if (!isOfRecording(file.fileName()) || file.isDir()) continue;
        if (isReplaced) QFile::remove(file.filePath());
        else QFile::rename(file.filePath(), QDir(folder).filePath(file.fileName()));
    }
    QDir().rmdir(aside.filePath());
}

LockedFolder::LockedFolder(const QString& folder)
    : m_descriptor(::open(QFile::encodeName(folder).constData(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
{
    m_isOthers = m_descriptor >= 0 && ::flock(m_descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

LockedFolder::~LockedFolder()
{
    if (m_descriptor >= 0) ::close(m_descriptor);
}

Result<LockedFolder> makeRecordingFolder(const QString& folder, bool replace)
{
    const QFileInfo info(folder);
    if (info.isSymLink())
        return Error{tr("This is a link; it is left as it is."), folder,
                     tr("Name the folder itself: %1.").arg(info.symLinkTarget())};
    if (info.exists() && !info.isDir())
        return Error{tr("A recording is a folder, and this is a file."), folder, tr("Choose another name with -o.")};
    if (!QDir().mkpath(QFileInfo(info.absoluteFilePath()).path())
        || (::mkdir(QFile::encodeName(folder).constData(), 0700) != 0 && errno != EEXIST))
        return Error{tr("The folder cannot be made."), folder, {}};
    LockedFolder held(folder);
    if (held.isOthers())
        return Error{tr("Another command records into this folder."), folder,
                     tr("Wait for its end, or choose another name with -o.")};
    for (const QString& file : filesOfRecording(folder))  // the first rank may be one of another machine
        if (isRankFile(QFileInfo(file).fileName()) && followedRank(file).state == RunState::Running)
            return Error{tr("A program that still runs writes this recording."), folder,
                         tr("Wait for its end, or choose another name with -o.")};
    settleEarlier(folder);  // of a command that was killed
    const QFileInfoList earlier = entries(folder);
    for (const QFileInfo& file : earlier)
        if (file.isDir() || !isOfRecording(file.fileName()))
            return Error{tr("The folder has something else in it: %1.").arg(file.fileName()), folder,
                         tr("Choose another name with -o.")};
    if (!earlier.isEmpty() && !replace)
        return Error{tr("There is a recording already."), folder,
                     tr("Choose another name with -o, or replace it with --force.")};
    if (!earlier.isEmpty())
        if (const Result<> moved = setAside(folder, earlier); !moved) return moved.error();
    if (!QFileInfo(folder).isWritable()) return Error{tr("The folder cannot be written to."), folder, {}};
    return held;
}

}  // namespace longpole
