// SPDX-License-Identifier: GPL-3.0-or-later
// A trace's folder with a link to another machine in place of each of its files, folders, and of names that commands
// look for: no call of the program asks there, whatever it does with the trace (tests/support/askedhosts.c).
#include "app/program.h"

#include "support/testmain.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

using namespace longpole::test;

class TestOtherHosts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase();
    void whatTheUserNamesIsSeen();
    void nobodyIsAsked_data();
    void nobodyIsAsked();

private:
    QStringList askedBy(const QStringList& words) const;
    bool link(const QString& target, const QString& path) const;

    QTemporaryDir m_folder;
    QString m_asked = m_folder.filePath(QStringLiteral("asked"));
    QString m_recording = m_folder.filePath(QStringLiteral("run.lprec"));
    QDir m_run, m_out{m_folder.filePath(QStringLiteral("out"))};
    QString m_elsewhere = m_folder.filePath(QStringLiteral("elsewhere"));
};

namespace {

// Paths in the folder, of files and of folders.
QStringList allIn(const QString& folder)
{
    QStringList names;
    QDirIterator entries(folder, QDir::AllEntries | QDir::NoDotAndDotDot, QDirIterator::Subdirectories);
    while (entries.hasNext()) names << QDir(folder).relativeFilePath(entries.next());
    names.sort();
    return names;
}

bool copyAll(const QString& from, const QString& to)
{
    bool isGood = QDir().mkpath(to);
    for (const QString& name : allIn(from)) {
        const QString source = QDir(from).filePath(name), target = QDir(to).filePath(name);
        isGood &= QFileInfo(source).isDir() ? QDir().mkpath(target) : QFile::copy(source, target);
    }
    return isGood;
}

}  // namespace

// What the program asked other machines for.
QStringList TestOtherHosts::askedBy(const QStringList& words) const
{
    Program program(m_out.filePath(QStringLiteral("cache")));
    program.set(QStringLiteral("LD_PRELOAD"), QStringLiteral(LONGPOLE_ASKED_LIBRARY));
    program.set(QStringLiteral("LONGPOLE_ASKED"), m_asked);
    QFile::remove(m_asked);
    const Said said = program(words);
    QFile asked(m_asked);
    if (said.code < 0) return {QStringLiteral("crashed: ") + said.error};
    return asked.open(QIODevice::ReadOnly) ? QString::fromUtf8(asked.readAll()).split(QLatin1Char('\n'))
                                           : QStringList();
}

// To a place of this machine, by a name that would be another one's.
bool TestOtherHosts::link(const QString& target, const QString& path) const
{
    return ::symlink(QFile::encodeName(QLatin1Char('/') + target).constData(), QFile::encodeName(path).constData())
           == 0;
}

void TestOtherHosts::initTestCase()
{
    QVERIFY(m_out.mkpath(QStringLiteral(".")));
    const QStringList wanted{m_recording, QStringLiteral("3"), QStringLiteral("200")};
    QCOMPARE(QProcess::execute(QStringLiteral(LONGPOLE_MAKE_RECORDING), wanted), 0);
}

// Else nothing would be seen of anything.
void TestOtherHosts::whatTheUserNamesIsSeen()
{
    const QString named = m_folder.filePath(QStringLiteral("named"));
    QVERIFY(link(QStringLiteral(LONGPOLE_TEST_DATA "/fib_subdirs_nogz_p4"), named));
    QVERIFY(!askedBy({QStringLiteral("info"), named}).isEmpty());
}

void TestOtherHosts::nobodyIsAsked_data()
{
    QTest::addColumn<QString>("trace");
    QTest::addColumn<QString>("file");  // that the user names instead of the folder
    QTest::addColumn<QStringList>("extra");
    const auto row = [](const char* name, const QString& trace, const char* file, const QStringList& extra) {
        QTest::newRow(name) << trace << QString::fromLatin1(file) << extra;
    };
    const QString data = QStringLiteral(LONGPOLE_TEST_DATA "/");
    const QStringList reduce{QStringLiteral("reduce"), QStringLiteral("--pes"), QStringLiteral("0")};
    row("Projections", data + QStringLiteral("fib_subdirs_nogz_p4"), "fib.sts", reduce);
    row("a summary", data + QStringLiteral("stencil3d_summary_p4"), "stencil3d.sum.1.sum", {});
    row("a recording", m_recording, "rank-000001.lprank", {QStringLiteral("waits")});
#ifdef LONGPOLE_MAKE_OTF2
    row("OTF2", data + QStringLiteral("otf2/pipit_ping-pong"), "traces.otf2", {QStringLiteral("waits")});
#endif
}
void TestOtherHosts::nobodyIsAsked()
{
    QFETCH(QString, trace);
    QFETCH(QString, file);
    QFETCH(QStringList, extra);
    m_run = QDir(m_folder.filePath(QStringLiteral("runs")));
    const auto begin = [&] {
        return m_run.removeRecursively() && QDir(m_elsewhere).removeRecursively() && copyAll(trace, m_run.path())
               && QDir().mkpath(m_elsewhere);
    };
    const auto commands = [&](const QString& given, const QString& linked) {
        // Beside the trace, where commands look for files of theirs.
        const QString output = m_run.filePath(QStringLiteral("x"));
        QList<QStringList> all{{QStringLiteral("info"), given},
                               {QStringLiteral("import"), given, QStringLiteral("-o"),
                                output + QStringLiteral(".longpole")},
                               {QStringLiteral("report"), given, QStringLiteral("-o"), output + QStringLiteral(".md")}};
        if (!extra.isEmpty()) all << extra + QStringList{given, QStringLiteral("-o"), output + QStringLiteral(".csv")};
        for (const QStringList& words : all) {
            QVERIFY(m_out.removeRecursively() && m_out.mkpath(QStringLiteral(".")));
            for (const char* const name : {"x.longpole", "x.md", "x.csv"})
                QFile::remove(m_run.filePath(QLatin1String(name)));
            QVERIFY(QDir(m_run.filePath(QStringLiteral("x.csv"))).removeRecursively());  // of reduce
            const QStringList asked = askedBy(words);
            QVERIFY2(asked.isEmpty(), qPrintable(words.join(QLatin1Char(' ')) + QStringLiteral(" with a link at ")
                                                 + linked + QStringLiteral(": ") + asked.join(QLatin1Char('\n'))));
        }
    };
    const QString elsewhere = QDir(m_elsewhere).filePath(QStringLiteral("it"));
    for (const QString& name : allIn(trace)) {
        QVERIFY(begin());
        QVERIFY(QFile::rename(m_run.filePath(name), elsewhere));
        QVERIFY(link(elsewhere, m_run.filePath(name)));
        commands(m_run.path(), name);
        if (name != file) commands(m_run.filePath(file), name);
        if (QTest::currentTestFailed()) return;
    }
    // What is not there may be looked for, too.
    QVERIFY(begin());
    for (const char* const name :
         {"fib.merges", "fib.7.log", "fib.projdir.7", "other.sts", "other.otf2", "stencil3d.sum.7.sum", "traces.sts",
          "index.lpindex", "rank-000007.lprank", "spawned-1", "spawn-1.open", "online.jsonl", "online.control", "any"})
        if (!QFile::exists(m_run.filePath(QLatin1String(name))))
            QVERIFY(link(elsewhere, m_run.filePath(QLatin1String(name))));
    commands(m_run.path(), QStringLiteral("every name"));
    commands(m_run.filePath(file), QStringLiteral("every name"));
}

LONGPOLE_TEST(TestOtherHosts)
#include "tst_otherhosts.moc"
