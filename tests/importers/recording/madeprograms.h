// SPDX-License-Identifier: GPL-3.0-or-later
// Programs with debug information as no compiler writes it, built here for tests.
#pragma once

#include <QByteArray>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

namespace longpole::test {

inline QStringList optionsOf(const char* text) { return QString::fromLatin1(text).split(QLatin1Char(' ')); }

// A unit of compilation with 400 bytes of code, called work, in the language of the assembler: what the unit's own
// entry has besides, what abbreviations and entries there are in it, and more sections.
inline QByteArray unitOf(const QByteArray& ownAttributes, const QByteArray& own, const QByteArray& abbreviations,
                         const QByteArray& entries, const QByteArray& sections = {})
{
    return R"(
 .text
 .globl work
 .type work, @function
work: .zero 400
 .size work, 400
 .section .debug_abbrev,"",@progbits
.Labbr:
 .uleb128 1; .uleb128 0x11; .byte 1; .uleb128 0x11; .uleb128 1; .uleb128 0x12; .uleb128 7; )"
           + ownAttributes + " .byte 0,0\n" + abbreviations + " .byte 0\n" + sections
           + R"( .section .debug_info,"",@progbits
.Linfo0:
 .long .Lend-.Lbeg
.Lbeg:
 .value 4
 .long .Labbr
 .byte 8
 .uleb128 1; .quad work; .quad 400
)" + own + entries
           + R"(.Lend:
 .section .note.GNU-stack,"",@progbits
 .section .debug_aranges,"",@progbits
 .long .Lae-.Lab
.Lab:
 .value 2
 .long .Linfo0
 .byte 8,0,0,0,0,0
 .quad work,400,0,0
.Lae:
)";
}

class MadePrograms {
protected:
    static bool write(const QString& path, const QByteArray& bytes)
    {
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
    }
    static bool ran(const QString& program, const QStringList& words)
    {
        QProcess process;
        process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        process.start(program, words);
        return process.waitForFinished(60'000) && process.exitStatus() == QProcess::NormalExit
               && process.exitCode() == 0;
    }
    // Empty, if it cannot be built.
    QByteArray built(const char* name, const QByteArray& source, const QStringList& options)
    {
        const QString file = m_folder.filePath(QLatin1String(name)), program = file + QStringLiteral(".so");
        if (!write(file, source)
            || !ran(QStringLiteral("c++"), options + QStringList{QStringLiteral("-o"), program, file}))
            return {};
        return QFile::encodeName(QFileInfo(program).canonicalFilePath());
    }

    QTemporaryDir m_folder;
};

}  // namespace longpole::test
