// SPDX-License-Identifier: GPL-3.0-or-later
// Who may read what is made of a trace: nobody who could not read all of its source, whatever group or access list the
// new file has.
#include "app/common/sourcefiles.h"
#include "app/common/tracecache.h"
#include "app/common/userfolders.h"
#include "app/program.h"
#include "core/base/namedfile.h"
#include "core/base/partfile.h"

#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace longpole;
using namespace longpole::test;

class TestFileRights : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void rightsFollowTheSource();
    void rightsFollowAllFilesOfTheSource();
    void rightsOfAnotherGroup();
    void groupsThatReadWhatTheyCouldNot();
    void listsThatReadWhatTheyCouldNot();
    void rightsFollowTheFolderOfARecording();
    void writtenTracesFollowRights_data();
    void writtenTracesFollowRights();

private:
    static QStringList filesIn(const QString& folder) { return QDir(folder).entryList(QDir::Files, QDir::Name); }
    static void writeTrace(const QString& name, const QByteArray& bytes)
    {
        QFile file(name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes), bytes.size());
    }
    static QByteArray content(const QString& name)
    {
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static mode_t modeOf(const QString& file)
    {
        struct stat status {};
        return ::stat(QFile::encodeName(file).constData(), &status) == 0 ? status.st_mode & 0777 : 0;
    }
    void copyTrace(const QString& to) const;
    QString privateCopy(const QString& name) const;  // its .sts; only the user and the group may read it
    int run(const QStringList& arguments) const
    {
        const Said said = Program(m_folder->path())(arguments);
        if (said.code != 0) qInfo("%s", qPrintable(said.error));
        return said.code;
    }

    QString m_trace = QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4");
    std::unique_ptr<QTemporaryDir> m_folder;
};

// Each test has a folder of its own, which is the cache, too.
void TestFileRights::init()
{
    QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("XDG_CACHE_HOME", QFile::encodeName(m_folder->path()));
}

void TestFileRights::copyTrace(const QString& to) const
{
    QVERIFY(QDir().mkpath(to));
    for (const QString& name : filesIn(m_trace))
        QVERIFY(QFile::copy(m_trace + QLatin1Char('/') + name, to + QLatin1Char('/') + name));
}

QString TestFileRights::privateCopy(const QString& name) const
{
    const QString folder = m_folder->filePath(name);
    copyTrace(folder);
    for (const QString& file : filesIn(folder))
        ::chmod(QFile::encodeName(QString(folder + QLatin1Char('/') + file)).constData(), 0640);
    return folder + QStringLiteral("/nqueen.sts");
}

// What only the user may read is no other's from the cache either.
void TestFileRights::rightsFollowTheSource()
{
    const mode_t before = ::umask(022);
    copyTrace(m_folder->filePath(QStringLiteral("t")));
    const QString trace = m_folder->filePath(QStringLiteral("t"));
    const auto open = openTrace(trace, {}, Progress());
    QVERIFY(open.ok());
    QCOMPARE(modeOf(open->store->path()), mode_t{0644});
    QCOMPARE(modeOf(cacheFolder()), mode_t{0700});
    QCOMPARE(::chmod(QFile::encodeName(cacheFolder()).constData(), 0755), 0);
    QVERIFY(QFile::remove(open->store->path()));
    for (const QString& name : filesIn(trace))
        QCOMPARE(::chmod(QFile::encodeName(trace + QLatin1Char('/') + name).constData(), 0600), 0);
    const auto secret = openTrace(trace, {}, Progress());
    QVERIFY(secret.ok());
    QCOMPARE(modeOf(secret->store->path()), mode_t{0600});
    QCOMPARE(modeOf(cacheFolder()), mode_t{0700});
    ::umask(before);
}

// An .sts that everybody may read beside logs that only the user may.
void TestFileRights::rightsFollowAllFilesOfTheSource()
{
    const QString trace = m_folder->filePath(QStringLiteral("t"));
    copyTrace(trace);
    const QString symbols = trace + QStringLiteral("/nqueen.sts");
    QCOMPARE(int(rightsOf(symbols, ::getegid()) & 0044), 0044);
    QVERIFY(QFile::setPermissions(trace + QStringLiteral("/nqueen.2.log.gz"), QFile::ReadOwner | QFile::WriteOwner));
    QCOMPARE(int(rightsOf(symbols, ::getegid())), 0600);
    QCOMPARE(int(rightsOf(trace, ::getegid())), 0600);
    QVERIFY(sourceFiles(symbols).contains(trace + QStringLiteral("/nqueen.2.log.gz")));
}

