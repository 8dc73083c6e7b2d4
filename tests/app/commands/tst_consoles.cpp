// SPDX-License-Identifier: GPL-3.0-or-later
// What the documents show of a terminal is what the program prints, beside copies of the traces that it ships.
#include "app/program.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <vector>

using namespace longpole;
using namespace longpole::test;

namespace {

const QString sources = QStringLiteral(LONGPOLE_DOCS "/..");
const QString leftOut = QStringLiteral("…");  // a line that stands for any number of lines

struct Step {
    QString command;
    QStringList shown;
};

// The fenced blocks "console" of a document: lines after "$ " are typed, all others are printed.
std::vector<Step> stepsOf(const QByteArray& document)
{
    std::vector<Step> steps;
    bool isConsole = false;
    bool goesOn = false;
    for (const QString& line : QString::fromUtf8(document).split(QLatin1Char('\n'))) {
        if (line.startsWith(QLatin1String("```"))) {
            isConsole = line == QLatin1String("```console");
            continue;
        }
        if (!isConsole) continue;
        if (goesOn) steps.back().command += QLatin1Char('\n') + line;
        else if (line.startsWith(QLatin1String("$ "))) steps.push_back({line.mid(2), {}});
        else steps.back().shown << line;
        goesOn = steps.back().shown.isEmpty() && line.endsWith(QLatin1Char('\\'));
    }
    return steps;
}

// The first line of `shown` that is missing; empty if all are there, in their order. Lines are left out at "…" only.
QString missing(const QStringList& shown, const QStringList& printed)
{
    qsizetype at = 0;
    bool maySkip = false;
    for (const QString& line : shown) {
        if (line == leftOut) {
            maySkip = true;
            continue;
        }
        const qsizetype found = maySkip ? printed.indexOf(line, at) : at;
        if (found < 0 || found >= printed.size() || printed[found] != line) return line;
        at = found + 1;
        maySkip = false;
    }
    return maySkip || at == printed.size() ? QString() : QStringLiteral("(nothing more)");
}

void copyFolder(const QString& from, const QString& to)
{
    QDirIterator below(from, QDir::Files, QDirIterator::Subdirectories);
    while (below.hasNext()) {
        const QString target = to + below.next().mid(from.size());
        QVERIFY(QDir().mkpath(QFileInfo(target).path()));
        QVERIFY(QFile::copy(below.filePath(), target));
    }
}

}  // namespace

class TestConsoles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tutorialAndReadmeShowSome();
    void shownIsPrinted_data();
    void shownIsPrinted();
    void missingLinesAreFound();

private:
    QTemporaryDir m_folder;
    Program m_program{m_folder.filePath(QStringLiteral("cache"))};
};

void TestConsoles::tutorialAndReadmeShowSome()
{
    for (const char* name : {"/README.md", "/docs/tutorial.md"})
        QVERIFY2(!stepsOf(contentOf(sources + QLatin1String(name))).empty(), name);
}

void TestConsoles::shownIsPrinted_data()
{
    QTest::addColumn<QString>("document");
    QTest::newRow("README.md") << sources + QStringLiteral("/README.md");
    QDirIterator below(QStringLiteral(LONGPOLE_DOCS), {QStringLiteral("*.md")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (below.hasNext()) {
        const QString name = below.next();
        if (!stepsOf(contentOf(name)).empty())
            QTest::newRow(qPrintable(QDir(QStringLiteral(LONGPOLE_DOCS)).relativeFilePath(name))) << name;
    }
}

void TestConsoles::shownIsPrinted()
{
    QFETCH(QString, document);
    QTemporaryDir folder;  // files that a step writes are there for the next
    copyFolder(QStringLiteral(LONGPOLE_TEST_DATA), folder.path());
    Program program = m_program;
    program.set(QStringLiteral("PATH"),
                QFileInfo(QStringLiteral(LONGPOLE_PROGRAM)).path() + QLatin1Char(':') + qEnvironmentVariable("PATH"));
    for (const Step& step : stepsOf(contentOf(document))) {
        QProcess shell;
        shell.setWorkingDirectory(folder.path());
        Said said = program.run(shell, QStringLiteral("sh"),
                                {QStringLiteral("-c"), QStringLiteral("{ %1\n} 2>&1").arg(step.command)});
        for (const char16_t narrow : {u'\u2009', u'\u202f'}) said.out.replace(QChar(narrow), QLatin1Char(' '));
        if (said.out.endsWith(QLatin1Char('\n'))) said.out.chop(1);
        const QStringList printed = said.out.isEmpty() ? QStringList() : said.out.split(QLatin1Char('\n'));
        const QString lacks = missing(step.shown, printed);
        QVERIFY2(lacks.isEmpty(),
                 qPrintable(QStringLiteral("$ %1\nlacks: %2\nprinted:\n%3").arg(step.command, lacks, said.out)));
    }
}

void TestConsoles::missingLinesAreFound()
{
    const QStringList printed{QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")};
    QCOMPARE(missing(printed, printed), QString());
    QCOMPARE(missing({QStringLiteral("a"), leftOut}, printed), QString());
    QCOMPARE(missing({leftOut, QStringLiteral("c")}, printed), QString());
    QCOMPARE(missing({QStringLiteral("a"), QStringLiteral("c")}, printed), QStringLiteral("c"));
    QCOMPARE(missing({QStringLiteral("a")}, printed), QStringLiteral("(nothing more)"));
    QCOMPARE(missing({leftOut, QStringLiteral("c"), QStringLiteral("b")}, printed), QStringLiteral("b"));
}

LONGPOLE_TEST(TestConsoles)
#include "tst_consoles.moc"
