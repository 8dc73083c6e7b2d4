// SPDX-License-Identifier: GPL-3.0-or-later
// What the program remembers between runs: theme, layout and recent traces.
#pragma once

#include "app/common/scratchfolder.h"
#include "app/gui/frame/style.h"
#include "views/drawing/basics/colourmemory.h"

#include "core/base/result.h"

#include <QSettings>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>
#include <optional>

namespace longpole {

constexpr int recentLimit = 12;

class Settings {
public:
    Settings();  // the user's own; where these are somebody else's, which nobody asked for, none
    explicit Settings(const QString& file);  // an INI file, for tests

    // Why nothing is remembered; empty if it is.
    const std::optional<Error>& trouble() const { return m_trouble; }

    ThemeChoice theme() const;
    void setTheme(ThemeChoice choice);

    // How much memory the answers about a trace may take that nobody uses any more.
    std::int64_t answerBytes() const;

    QStringList recent() const;  // newest first; may name files that are gone
    void addRecent(const QString& path);
    void clearRecent();

    // Of the program's sources: the folders in which they lie, and the command that opens a line.
    QStringList sourceFolders() const;
    void setSourceFolders(const QStringList& folders);
    QString editor() const { return text(QStringLiteral("editor")); }
    void setEditor(const QString& command) { setText(QStringLiteral("editor"), command); }

    QByteArray layout(const QString& name) const;  // a state that Qt saved: geometry, splitter, docks
    void setLayout(const QString& name, const QByteArray& state);
    bool flag(const QString& name, bool otherwise) const;
    void setFlag(const QString& name, bool on);
    void removeFlag(const QString& name);  // back to the default
    // The colours of names; one that cannot be read is an empty one.
    ColourMemory colours() const;
    void setColours(const ColourMemory& colours);
    QString text(const QString& name) const;  // empty where nothing is remembered
    void setText(const QString& name, const QString& text);

private:
    explicit Settings(Result<OpenFolder> folder);

    std::optional<Error> m_trouble;
    OpenFolder m_folder;
    std::unique_ptr<ScratchFolder> m_forgotten;  // with the file then
    mutable QSettings m_settings;
};

}  // namespace longpole