// What another group may read is not for this one, unless everybody may; a file that replaces one takes its group.
void TestFileRights::rightsOfAnotherGroup()
{
    if (::geteuid() != 0) QSKIP("only root can give files away");
    const QString trace = m_folder->filePath(QStringLiteral("g"));
    copyTrace(trace);
    const QByteArray symbols = QFile::encodeName(trace + QStringLiteral("/nqueen.sts"));
    constexpr gid_t another = 1;
    QCOMPARE(::chown(symbols.constData(), ::geteuid(), another), 0);
    QCOMPARE(::chmod(symbols.constData(), 0640), 0);
    const QString named = QFile::decodeName(symbols);
    QCOMPARE(int(rightsOf(named, ::getegid())), 0600);
    QCOMPARE(int(rightsOf(named, another)), 0640);  // everybody may read the logs
    QCOMPARE(::chmod(symbols.constData(), 0604), 0);
    QCOMPARE(int(rightsFor(::getegid(), named).value()), 0644);
    QCOMPARE(int(rightsFor(another, named).value()), 0604);
    QCOMPARE(::chmod(symbols.constData(), 0640), 0);
    QVERIFY(writeNamedFile(named, "another"));
    struct stat status {};
    QCOMPARE(::stat(symbols.constData(), &status), 0);
    QCOMPARE(status.st_gid, another);
    QCOMPARE(int(status.st_mode & 0777), 0640);
}

// A trace that replaces a file of another group takes that group, and a folder may give one to what is made in it.
void TestFileRights::groupsThatReadWhatTheyCouldNot()
{
    if (::geteuid() != 0) QSKIP("only root can give files away");
    constexpr gid_t another = 1;
    const QString symbols = privateCopy(QStringLiteral("run"));
    const QString trace = m_folder->filePath(QStringLiteral("o.longpole"));
    writeTrace(trace, "earlier");
    QCOMPARE(::chown(QFile::encodeName(trace).constData(), ::geteuid(), another), 0);
    QCOMPARE(::chmod(QFile::encodeName(trace).constData(), 0640), 0);
    QCOMPARE(run({QStringLiteral("import"), symbols, QStringLiteral("-o"), trace}), 0);
    QCOMPARE(modeOf(trace), mode_t{0600});

    const QString folder = m_folder->filePath(QStringLiteral("reduced"));
    QVERIFY(QDir().mkpath(folder));
    QCOMPARE(::chown(QFile::encodeName(folder).constData(), ::geteuid(), another), 0);
    QCOMPARE(::chmod(QFile::encodeName(folder).constData(), 02775), 0);
    QCOMPARE(run({QStringLiteral("reduce"), symbols, QStringLiteral("--pes"), QStringLiteral("0"), QStringLiteral("-o"),
                  folder}),
             0);
    QVERIFY(!filesIn(folder).isEmpty());
    for (const QString& name : filesIn(folder)) QCOMPARE(modeOf(folder + QLatin1Char('/') + name), mode_t{0600});
}

