// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that tests write and read: words, lines, the content of a file.
#pragma once

#include <QFile>
#include <QString>
#include <QStringList>

#include <initializer_list>

namespace longpole {

inline QStringList words(const QString& text) { return text.split(QLatin1Char(' '), Qt::SkipEmptyParts); }
inline QStringList words(const char* text) { return words(QString::fromUtf8(text)); }

inline QStringList lines(const char* text) { return QString::fromUtf8(text).split(QLatin1Char('\n')); }

inline QStringList linesOf(std::initializer_list<const char*> texts)
{
    QStringList lines;
    for (const char* text : texts) lines += QString::fromUtf8(text);
    return lines;
}

// Empty if there is no such file.
inline QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// A program of the shell's; false if it cannot be written.
inline bool writeScript(const QString& path, const QByteArray& text)
{
    QFile out(path);
    const QByteArray script = "#!/bin/sh\n" + text;
    return out.open(QIODevice::WriteOnly) && out.write(script) == script.size()
           && out.setPermissions(out.permissions() | QFile::ExeOwner | QFile::ExeUser);
}

}  // namespace longpole
