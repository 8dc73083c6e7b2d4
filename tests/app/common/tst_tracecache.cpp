// SPDX-License-Identifier: GPL-3.0-or-later
// The cache of imported traces: one import, then reuse; damage, two at once, clearing, the oldest first.
#include "app/common/sourcefiles.h"
#include "app/common/tracecache.h"
#include "app/common/userfolders.h"
#include "app/jsonschema.h"
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

#include <filesystem>
#include <memory>

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace longpole;
using namespace longpole::test;

class TestTraceCache : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void rawTraceIsImportedOnce();
    void keyDependsOn();
    void sourceIsNeverChanged();
    void damagedFileIsImportedAgain_data();
    void damagedFileIsImportedAgain();
    void twoAtOnceBothSucceed();
    void oldestGoFirstAndNeverTheOneInUse();
    void whatIsTheUsersStays();
    void clearingLeavesRunningImports();
    void commandListsAndClears();
    void unwritableFolderIsExplained();
    void cacheThatIsAFileIsExplained();
    void cancelledLeavesNothing();
    void rightsFollowTheSource();
    void rightsFollowAllFilesOfTheSource();
    void rightsOfAnotherGroup();
    void groupsThatReadWhatTheyCouldNot();
    void listsThatReadWhatTheyCouldNot();
    void rightsFollowTheFolderOfARecording();
    void writtenTracesFollowRights_data();
    void writtenTracesFollowRights();
    void readOnlyTargetStays();
    void foldersThatAreNoHome();
    void foldersThatAreSomebodyElses();

private:
    QString cacheOf(const QString& name) const { return m_folder->filePath(name); }
    void copyTrace(const QString& to) const;
    QString privateCopy(const QString& name) const;  // its .sts; only the user and the group may read it
    int run(const QStringList& arguments) const
    {
        const Said said = Program(m_folder->path())(arguments);
        if (said.code != 0) qInfo("%s", qPrintable(said.error));
        return said.code;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_trace = QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4");
};

namespace {

QStringList filesIn(const QString& folder) { return QDir(folder).entryList(QDir::Files, QDir::Name); }

QByteArray content(const QString& name)
{
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void writeTrace(const QString& name, const QByteArray& bytes)
{
    QFile file(name);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), bytes.size());
}

// The name of a cached trace.
QString cachedName(int number) { return QStringLiteral("%1.longpole").arg(number, 32, 16, QLatin1Char('0')); }

mode_t modeOf(const QString& file)
{
    struct stat status {};
    return ::stat(QFile::encodeName(file).constData(), &status) == 0 ? status.st_mode & 0777 : 0;
}

void setAge(const QString& name, int hours)
{
    std::filesystem::last_write_time(name.toStdString(),
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
}

}  // namespace

// Each test has a cache of its own.
void TestTraceCache::init()
{
    QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("XDG_CACHE_HOME", QFile::encodeName(m_folder->path()));
}

QString TestTraceCache::privateCopy(const QString& name) const
{
    const QString folder = m_folder->filePath(name);
    copyTrace(folder);
    for (const QString& file : filesIn(folder))
        ::chmod(QFile::encodeName(QString(folder + QLatin1Char('/') + file)).constData(), 0640);
    return folder + QStringLiteral("/nqueen.sts");
}

void TestTraceCache::copyTrace(const QString& to) const
{
    QVERIFY(QDir().mkpath(to));
    for (const QString& name : filesIn(m_trace))
        QVERIFY(QFile::copy(m_trace + QLatin1Char('/') + name, to + QLatin1Char('/') + name));
}

void TestTraceCache::rawTraceIsImportedOnce()
{
    const auto first = openTrace(m_trace, {}, Progress{});
    QVERIFY2(first, qPrintable(first ? QString() : toText(first.error())));
    QVERIFY(!first->fromCache);
    QVERIFY(first->report.records > 0);
    QCOMPARE(filesIn(cacheFolder()).size(), 1);
    const QString file = cacheFolder() + QLatin1Char('/') + filesIn(cacheFolder()).front();
    const QByteArray bytes = content(file);

    const auto second = openTrace(m_trace, {}, Progress{});
    QVERIFY(second);
    QVERIFY(second->fromCache);
    QCOMPARE(second->report.records, first->report.records);
    QCOMPARE(second->report.issues, first->report.issues);
    QCOMPARE(second->store->stamp(), first->store->stamp());
    QCOMPARE(filesIn(cacheFolder()).size(), 1);
    QVERIFY(content(file) == bytes);

    const auto direct = openTrace(file, {}, Progress{});
    QVERIFY(direct);
    QVERIFY(direct->fromCache);
}