// A folder's access list gives each file that is made in it one: the bits of its group are the mask of the list.
void TestFileRights::listsThatReadWhatTheyCouldNot()
{
    const QString symbols = privateCopy(QStringLiteral("run"));
    const QString folder = m_folder->filePath(QStringLiteral("listed"));
    QVERIFY(QDir().mkpath(folder));
    // acl(5): version 2; the owner rwx, user 4343 rw, the group r-x, the mask rwx, others none.
    const QByteArray list = QByteArray::fromHex(
        "02000000"
        "01000700ffffffff"
        "02000600f7100000"
        "04000500ffffffff"
        "10000700ffffffff"
        "20000000ffffffff");
    if (::setxattr(QFile::encodeName(folder).constData(), "system.posix_acl_default", list.constData(),
                   static_cast<std::size_t>(list.size()), 0)
        != 0)
        QSKIP("there are no access lists here");
    const QString trace = folder + QStringLiteral("/o.longpole");
    QCOMPARE(run({QStringLiteral("import"), symbols, QStringLiteral("-o"), trace}), 0);
    QCOMPARE(modeOf(trace), mode_t{0600});  // of the list nothing is left
    // Names of a file that nobody else may read.
    const QString names = m_folder->filePath(QStringLiteral("names.sts"));
    QVERIFY(QFile::copy(symbols, names));
    QCOMPARE(::chmod(QFile::encodeName(names).constData(), 0600), 0);
    const QString named = m_folder->filePath(QStringLiteral("named.longpole"));
    QCOMPARE(run({QStringLiteral("import"), m_trace, QStringLiteral("--symbols"), names, QStringLiteral("-o"), named}),
             0);
    QCOMPARE(modeOf(named), mode_t{0600});
    QCOMPARE(run({QStringLiteral("reduce"), symbols, QStringLiteral("--pes"), QStringLiteral("0"), QStringLiteral("-o"),
                  folder + QStringLiteral("/logs")}),
             0);
    for (const QString& name : filesIn(folder + QStringLiteral("/logs")))
        QCOMPARE(modeOf(folder + QStringLiteral("/logs/") + name), mode_t{0600});

    // What replaces a file that has no list has none either.
    const QString report = folder + QStringLiteral("/report.txt");
    writeTrace(report, "earlier");
    const QByteArray name = QFile::encodeName(report);
    QCOMPARE(::removexattr(name.constData(), "system.posix_acl_access"), 0);
    QCOMPARE(::chmod(name.constData(), 0640), 0);
    QVERIFY(writeNamedFile(report, "newer"));
    QCOMPARE(content(report), QByteArray("newer"));
    QCOMPARE(modeOf(report), mode_t{0640});
    QCOMPARE(::getxattr(name.constData(), "system.posix_acl_access", nullptr, 0), ssize_t(-1));
}

// Its files have the rights that the mask gave; the folder is the user's alone.
void TestFileRights::rightsFollowTheFolderOfARecording()
{
    const QString recording = m_folder->filePath(QStringLiteral("run.lprec"));
    QVERIFY(QDir().mkpath(recording));
    const QByteArray folder = QFile::encodeName(recording);
    for (const char* name : {"/index.lpindex", "/rank-000000.lprank"}) {
        writeTrace(recording + QLatin1String(name), "x");
        QCOMPARE(::chmod(QByteArray(folder + name).constData(), 0644), 0);
    }
    for (const char* name : {"", "/index.lpindex", "/rank-000000.lprank"}) {
        QCOMPARE(::chmod(folder.constData(), 0755), 0);
        QCOMPARE(int(rightsOf(recording + QLatin1String(name), ::getegid())), 0644);
        QCOMPARE(::chmod(folder.constData(), 0700), 0);
        QCOMPARE(int(rightsOf(recording + QLatin1String(name), ::getegid())), 0600);
    }
}

void TestFileRights::writtenTracesFollowRights_data()
{
    QTest::addColumn<QString>("words");
    QTest::newRow("import") << QStringLiteral("import %1 -o %2/made.longpole");
    QTest::newRow("replay") << QStringLiteral("replay %1 --queue lifo -o %2/made.longpole");
    QTest::newRow("reduce") << QStringLiteral("reduce %1 --pes 0 -o %2/made");
}

void TestFileRights::writtenTracesFollowRights()
{
    QFETCH(QString, words);
    const QString trace = m_folder->filePath(QStringLiteral("t"));
    copyTrace(trace);
    for (const QString& name : filesIn(trace))
        QVERIFY(QFile::setPermissions(trace + QLatin1Char('/') + name, QFile::ReadOwner | QFile::WriteOwner));
    const QString asked = words.arg(trace + QStringLiteral("/nqueen.sts"), m_folder->path());
    const Said said = Program(m_folder->path())(asked.split(QLatin1Char(' ')));
    QVERIFY2(said.code == 0, qPrintable(said.error));
    QStringList written{m_folder->filePath(QStringLiteral("made.longpole"))};
    if (QFileInfo::exists(m_folder->filePath(QStringLiteral("made")))) {
        written = {m_folder->filePath(QStringLiteral("made"))};
        for (const QString& name : filesIn(written.front()))
            written << m_folder->filePath(QStringLiteral("made/")) + name;
        QVERIFY(written.size() > 2);
    }
    for (const QString& file : written) {
        struct stat status {};
        QCOMPARE(::stat(QFile::encodeName(file).constData(), &status), 0);
        QVERIFY2((status.st_mode & 0077) == 0, qPrintable(file));
    }
}

LONGPOLE_TEST(TestFileRights)
#include "tst_filerights.moc"
