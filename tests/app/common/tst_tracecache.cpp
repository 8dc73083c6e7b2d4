// SPDX-License-Identifier: GPL-3.0-or-later
// The cache of imported traces: one import, then reuse; damage, two at once, clearing, the oldest first.
#include "app/common/tracecache.h"
#include "app/common/userfolders.h"
#include "app/jsonschema.h"
#include "app/program.h"

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
    void readOnlyTargetStays();
    void foldersThatAreNoHome();
    void foldersThatAreSomebodyElses();
    void tracesOfOthersAreNotTaken();
    void exchangedFolder_data();
    void exchangedFolder();

private:
    QString cacheOf(const QString& name) const { return m_folder->filePath(name); }
    void copyTrace(const QString& to) const;

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

// It could have been laid there while others might write in the folder: the run is imported anew.
void TestTraceCache::tracesOfOthersAreNotTaken()
{
    if (::geteuid() != 0) QSKIP("only root gives files away");
    const QString file = *cacheFile(m_trace, {});
    QVERIFY(openTrace(QStringLiteral(LONGPOLE_TEST_DATA "/jacobi2d_sdag_p4"), {}, Progress{}));
    const QString another = cacheFolder() + QLatin1Char('/') + filesIn(cacheFolder()).front();
    QVERIFY(QFile::rename(another, file));
    QCOMPARE(openTrace(m_trace, {}, Progress{})->store->info().program, QStringLiteral("jacobi2d"));
    QCOMPARE(::chown(QFile::encodeName(file).constData(), 65534, 65534), 0);
    const auto opened = openTrace(m_trace, {}, Progress{});
    QVERIFY(opened && !opened->fromCache);
    QCOMPARE(opened->store->info().program, QStringLiteral("nqueen"));
}

void TestTraceCache::exchangedFolder_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<bool>("isCached");
    const QStringList info{QStringLiteral("info"), QStringLiteral("--json"), m_trace};
    QTest::newRow("opened") << info << true;
    QTest::newRow("imported") << info << false;
    QTest::newRow("cleared") << QStringList{QStringLiteral("cache"), QStringLiteral("clear")} << true;
}

// Somebody who may write in the folder around it gives its name to another one, where another trace has the file's
// name: it is never taken for the trace that was asked for, and what the user has there stays.
void TestTraceCache::exchangedFolder()
{
    QFETCH(QStringList, command);
    QFETCH(bool, isCached);
    const QString file = QFileInfo(*cacheFile(m_trace, {})).fileName(), cache = cacheFolder();
    const QString cached = m_folder->filePath(QStringLiteral("cached.longpole")),
                  planted = m_folder->filePath(QStringLiteral("planted.longpole"));
    const Program program(m_folder->path());
    const QString another = QStringLiteral(LONGPOLE_TEST_DATA "/jacobi2d_sdag_p4");
    QCOMPARE(program({QStringLiteral("import"), m_trace, QStringLiteral("-o"), cached}).code, 0);
    QCOMPARE(program({QStringLiteral("import"), another, QStringLiteral("-o"), planted}).code, 0);
    const QByteArray bytes = content(planted);
    const QString expected = program({QStringLiteral("info"), QStringLiteral("--json"), m_trace}).out;
    const auto run = [&](int call) {
        for (const char* name : {"", ".away", ".other"}) QDir(cache + QLatin1String(name)).removeRecursively();
        for (const char* name : {"", ".other"}) QDir().mkpath(cache + QLatin1String(name));
        const QString inCache = cache + QLatin1Char('/'), inOther = cache + QStringLiteral(".other/");
        if (isCached) QFile::copy(cached, inCache + file);
        QFile::copy(planted, inOther + file);
        writeTrace(inOther + QStringLiteral("thesis.longpole"), "mine");
        writeTrace(inOther + cachedName(7), "mine");
        Program exchanging(m_folder->path());
        exchanging.set(QStringLiteral("LD_PRELOAD"), QStringLiteral(LONGPOLE_FAULTS_LIBRARY));
        exchanging.set(QStringLiteral("LONGPOLE_FAULT"), QStringLiteral("exchange %1").arg(call));
        exchanging.set(QStringLiteral("LONGPOLE_FAULT_FOLDER"), cache);
        exchanging.set(QStringLiteral("LONGPOLE_FAULT_COUNT"), m_folder->filePath(QStringLiteral("calls")));
        return exchanging(command);
    };
    QCOMPARE(run(0).code, 0);
    const int calls = content(m_folder->filePath(QStringLiteral("calls"))).trimmed().toInt();
    QVERIFY(calls > 0);
    for (int call = 1; call <= calls; ++call) {
        const Said said = run(call);
        if (said.code == 0 && command.contains(m_trace)) QCOMPARE(said.out, expected);
        QVERIFY2(said.code == 0 || said.code == 3, qPrintable(said.error));
        const QString there = cache + QLatin1String(QFile::exists(cache + QStringLiteral(".other")) ? ".other/" : "/");
        QCOMPARE(content(there + QStringLiteral("thesis.longpole")), QByteArray("mine"));
        QCOMPARE(content(there + cachedName(7)), QByteArray("mine"));
        QVERIFY(!isCached || content(there + file) == bytes);
    }
}

LONGPOLE_TEST(TestTraceCache)
#include "tst_tracecache.moc"