void TestTraceCache::keyDependsOn()
{
    const QString symbols = m_folder->filePath(QStringLiteral("other.sts"));
    writeTrace(symbols, "one");
    ImportOptions named;
    named.symbols = symbols;
    const QString plain = *cacheFile(m_trace, {});
    const QString withSymbols = *cacheFile(m_trace, named);
    QVERIFY(plain != withSymbols);
    writeTrace(symbols, "two");
    QVERIFY(*cacheFile(m_trace, named) != withSymbols);
    ImportOptions threads;
    threads.threads = 3;
    QCOMPARE(*cacheFile(m_trace, threads), plain);  // gives the same file
    named.symbols = m_folder->filePath(QStringLiteral("missing.sts"));
    QVERIFY(!cacheFile(m_trace, named));
    QVERIFY(!cacheFile(m_folder->path(), {}));
}

void TestTraceCache::sourceIsNeverChanged()
{
    const QString copy = m_folder->filePath(QStringLiteral("source"));
    copyTrace(copy);
    const QStringList before = filesIn(copy);
    QList<QByteArray> contents;
    for (const QString& name : before) contents << content(copy + QLatin1Char('/') + name);
    QVERIFY(openTrace(copy, {}, Progress{}));
    QCOMPARE(filesIn(copy), before);
    for (qsizetype i = 0; i < before.size(); ++i) QVERIFY(content(copy + QLatin1Char('/') + before[i]) == contents[i]);
}

void TestTraceCache::damagedFileIsImportedAgain_data()
{
    QTest::addColumn<int>("keep");  // bytes in thousandths
    QTest::newRow("empty") << 0;
    QTest::newRow("head only") << 5;
    QTest::newRow("half") << 500;
    QTest::newRow("last byte missing") << 999;
}

void TestTraceCache::damagedFileIsImportedAgain()
{
    QFETCH(int, keep);
    const QString file = openTrace(m_trace, {}, Progress{})->store->path();
    const QByteArray whole = content(file);
    writeTrace(file, whole.left(keep == 999 ? whole.size() - 1 : whole.size() * keep / 1000));
    const auto again = openTrace(m_trace, {}, Progress{});
    QVERIFY2(again, qPrintable(again ? QString() : toText(again.error())));
    QVERIFY(!again->fromCache);
    QVERIFY(content(file) == whole);
}

void TestTraceCache::twoAtOnceBothSucceed()
{
    const Program program(m_folder->path());
    QProcess processes[4];
    for (QProcess& process : processes)
        program.start(process, {QStringLiteral("info"), QStringLiteral("--json"), m_trace});
    QString first;
    for (QProcess& process : processes) {
        const Said said = Program::finish(process);
        QVERIFY2(said.code == 0, qPrintable(said.error));
        if (first.isEmpty()) first = said.out;
        QCOMPARE(said.out, first);
    }
    QCOMPARE(filesIn(cacheFolder()).size(), 1);
}

void TestTraceCache::oldestGoFirstAndNeverTheOneInUse()
{
    QVERIFY(QDir().mkpath(cacheFolder()));
    for (int i = 0; i < 4; ++i) {
        const QString name = cacheFolder() + QLatin1Char('/') + cachedName(i);
        writeTrace(name, QByteArray(1000, 'x'));
        setAge(name, 10 - i);
    }
    trimCache(4000, {});
    QCOMPARE(filesIn(cacheFolder()).size(), 4);
    trimCache(2500, cacheFolder() + QLatin1Char('/') + cachedName(0));
    QCOMPARE(filesIn(cacheFolder()), (QStringList{cachedName(0), cachedName(3)}));
    trimCache(0, cacheFolder() + QLatin1Char('/') + cachedName(0));
    QCOMPARE(filesIn(cacheFolder()), QStringList{cachedName(0)});
}

