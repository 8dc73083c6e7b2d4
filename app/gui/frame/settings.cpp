// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/settings.h"

#include "analysis/results/results.h"
#include "app/common/userfolders.h"
#include "core/base/translate.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole {

namespace {

// Commands that are tried, and names of private runs, are nobody else's. A file that is there keeps its rights when it
// is written.
void makePrivate(const QString& name)
{
    constexpr auto own = QFile::ReadOwner | QFile::WriteOwner;
    QFile file(name);
    if (file.exists()) file.setPermissions(own);
    else if (QDir().mkpath(QFileInfo(name).path())) file.open(QIODevice::WriteOnly | QIODevice::NewOnly, own);
}

constexpr const char* fileName = "longpole-gui.conf";

// Holds the user's folder: an editor's command in the file there is run, and Qt reads it anew whenever it has changed,
// so that it must not come from whatever gets the folder's name. A link there may be the user's to a file of settings
// elsewhere. Errors: there is no folder, or it, the file in it, or a link of the file's name is somebody else's.
Result<OpenFolder> usersFolder()
{
    if (const Result<> made = makeFolder(UserFolder::Settings); !made) return made.error();
    const QString named = pathOf(UserFolder::Settings);
    Result<OpenFolder> opened = openFolder(UserFolder::Settings);
    if (!opened) return opened.error();
    OpenFolder folder = std::move(*opened);
    struct stat status {};
    const auto isOurs = [&] { return status.st_uid == ::geteuid() || status.st_uid == 0; };  // or an administrator's
    const auto isThere = [&](int flags) { return ::fstatat(folder.descriptor(), fileName, &status, flags) == 0; };
    const auto isReadable = [&] { return ::faccessat(folder.descriptor(), fileName, R_OK, 0) == 0; };
    if (!isOpenAt(folder.path(), folder.descriptor()))
        return Error{tr("Settings cannot be kept safely, as /proc is not there: none are remembered."), named, {}};
    if (!isThere(AT_SYMLINK_NOFOLLOW)) return folder;
    if (isOurs() && (!isThere(0) || (isOurs() && S_ISREG(status.st_mode) && isReadable()))) return folder;
    return Error{tr("The settings belong to somebody else. They are not used, and none are remembered."),
                 named + QLatin1Char('/') + QLatin1String(fileName),
                 tr("Remove the file, or set XDG_CONFIG_HOME to another folder.")};
}

// Of a file that is gone with the window; without a place for one a name that no file system takes.
QString forgottenFile(const ScratchFolder& folder)
{
    constexpr int tooLong = 4096;
    return folder.isValid() ? folder.filePath(QStringLiteral("settings.ini"))
                            : QString(QLatin1Char('/') + QString(tooLong, QLatin1Char('x')));
}

}  // namespace

Settings::Settings() : Settings(usersFolder()) {}

Settings::Settings(Result<OpenFolder> folder)
    : m_trouble(folder ? std::nullopt : std::optional(folder.error())),
      m_folder(folder ? std::move(*folder) : OpenFolder()),
      m_forgotten(m_trouble ? std::make_unique<ScratchFolder>(QStringLiteral("longpole-gui-")) : nullptr),
      m_settings(m_forgotten ? forgottenFile(*m_forgotten)
                             : QString(m_folder.path() + QLatin1Char('/') + QLatin1String(fileName)),
                 QSettings::IniFormat)
{
    makePrivate(m_settings.fileName());
}

Settings::Settings(const QString& file) : m_settings(file, QSettings::IniFormat) { makePrivate(file); }

ThemeChoice Settings::theme() const { return themeChoiceFrom(m_settings.value(QLatin1String("theme")).toString()); }

void Settings::setTheme(ThemeChoice choice) { m_settings.setValue(QLatin1String("theme"), toText(choice)); }

std::int64_t Settings::answerBytes() const
{
    bool isNumber = false;
    const qlonglong megabytes = m_settings.value(QLatin1String("memory/answers_mb")).toLongLong(&isNumber);
    constexpr qlonglong most = 1 << 20;
    return isNumber && megabytes > 0 ? std::min(megabytes, most) << 20 : Results::usualCapacity;
}

QStringList Settings::recent() const { return m_settings.value(QLatin1String("recent")).toStringList(); }

void Settings::addRecent(const QString& path)
{
    const QString absolute = QFileInfo(path).absoluteFilePath();
    QStringList paths = recent();
    paths.removeAll(absolute);
    paths.prepend(absolute);
    m_settings.setValue(QLatin1String("recent"), QStringList(paths.mid(0, recentLimit)));
}

void Settings::clearRecent() { m_settings.remove(QLatin1String("recent")); }

QStringList Settings::sourceFolders() const { return m_settings.value(QLatin1String("source/folders")).toStringList(); }

void Settings::setSourceFolders(const QStringList& folders)
{
    m_settings.setValue(QLatin1String("source/folders"), folders);
}

QByteArray Settings::layout(const QString& name) const
{
    return m_settings.value(QString(QLatin1String("layout/") % name)).toByteArray();
}

void Settings::setLayout(const QString& name, const QByteArray& state)
{
    m_settings.setValue(QString(QLatin1String("layout/") % name), state);
}

bool Settings::flag(const QString& name, bool otherwise) const
{
    return m_settings.value(QString(QLatin1String("flag/") % name), otherwise).toBool();
}

void Settings::setFlag(const QString& name, bool on)
{
    m_settings.setValue(QString(QLatin1String("flag/") % name), on);
}

QString Settings::text(const QString& name) const
{
    return m_settings.value(QString(QLatin1String("text/") % name)).toString();
}

void Settings::setText(const QString& name, const QString& text)
{
    m_settings.setValue(QString(QLatin1String("text/") % name), text);
}

ColourMemory Settings::colours() const
{
    // More names of a palette, or of the user's own colours, are left out: the library compares each with all others.
    constexpr int most = 4000;
    int names = 0;
    const auto isKept = [&names](int depth, JsonValue::parse_event_t event, const JsonValue&) {
        if (event != JsonValue::parse_event_t::key) return true;
        if (depth == 1) names = 0;
        return depth == 1 || ++names <= most;
    };
    const std::string json = m_settings.value(QLatin1String("colours")).toString().toStdString();
    return ColourMemory::fromJson(JsonValue::parse(json, isKept, false));
}

void Settings::setColours(const ColourMemory& colours)
{
    m_settings.setValue(QLatin1String("colours"), QString::fromStdString(colours.toJson().dump()));
}

void Settings::removeFlag(const QString& name) { m_settings.remove(QString(QLatin1String("flag/") % name)); }

}  // namespace longpole
