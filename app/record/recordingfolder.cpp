// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/record/recordingfolder.h"

#include "app/common/openfolder.h"
#include "app/record/runstate.h"
#include "core/base/mayneverend.h"
#include "core/base/partfile.h"
#include "core/base/translate.h"
#include "recorder/format/format.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QList>
#include <QRegularExpression>
#include <QSysInfo>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <map>
#include <vector>

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

QFileInfoList entries(const QString& folder) { return QDir(folder).entryInfoList(everything); }

// In the folder itself, where the recording that is to be replaced lies meanwhile: all of it, or nothing.
constexpr const char* asideName = ".earlier";
// A part of it, on the way there or back. Whoever finds it moves it back: the rest is in the folder.
constexpr const char* underWayName = ".earlier.part";

// Who records into the folder: "host boot-id pid".
constexpr QLatin1String noteName(".recorded-by");

// As the recorder has it (recorder/storage/folder.c): to root a folder of its own may look like somebody else's.
bool isOwnFolder(const QString& folder)
{
    struct stat status {};
    if (::stat(QFile::encodeName(folder).constData(), &status) != 0) return false;
    return status.st_uid == ::geteuid() || (::geteuid() == 0 && (status.st_mode & 022) == 0);
}

bool renamesFolder(const OpenFolder& in, const char* from, const char* to)
{
    return ::renameat(in.descriptor(), from, in.descriptor(), to) == 0;
}

// `named`: what errors name.
Result<> setAside(const QString& folder, const QString& named, const QFileInfoList& files)
{
    const OpenFolder open = OpenFolder::named(folder);
    bool isMoved = ::mkdirat(open.descriptor(), underWayName, 0700) == 0;
    const OpenFolder underWay = OpenFolder::ownIn(open.descriptor(), underWayName);
    isMoved = isMoved && underWay.isValid();
    for (const QFileInfo& file : files) {
        const QByteArray name = QFile::encodeName(file.fileName());
        isMoved = isMoved && moveWithoutReplacing(open.descriptor(), name, underWay.descriptor(), name);
    }
    if (isMoved && renamesFolder(open, underWayName, asideName)) return Unit{};
    settleEarlier(folder);
    return Error{tr("The earlier recording cannot be replaced."), named, {}};
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
    const OpenFolder open = OpenFolder::named(folder);
    const auto recordingIn = [](const QString& path) {
        std::vector<QByteArray> files;
        for (const QFileInfo& file : entries(path))
            if (isOfRecording(file.fileName()) && (file.isSymLink() || !file.isDir()))
                files.push_back(QFile::encodeName(file.fileName()));
        return files;
    };
    const auto moveBack = [&](const OpenFolder& underWay) {
        for (const QByteArray& name : recordingIn(underWay.path()))
            moveWithoutReplacing(underWay.descriptor(), name, open.descriptor(), name);
        ::unlinkat(open.descriptor(), underWayName, AT_REMOVEDIR);
    };
    if (const OpenFolder underWay = OpenFolder::ownIn(open.descriptor(), underWayName); underWay.isValid())
        return moveBack(underWay);
    const OpenFolder aside = OpenFolder::ownIn(open.descriptor(), asideName);
    if (!aside.isValid()) return;
    if (recordedFolder(open.path()).holdsEvents()) {
        for (const QByteArray& name : recordingIn(aside.path())) ::unlinkat(aside.descriptor(), name.constData(), 0);
        ::unlinkat(open.descriptor(), asideName, AT_REMOVEDIR);
        return;
    }
    for (const QByteArray& begun : recordingIn(open.path())) ::unlinkat(open.descriptor(), begun.constData(), 0);
    // It is another name of what is open, or whatever somebody else has put there.
    if (renamesFolder(open, asideName, underWayName)) moveBack(aside);
}