// The folder may have been the user's before it was the cache.
void TestTraceCache::whatIsTheUsersStays()
{
    QVERIFY(QDir().mkpath(cacheFolder()));
    QProcess dead;
    dead.start(QStringLiteral("true"), QStringList());
    QVERIFY(dead.waitForStarted());
    const QString pid = QString::number(dead.processId());
    QVERIFY(dead.waitForFinished());
    const QString folded = QStringLiteral("wave2d-12-iterations-0a1b2c.longpole");
    const QStringList own{cachedName(7), cachedName(8) + QStringLiteral(".part-") + pid,
                          cachedName(8) + QStringLiteral(".part-%1-journal").arg(pid), folded,
                          folded + QStringLiteral(".part-") + pid};
    QStringList mine{QStringLiteral("thesis.longpole"),
                     QStringLiteral("thesis-iterations.longpole"),
                     QString(QStringLiteral("thesis.longpole.part-") + pid),
                     QString(cachedName(9) + QStringLiteral(".part-%1-notes").arg(pid)),
                     QString(cachedName(9) + QStringLiteral(".part-0") + pid),
                     QStringLiteral("0a1b2c.longpole")};
    mine.sort();
    for (const QString& name : own + mine) writeTrace(cacheFolder() + QLatin1Char('/') + name, "12345");
    QCOMPARE(cacheEntries().size(), 2u);
    const auto cleared = clearCache();
    QVERIFY(cleared);
    QCOMPARE(cleared->files, 5);
    QCOMPARE(filesIn(cacheFolder()), mine);
    trimCache(0, {});
    QCOMPARE(filesIn(cacheFolder()), mine);
}

void TestTraceCache::clearingLeavesRunningImports()
{
    QVERIFY(QDir().mkpath(cacheFolder()));
    QProcess dead;
    dead.start(QStringLiteral("true"), QStringList());
    QVERIFY(dead.waitForStarted());
    const qint64 deadPid = dead.processId();
    QVERIFY(dead.waitForFinished());
    const QString running = cachedName(11) + QStringLiteral(".part-%1").arg(QCoreApplication::applicationPid());
    const QString left = cachedName(12) + QStringLiteral(".part-%1").arg(deadPid);
    for (const QString& name : {cachedName(10), running, left, QStringLiteral("notes.txt")})
        writeTrace(cacheFolder() + QLatin1Char('/') + name, "12345");
    const auto cleared = clearCache();
    QVERIFY(cleared);
    QCOMPARE(cleared->files, 2);
    QCOMPARE(cleared->bytes, 10);
    QCOMPARE(filesIn(cacheFolder()), (QStringList{running, QStringLiteral("notes.txt")}));
}

void TestTraceCache::commandListsAndClears()
{
    const Program program(m_folder->path());
    const QStringList list{QStringLiteral("cache"), QStringLiteral("list"), QStringLiteral("--json")};
    COMPARE_JSON(json::parse(program(list).out.toStdString()), json::array());
    const Said imported = program({QStringLiteral("import"), m_trace});
    QCOMPARE(imported.code, 0);
    writeTrace(cacheFolder() + QLatin1Char('/') + cachedName(0), "x");

    const std::string entries = program(list).out.toStdString();
    QCOMPARE(QString::fromStdString(violation(entries, "cache")), QString());
    const json parsed = json::parse(entries);
    QCOMPARE(parsed.size(), 2u);
    COMPARE_JSON(parsed.at(0).at("source"), nullptr);
    COMPARE_JSON(parsed.at(1).at("file"), imported.out.trimmed().toStdString());
    COMPARE_JSON(parsed.at(1).at("source"), QString(m_trace + QStringLiteral("/nqueen.sts")).toStdString());

    const json cleared = json::parse(
        program({QStringLiteral("cache"), QStringLiteral("clear"), QStringLiteral("--json")}).out.toStdString());
    COMPARE_JSON(cleared.at("files"), 2);
    QCOMPARE(filesIn(cacheFolder()), QStringList());
}

