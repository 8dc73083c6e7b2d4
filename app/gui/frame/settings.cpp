// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/settings.h"

#include "analysis/results/results.h"
#include "app/common/userfolders.h"
#include "core/base/translate.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

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

QString usersFile() { return pathOf(UserFolder::Settings) + QStringLiteral("/longpole-gui.conf"); }

// What keeps the user from having settings there: an editor's command in them is run.
std::optional<Error> troubleWithFile()
{
    if (const Result<> made = makeFolder(UserFolder::Settings); !made) return made.error();
    struct stat status {};
    const QByteArray name = QFile::encodeName(usersFile());
    if (::stat(name.constData(), &status) != 0) return {};
    const bool isOurs = status.st_uid == ::geteuid() || status.st_uid == 0;  // an administrator's
    if (isOurs && S_ISREG(status.st_mode) && ::access(name.constData(), R_OK) == 0) return {};
    return Error{tr("The settings belong to somebody else. They are not used, and none are remembered."), usersFile(),
                 tr("Remove the file, or set XDG_CONFIG_HOME to another folder.")};
}

}  // namespace

Settings::Settings() : Settings(troubleWithFile()) {}

Settings::Settings(std::optional<Error> trouble)
    : m_trouble(std::move(trouble)),
      m_forgotten(m_trouble ? std::make_unique<ScratchFolder>(QStringLiteral("longpole-gui-")) : nullptr),
      m_settings(m_forgotten ? m_forgotten->filePath(QStringLiteral("settings.ini")) : usersFile(),
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
