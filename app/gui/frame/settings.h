// SPDX-License-Identifier: GPL-3.0-or-later
// What the program remembers between runs: theme, layout and recent traces.
#pragma once

#include "app/gui/frame/style.h"

#include <QSettings>
#include <QString>
#include <QStringList>

#include <cstdint>

namespace longpole {

constexpr int recentLimit = 12;

// A value over the user's settings file; one line per remembered thing.
class Settings {
public:
    Settings();
    explicit Settings(const QString& file);  // an INI file, for tests

    ThemeChoice theme() const;
    void setTheme(ThemeChoice choice);

    // What answers about a trace may hold while nobody uses them.
    std::int64_t answerBytes() const;
    void setAnswerBytes(std::int64_t bytes);

    QStringList recent() const;  // newest first; may name files that are gone
    void addRecent(const QString& path);
    void clearRecent();

    QByteArray layout(const QString& name) const;  // geometry, splitters, header states
    void setLayout(const QString& name, const QByteArray& state);
    bool flag(const QString& name, bool otherwise) const;
    void setFlag(const QString& name, bool on);
    void removeFlag(const QString& name);     // back to what is usual
    QString text(const QString& name) const;  // empty where nothing is remembered
    void setText(const QString& name, const QString& text);

private:
    mutable QSettings m_settings;
};

}  // namespace longpole