void TestTraceCache::unwritableFolderIsExplained()
{
    if (::geteuid() == 0) QSKIP("root may write anywhere");
    QVERIFY(QDir().mkpath(cacheFolder()));
    QVERIFY(QFile::setPermissions(cacheFolder(), QFile::ReadOwner | QFile::ExeOwner));
    const auto trace = openTrace(m_trace, {}, Progress{});
    QFile::setPermissions(cacheFolder(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QVERIFY(!trace);
    QCOMPARE(trace.error().where, cacheFolder());
    QVERIFY(trace.error().hint.contains(QStringLiteral("XDG_CACHE_HOME")));
}

void TestTraceCache::cacheThatIsAFileIsExplained()
{
    writeTrace(cacheFolder(), "in the way");
    const auto trace = openTrace(m_trace, {}, Progress{});
    QVERIFY(!trace);
    QCOMPARE(trace.error().where, cacheFolder());
    QVERIFY(trace.error().hint.contains(QStringLiteral("XDG_CACHE_HOME")));
}

void TestTraceCache::cancelledLeavesNothing()
{
    const Progress progress;
    progress.cancel();
    const auto trace = openTrace(m_trace, {}, progress);
    QVERIFY(!trace);
    QVERIFY(wasCancelled(trace.error()));
    QCOMPARE(filesIn(cacheFolder()), QStringList());
}

// What only the user may read is no other's from the cache either.
void TestTraceCache::rightsFollowTheSource()
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

void TestTraceCache::foldersThatAreNoHome()
{
    const QByteArray home = qgetenv("HOME");
    qputenv("XDG_CACHE_HOME", "relative");
    qputenv("HOME", "/somewhere");
    QVERIFY(cacheNotice().contains(QStringLiteral("no absolute path and is not used; the cache is /somewhere/.cache")));
    QCOMPARE(cacheFolder(), QStringLiteral("/somewhere/.cache/longpole"));
    qunsetenv("XDG_CACHE_HOME");
    qunsetenv("HOME");
    QVERIFY(cacheNotice().contains(QStringLiteral("there is no HOME")));
    QCOMPARE(cacheFolder(), QDir::tempPath() + QStringLiteral("/longpole-%1").arg(::geteuid()));
    qputenv("HOME", home);
}

// An .sts that everybody may read beside logs that only the user may.
void TestTraceCache::rightsFollowAllFilesOfTheSource()
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
void TestTraceCache::rightsOfAnotherGroup()
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
void TestTraceCache::groupsThatReadWhatTheyCouldNot()
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
void TestTraceCache::listsThatReadWhatTheyCouldNot()
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
void TestTraceCache::rightsFollowTheFolderOfARecording()
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

void TestTraceCache::writtenTracesFollowRights_data()
{
    QTest::addColumn<QString>("words");
    QTest::newRow("import") << QStringLiteral("import %1 -o %2/made.longpole");
    QTest::newRow("replay") << QStringLiteral("replay %1 --queue lifo -o %2/made.longpole");
    QTest::newRow("reduce") << QStringLiteral("reduce %1 --pes 0 -o %2/made");
}

void TestTraceCache::writtenTracesFollowRights()
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

void TestTraceCache::readOnlyTargetStays()
{
    if (::geteuid() == 0) QSKIP("root may write anything");
    const QString target = m_folder->filePath(QStringLiteral("kept.longpole"));
    writeTrace(target, "kept");
    QVERIFY(QFile::setPermissions(target, QFile::ReadOwner));
    const Said said = Program(m_folder->path())({QStringLiteral("import"), m_trace, QStringLiteral("-o"), target});
    QCOMPARE(said.code, 3);
    QCOMPARE(content(target), QByteArray("kept"));
}

// Where there is no home, the folder among other people's files may be anybody's: nothing in it is believed, and
// nothing that it leads to is removed.
void TestTraceCache::foldersThatAreSomebodyElses()
{
    const QByteArray home = qgetenv("HOME"), temporary = qgetenv("TMPDIR");
    const QString others = m_folder->filePath(QStringLiteral("others"));
    QVERIFY(QDir().mkpath(others));
    const QString planted = others + QLatin1Char('/') + QFileInfo(*cacheFile(m_trace, {})).fileName();
    writeTrace(planted, "planted");
    qunsetenv("XDG_CACHE_HOME");
    qunsetenv("HOME");
    qputenv("TMPDIR", QFile::encodeName(m_folder->path()));
    QVERIFY(QFile::link(others, cacheFolder()));
    const auto opened = openTrace(m_trace, {}, Progress{});
    const auto entries = cacheEntries();
    const auto cleared = clearCache();
    trimCache(0, {});
    const auto made = makeFolder(UserFolder::Cache);
    // Elsewhere a link may lead to another disk, if it is the user's own.
    qputenv("XDG_CACHE_HOME", QFile::encodeName(m_folder->path()) + "/below/");
    QVERIFY(QDir().mkpath(m_folder->filePath(QStringLiteral("below"))));
    QVERIFY(QFile::link(others, cacheFolder()));
    QVERIFY(checkFolder(UserFolder::Cache));
    if (::lchown(QFile::encodeName(cacheFolder()).constData(), 12345, -1) == 0)
        QVERIFY(!checkFolder(UserFolder::Cache));
    qputenv("HOME", home);
    if (temporary.isNull()) qunsetenv("TMPDIR");
    else qputenv("TMPDIR", temporary);
    QVERIFY(!opened && !cleared && !made);
    QVERIFY(entries.empty());
    QCOMPARE(content(planted), QByteArray("planted"));
}

LONGPOLE_TEST(TestTraceCache)
#include "tst_tracecache.moc"
