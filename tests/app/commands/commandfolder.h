// SPDX-License-Identifier: GPL-3.0-or-later
// A folder of small traces, of files that are broken or no traces, and commands as they are called there.
#pragma once

#include "app/commands/commands.h"
#include "app/followedrun.h"
#include "app/program.h"
#include "app/smalltrace.h"

#include "support/mpi/waitprogram.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace longpole::test {

inline const QString gaussSeidelTrace = QStringLiteral(LONGPOLE_TEST_DATA "/gauss_seidel_p8/gs.sts");
inline const QString casitaArchive = QStringLiteral(LONGPOLE_TEST_DATA "/otf2/casita_4_mpi_ls_barr");

inline QByteArray bytesOf(const QString& name)
{
    QFile in(name);
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
}

class CommandFolder {
public:
    QString path() const { return m_folder.path(); }
    QString file(const QString& name) const { return m_folder.filePath(name); }
    const Program& program() const { return m_program; }

    // Makes all files.
    void fill()
    {
        QVERIFY(writeHostileTrace(file(QStringLiteral("small.longpole"))));
        WaitProgram ring(2, {"step"});
        ring.compute(0, 9'000);
        ring.send(0, 1, 1'000);
        ring.compute(1, 1'000);
        ring.receive(1, 0, 1'000);
        ring.meetAll(WaitProgram::Barrier, {0, 1}, {1'000, 1'000});
        QVERIFY(store(ring.rows(), file(QStringLiteral("ring.longpole"))));
        QVERIFY(QDir().mkdir(file(QStringLiteral("folder"))));
        QVERIFY(QDir().mkdir(file(QStringLiteral("run"))));
        const QDir run(QStringLiteral(LONGPOLE_TEST_DATA "/gauss_seidel_p8"));
        for (const QString& name : run.entryList(QDir::Files))
            QVERIFY(QFile::copy(run.filePath(name), file(QStringLiteral("run/") + name)));
        write(QStringLiteral("run/gs.merges"), {});
        QVERIFY(QDir().mkdir(file(QStringLiteral("below"))));  // a log that lies elsewhere
        QVERIFY(QFile::rename(file(QStringLiteral("run/gs.7.log.gz")), file(QStringLiteral("below/gs.7.log.gz"))));
        QVERIFY(QFile::link(file(QStringLiteral("below/gs.7.log.gz")), file(QStringLiteral("run/gs.7.log.gz"))));
        QVERIFY(QDir().mkpath(file(QStringLiteral("casita/traces"))));
        for (const char* name : {"traces.otf2", "traces.def", "traces/0.evt"})
            QVERIFY(QFile::copy(casitaArchive + QLatin1Char('/') + QLatin1String(name),
                                file(QStringLiteral("casita/") + QLatin1String(name))));
        QProcess recorder;
        QCOMPARE(m_program
                     .run(recorder, QStringLiteral(LONGPOLE_MAKE_RECORDING),
                          {file(QStringLiteral("run.lprec")), QStringLiteral("2"), QStringLiteral("100")})
                     .code,
                 0);
        write(QStringLiteral("empty.sts"), {});
        write(QStringLiteral("empty.longpole"), {});
        write(QStringLiteral("text.sts"), "hello world\n");
        write(QStringLiteral("text.longpole"), "hello world\n");
        write(QStringLiteral("text.log"), "hello world\n");
        write(QStringLiteral("notes.txt"), "hello world\n");
        write(QStringLiteral("online.jsonl"), lastAt(4'000'000, 3'000'000));
        write(QStringLiteral("binary.sts"), QByteArray("\x01\x02\x00\xff", 4));
        const QByteArray whole = bytesOf(file(QStringLiteral("small.longpole")));
        write(QStringLiteral("cut.longpole"), whole.left(whole.size() / 2));
    }

    // T is the small trace, R one of ranks, D the folder.
    Said say(const QString& words) const
    {
        QStringList arguments;
        for (QString word : words.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
            if (word == QLatin1String("T")) word = file(QStringLiteral("small.longpole"));
            if (word == QLatin1String("R")) word = file(QStringLiteral("ring.longpole"));
            if (word.startsWith(QLatin1String("D/"))) word = file(word.mid(2));
            if (word.startsWith(QStringLiteral("SELECT_"))) word.replace(QLatin1Char('_'), QLatin1Char(' '));
            arguments << word;
        }
        return m_program(arguments);
    }

    Said sayInShell(const QString& script) const
    {
        QProcess shell;
        shell.setWorkingDirectory(m_folder.path());
        return m_program.run(shell, QStringLiteral("sh"),
                             {QStringLiteral("-c"), script, QStringLiteral(LONGPOLE_PROGRAM)});
    }

private:
    void write(const QString& name, const QByteArray& bytes) const
    {
        QFile out(file(name));
        QVERIFY(out.open(QIODevice::WriteOnly));
        QCOMPARE(out.write(bytes), bytes.size());
    }

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

// One line, from longpole, without a usage text.
inline void isOneLine(const Said& said)
{
    QVERIFY2(said.error.startsWith(QStringLiteral("longpole")), qPrintable(said.error));
    QVERIFY2(said.error.count(QLatin1Char('\n')) == 1, qPrintable(said.error));
    QVERIFY2(!said.error.contains(QStringLiteral("Usage")), qPrintable(said.error));
}

// The arguments and options without which the command would complain about those.
inline QStringList usualCall(const Command& command)
{
    const QString name = QString::fromUtf8(command.name);
    QStringList words{name};
    if (command.needs == Needs::Ranks) words << QStringLiteral("R");
    else if (name == QLatin1String("compare")) words << QStringLiteral("T") << QStringLiteral("T");
    else if (name == QLatin1String("sql")) words << QStringLiteral("T") << QStringLiteral("VALUES(1)");
    else if (name == QLatin1String("online")) words << QStringLiteral("D/online.jsonl");
    else if (name != QLatin1String("record") && name != QLatin1String("cache") && name != QLatin1String("charm")
             && name != QLatin1String("selftest") && name != QLatin1String("simulate"))
        words << QStringLiteral("T");
    if (name == QLatin1String("charm")) words << QStringLiteral("--build") << QStringLiteral("D");
    if (name == QLatin1String("try")) words << QStringLiteral("--with") << QStringLiteral("A=1");
    if (name == QLatin1String("activity-table")) words << QStringLiteral("--pe") << QStringLiteral("0");
    if (name == QLatin1String("check")) words << QStringLiteral("--baseline") << QStringLiteral("T");
    if (name == QLatin1String("project")) words << QStringLiteral("--attribute") << QStringLiteral("user");
    if (name == QLatin1String("reduce"))
        words << QStringLiteral("-o") << QStringLiteral("D/reduced") << QStringLiteral("--range")
              << QStringLiteral("0..5us");
    if (name == QLatin1String("fold")) words << QStringLiteral("-o") << QStringLiteral("D/folded");
    if (name == QLatin1String("report") || name == QLatin1String("render") || name == QLatin1String("graph"))
        words << QStringLiteral("-o") << QStringLiteral("D/written");
    return words;
}

}  // namespace longpole::test
