// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/userfolders.h"

#include "core/base/translate.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <array>
#include <cerrno>

#include <sys/stat.h>
#include <unistd.h>

namespace longpole {

namespace {

struct FolderWords {
    const char* variable;
    const char* inHome;
    const char* below;             // either of them
    const char* amongTemporaries;  // %1: the user
    const char* cannotBeCreated;
    const char* isOfOthers;
    const char* cannotBeWritten;
    const char* hint;
};

constexpr std::array<FolderWords, 3> folderWords{{
    {"XDG_CACHE_HOME", "/.cache", "/longpole", "/longpole-%1",
     QT_TRANSLATE_NOOP("longpole", "The cache folder cannot be created."),
     QT_TRANSLATE_NOOP("longpole", "The cache folder belongs to somebody else."),
     QT_TRANSLATE_NOOP("longpole", "The cache folder cannot be written."),
     QT_TRANSLATE_NOOP("longpole",
                       "Set XDG_CACHE_HOME to a folder that can be written, or use 'longpole import TRACE -o FILE'.")},
    {"XDG_DATA_HOME", "/.local/share", "/longpole/kept", "/longpole-%1-kept",
     QT_TRANSLATE_NOOP("longpole", "The folder of bookmarks cannot be created."),
     QT_TRANSLATE_NOOP("longpole", "The folder of bookmarks belongs to somebody else."),
     QT_TRANSLATE_NOOP("longpole", "The folder of bookmarks cannot be written."),
     QT_TRANSLATE_NOOP("longpole", "Set XDG_DATA_HOME to a folder that can be written.")},
    {"XDG_CONFIG_HOME", "/.config", "/longpole", "/longpole-%1-settings",
     QT_TRANSLATE_NOOP("longpole", "The folder of settings cannot be created. Settings are not remembered."),
     QT_TRANSLATE_NOOP("longpole", "The folder of settings belongs to somebody else. Settings are not remembered."),
     QT_TRANSLATE_NOOP("longpole", "The folder of settings cannot be written. Settings are not remembered."),
     QT_TRANSLATE_NOOP("longpole", "Set XDG_CONFIG_HOME to a folder that can be written.")},
}};

const FolderWords& texts(UserFolder folder) { return folderWords[static_cast<std::size_t>(folder)]; }

// Not by its name, which may lead elsewhere by now.
void makePrivate(const OpenFolder& folder)
{
    struct stat status {};
    if (::fstat(folder.descriptor(), &status) == 0 && status.st_uid == ::geteuid())
        ::fchmod(folder.descriptor(), status.st_mode & 0700);
}

Error wrong(UserFolder folder, const char* what) { return {tr(what), pathOf(folder), tr(texts(folder).hint)}; }

}  // namespace

// As the XDG specification has it, which leaves out relative folders. Without a home, as services and containers run,
// a folder of the user's own beside other temporary files.
QString pathOf(UserFolder folder)
{
    const FolderWords& words = texts(folder);
    const QString named = qEnvironmentVariable(words.variable), home = qEnvironmentVariable("HOME");
    if (QDir::isAbsolutePath(named)) return QString(named + QLatin1String(words.below));
    if (QDir::isAbsolutePath(home)) return QString(home + QLatin1String(words.inHome) + QLatin1String(words.below));
    return QString(QDir::tempPath() + QString::fromLatin1(words.amongTemporaries).arg(::geteuid()));
}

QString cacheNotice()
{
    const QString relative = tr("longpole: XDG_CACHE_HOME is no absolute path and is not used; the cache is %1\n");
    const QString temporary = tr("longpole: there is no HOME and no XDG_CACHE_HOME; the cache is %1\n");
    const QString cache = qEnvironmentVariable("XDG_CACHE_HOME");
    if (QDir::isAbsolutePath(cache)) return {};
    if (!cache.isEmpty()) return relative.arg(cacheFolder());
    return QDir::isAbsolutePath(qEnvironmentVariable("HOME")) ? QString() : temporary.arg(cacheFolder());
}

// The folder is the user's alone: it holds the names and the commands of programs.
Result<> checkFolder(UserFolder folder)
{
    const QString path = pathOf(folder);
    const QByteArray name = QFile::encodeName(path);
    struct stat named {
    }, status{};
    if (::lstat(name.constData(), &named) != 0) return Unit{};
    // A cache may be a link of the user's to another disk; among other people's temporary files it may not.
    const bool isTemporary = QDir::cleanPath(QFileInfo(path).path()) == QDir::cleanPath(QDir::tempPath());
    if (::stat(name.constData(), &status) != 0 || !S_ISDIR(status.st_mode) || (isTemporary && S_ISLNK(named.st_mode)))
        return wrong(folder, texts(folder).cannotBeCreated);
    const bool isOurs = named.st_uid == ::geteuid()
                        || (named.st_uid == 0 && S_ISLNK(named.st_mode));  // an administrator's
    if (!isOurs || status.st_uid != ::geteuid()) return wrong(folder, texts(folder).isOfOthers);
    if ((status.st_mode & 0077) != 0 && (status.st_mode & 0200) != 0) makePrivate(OpenFolder::named(path));
    return Unit{};
}

Result<> makeFolder(UserFolder folder)
{
    const QString path = pathOf(folder);
    if (!QDir().mkpath(QFileInfo(path).path())
        || (::mkdir(QFile::encodeName(path).constData(), 0700) != 0 && errno != EEXIST))
        return wrong(folder, texts(folder).cannotBeCreated);
    if (const Result<> checked = checkFolder(folder); !checked) return checked;
    if (!QFileInfo(path).isWritable()) return wrong(folder, texts(folder).cannotBeWritten);
    return Unit{};
}

Result<OpenFolder> openFolder(UserFolder folder)
{
    if (const Result<> checked = checkFolder(folder); !checked) return checked.error();
    OpenFolder open = OpenFolder::named(pathOf(folder));
    struct stat status {};
    if (!open.isValid() || ::fstat(open.descriptor(), &status) != 0 || status.st_uid != ::geteuid())
        return wrong(folder, texts(folder).isOfOthers);
    return open;
}

}  // namespace longpole
