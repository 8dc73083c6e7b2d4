// SPDX-License-Identifier: GPL-3.0-or-later
// The commands that README and docs show, run in a shell beside traces of the names that they use, and what Longpole
// opens, said everywhere in the same words.
#include "app/program.h"
#include "importers/common/formats.h"

#include "support/testmain.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace longpole;
using namespace longpole::test;

class TestDocuments : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void commandsWork_data();
    void commandsWork();
    void openedFormatsAreSaidAlike_data();
    void openedFormatsAreSaidAlike();

private:
    QString file(const QString& name) const { return m_folder.filePath(name); }
    void copyRun(const QString& from, const QString& base, const QString& to) const;
    void script(const QString& name) const;

    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

namespace {

const QString root = QStringLiteral(LONGPOLE_DOCS "/..");

QString textOf(const QString& name)
{
    QFile in(name);
    return in.open(QIODevice::ReadOnly) ? QString::fromUtf8(in.readAll()) : QString();
}

// The lines of fenced shell blocks that call Longpole, those that go on joined.
QStringList commandsIn(const QString& document)
{
    QStringList found;
    bool isShell = false;
    QString begun;
    for (const QString& line : document.split(QLatin1Char('\n'))) {
        if (line.startsWith(QStringLiteral("```"))) isShell = line == QLatin1String("```sh");
        else if (isShell && (!begun.isEmpty() || line.startsWith(QStringLiteral("longpole ")))) {
            begun += line;
            if (begun.endsWith(QLatin1Char('\\'))) {
                begun.chop(1);
                continue;
            }
            found << begun.simplified();
            begun.clear();
        }
    }
    return found;
}

QStringList documents()
{
    QStringList names{root + QStringLiteral("/README.md")};
    QDirIterator below(QStringLiteral(LONGPOLE_DOCS), {QStringLiteral("*.md")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (below.hasNext()) names << below.next();
    return names;
}

}  // namespace

// The files of a run under another name, which every file of it begins with.
void TestDocuments::copyRun(const QString& from, const QString& base, const QString& to) const
{
    const QDir run(QStringLiteral(LONGPOLE_TEST_DATA "/") + from);
    for (const QString& name : run.entryList(QDir::Files))
        if (name.startsWith(base + QLatin1Char('.')))
            QVERIFY(QFile::copy(run.filePath(name), file(to + name.mid(base.size()))));
}

void TestDocuments::script(const QString& name) const
{
    QFile out(file(name));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write("#!/bin/sh\nexit 0\n");
    out.close();
    QVERIFY(out.setPermissions(out.permissions() | QFile::ExeOwner | QFile::ExeUser));
}

void TestDocuments::initTestCase()
{
    QVERIFY(QDir().mkdir(file(QStringLiteral("out"))));
    for (const char* name : {"run", "before", "after", "out/run"})
        copyRun(QStringLiteral("chain_and_bulk_p6"), QStringLiteral("prio"), QString::fromUtf8(name));
    const auto import = [this](const QString& trace, const QString& name) {
        const Said said = m_program({QStringLiteral("import"), trace, QStringLiteral("-o"), file(name)});
        QVERIFY2(said.code == 0, qPrintable(said.error));
    };
    import(file(QStringLiteral("run.sts")), QStringLiteral("run.longpole"));
    import(file(QStringLiteral("run.sts")), QStringLiteral("baseline.longpole"));
    import(QStringLiteral(LONGPOLE_TEST_DATA "/otf2/casita_4_mpi_ls_barr"), QStringLiteral("mpi.longpole"));
    script(QStringLiteral("mpirun"));
    script(QStringLiteral("app"));
}

constexpr int anyAnswer = -1;

void TestDocuments::commandsWork_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<int>("code");
    for (const QString& document : documents())
        for (const QString& line : commandsIn(textOf(document))) {
            // The test has no display, and its program calls no MPI.
            const bool isOpened = line.startsWith(QStringLiteral("longpole "))
                                  && line.contains(QStringLiteral(" run.lprec"));
            const bool isRecorded = line.startsWith(QStringLiteral("longpole record"))
                                    || line.startsWith(QStringLiteral("longpole charm"));
            const bool isTried = line.startsWith(QStringLiteral("longpole try"));
            QTest::addRow("%s: %s", qPrintable(QFileInfo(document).fileName()), qPrintable(line))
                << line
                << (isTried                  ? anyAnswer
                    : isOpened || isRecorded ? 3
                                             : 0);
        }
}

void TestDocuments::commandsWork()
{
    QFETCH(QString, line);
    QFETCH(int, code);
    QProcess shell;
    shell.setWorkingDirectory(m_folder.path());
    Program program = m_program;
    program.set(QStringLiteral("PATH"), QFileInfo(QStringLiteral(LONGPOLE_PROGRAM)).path() + QLatin1Char(':')
                                            + m_folder.path() + QLatin1Char(':') + qEnvironmentVariable("PATH"));
    const Said said = program.run(shell, QStringLiteral("sh"), {QStringLiteral("-c"), line});
    // What a program that does nothing gains is chance, but the call is right.
    QVERIFY2(code == anyAnswer ? said.code != 2 : said.code == code,
             qPrintable(QStringLiteral("%1: %2").arg(said.code).arg(said.error)));
}

void TestDocuments::openedFormatsAreSaidAlike_data()
{
    QTest::addColumn<QString>("text");
    const auto said = [this](const QStringList& words) { return m_program(words).out; };
    QTest::newRow("help") << said({QStringLiteral("--help")});
    QTest::newRow("help of import") << said({QStringLiteral("import"), QStringLiteral("--help")});
    QTest::newRow("man longpole") << said({QStringLiteral("--generate"), QStringLiteral("man")});
    QTest::newRow("script/run") << textOf(root + QStringLiteral("/script/run"));
    QTest::newRow("README") << textOf(root + QStringLiteral("/README.md"));
    QTest::newRow("error") << m_program({QStringLiteral("info"), root + QStringLiteral("/LICENSE")}).error;
}

void TestDocuments::openedFormatsAreSaidAlike()
{
    QFETCH(QString, text);
    QVERIFY(text.simplified().contains(QString::fromUtf8(openedFormats)));
}

LONGPOLE_TEST(TestDocuments)
#include "tst_documents.moc"