LockedFolder::LockedFolder(const QString& folder)
    : m_named(folder),
      m_descriptor(::open(QFile::encodeName(folder).constData(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
{
    m_isNoFolder = m_descriptor < 0 && (errno == ELOOP || errno == ENOTDIR || errno == ENOENT);
    if (m_isNoFolder) return;
    const bool isLocked = m_descriptor >= 0 && ::flock(m_descriptor, LOCK_EX | LOCK_NB) == 0;
    m_isOthers = m_descriptor >= 0 && !isLocked && errno == EWOULDBLOCK;
    if (!m_isOthers) m_isOthers = !leaveNote(isLocked);
}

// False if another command that may still be there has left one.
bool LockedFolder::leaveNote(bool isLocked)
{
    const QByteArray boot = bootId(), host = QSysInfo::machineHostName().toUtf8().replace(' ', '-');
    if (m_descriptor < 0 || boot.isEmpty()) return true;
    constexpr qint64 longest = 1024;
    const QString path = QDir(this->path()).filePath(noteName);
    const QByteArray name = QFile::encodeName(path);
    const QFileInfo info(path);
    if (info.isFile() && !info.isSymLink() && info.size() <= longest) {
        QFile left(path);
        const QList<QByteArray> words = left.open(QIODevice::ReadOnly) ? left.read(longest).trimmed().split(' ')
                                                                       : QList<QByteArray>();
        if (words.size() == 3 && words[0] != host && words[1] != boot) {
            m_holder = QString::fromUtf8(words[0]);
            return false;
        }
        const auto pid = static_cast<pid_t>(words.size() == 3 && words[1] == boot ? words[2].toInt() : 0);
        if (!isLocked && pid > 0 && pid != ::getpid() && ::kill(pid, 0) == 0) return false;
        ::unlink(name.constData());  // of one that was killed
    }
    // Written before it has its name: an empty note would be taken for that of one that was killed.
    QByteArray beside = name + ".XXXXXX";
    const int file = ::mkostemp(beside.data(), O_CLOEXEC);
    if (file < 0) return true;  // the folder may be one that cannot be written, which is said elsewhere
    const QByteArray text = host + ' ' + boot + ' ' + QByteArray::number(qlonglong{::getpid()}) + '\n';
    const bool isWritten = ::write(file, text.constData(), static_cast<std::size_t>(text.size())) == text.size();
    ::fchmod(file, ordinaryMode());  // no secret
    ::close(file);
    const bool isNamed = isWritten && ::link(beside.constData(), name.constData()) == 0;
    const bool isOthers = isWritten && !isNamed && errno == EEXIST;
    ::unlink(beside.constData());
    if (isNamed) m_note = path;
    return !isOthers;  // without a note where there is no room, or where files have one name only
}

bool LockedFolder::isOpen() const { return m_descriptor >= 0 && isOpenAt(pathOfOpen(m_descriptor), m_descriptor); }
QString LockedFolder::path() const { return isOpen() ? pathOfOpen(m_descriptor) : m_named; }

LockedFolder::~LockedFolder() { letGo(); }

void LockedFolder::letGo()
{
    if (const QString note = std::exchange(m_note, {}); !note.isEmpty()) ::unlink(QFile::encodeName(note).constData());
    if (const int descriptor = std::exchange(m_descriptor, -1); descriptor >= 0) ::close(descriptor);
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
    if (!isOwnFolder(folder))
        return Error{tr("The folder belongs to somebody else."), folder, tr("Choose another name with -o.")};
    LockedFolder held(folder);
    if (held.isNoFolder())  // a link has come meanwhile
        return Error{tr("This is no folder, or a link."), folder, tr("Choose another name with -o.")};
    if (held.isOthers())
        return Error{tr("Another command records into this folder."), folder,
                     held.holder().isEmpty()
                         ? tr("Wait for its end, or choose another name with -o.")
                         : tr("It began on %1. Wait for its end, or choose another name with -o. If "
                              "it was killed, remove %2.")
                               .arg(held.holder(), QDir(folder).filePath(noteName))};
    const QString inside = held.path();
    if (!isOwnFolder(inside))
        return Error{tr("The folder belongs to somebody else."), folder, tr("Choose another name with -o.")};
    for (const QString& file : filesOfRecording(inside)) {  // the first rank may be one of another machine
        if (!isRankFile(QFileInfo(file).fileName())) continue;
        const FollowedRun rank = followedRank(file);
        if (rank.state == RunState::Running)
            return Error{tr("A program that still runs writes this recording."), folder,
                         tr("Wait for its end, or choose another name with -o.")};
        constexpr qint64 recently = 600;  // seconds
        if (rank.isElsewhere && QFileInfo(file).lastModified().secsTo(QDateTime::currentDateTime()) < recently)
            return Error{
                tr("A program on another machine may still write this recording: it has not ended, and wrote "
                   "within the last ten minutes."),
                folder,
                tr("Wait for its end, or choose another name with -o. If it was killed, remove %1.").arg(folder)};
    }
    // By name it could be another one at any time.
    const Error isNotOpen{tr("An earlier recording cannot be replaced safely: the folder may not be read, or /proc is "
                             "not there."),
                          folder, tr("Choose another name with -o.")};
    const auto isLeft = [&inside](const char* name) { return isTaken(QDir(inside).filePath(QLatin1String(name))); };
    if (!held.isOpen() && (isLeft(asideName) || isLeft(underWayName))) return isNotOpen;
    settleEarlier(inside);  // of a command that was killed
    QFileInfoList earlier = entries(inside);
    earlier.removeIf([](const QFileInfo& file) { return file.fileName().startsWith(noteName); });
    for (const QFileInfo& file : earlier)
        if (file.isDir() || !isOfRecording(file.fileName()))
            return Error{tr("The folder has something else in it: %1.").arg(file.fileName()), folder,
                         tr("Choose another name with -o.")};
    if (!earlier.isEmpty() && !replace)
        return Error{tr("There is a recording already."), folder,
                     tr("Choose another name with -o, or replace it with --force.")};
    if (!earlier.isEmpty() && !held.isOpen()) return isNotOpen;
    if (!earlier.isEmpty())
        if (const Result<> moved = setAside(inside, folder, earlier); !moved) return moved.error();
    if (!QFileInfo(folder).isWritable()) return Error{tr("The folder cannot be written to."), folder, {}};
    return held;
}

}  // namespace longpole
