// SPDX-License-Identifier: GPL-3.0-or-later
// What the user has added to a run is there again when the run is imported again, and where earlier versions left it.
#include "analysis/phases/foldedtrace.h"
#include "app/common/sidefiles.h"
#include "app/common/tracecache.h"
#include "app/common/userfolders.h"

#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <vector>

#include <sys/stat.h>

using namespace longpole;

class TestSideFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_CACHE_HOME", QFile::encodeName(m_folder->filePath(QStringLiteral("cache"))));
        qputenv("XDG_DATA_HOME", QFile::encodeName(m_folder->filePath(QStringLiteral("data"))));
    }

    // Another file, with another stamp: names of another run are in it.
    void aRunThatIsImportedAgain()
    {
        const auto first = imported({});
        ImportOptions options;
        options.symbols = QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4/nqueen.sts");
        const auto second = imported(options);
        QVERIFY(first->path() != second->path());
        QCOMPARE(sideFilePath(*first), sideFilePath(*second));
        QVERIFY(sideFilePath(*first).startsWith(m_folder->filePath(QStringLiteral("data/longpole/kept/side/"))));
        QVERIFY(clearCache().ok());
        QCOMPARE(sideFilePath(*imported({})), sideFilePath(*first));
        // Moved, and with other dates, for which it is imported anew.
        QVERIFY(QDir().mkpath(m_folder->filePath(QStringLiteral("moved"))));
        const QDir there(QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4"));
        for (const QString& name : there.entryList(QDir::Files))
            QVERIFY(QFile::copy(there.filePath(name), m_folder->filePath(QStringLiteral("moved/") + name)));
        const auto moved = openTrace(m_folder->filePath(QStringLiteral("moved")), {}, Progress());
        QVERIFY(moved.ok() && moved->store->stamp() != first->stamp());
        QCOMPARE(sideFilePath(*moved->store), sideFilePath(*first));
        const auto other = openTrace(QStringLiteral(LONGPOLE_TEST_DATA "/blocker_p6"), {}, Progress());
        QVERIFY(other.ok() && sideFilePath(*other->store) != sideFilePath(*first));
    }

    // What is made of a run has a time of its own.
    void aFoldedRunHasItsOwn()
    {
        const auto trace = imported({});
        const TimeRange run = trace->info().range();
        const TimeNs middle = run.begin + run.length() / 2;
        const std::vector<TimeRange> halves{{run.begin, middle}, {middle, run.end}};
        const QString path = m_folder->filePath(QStringLiteral("folded.longpole"));
        QVERIFY(foldTrace(*trace, halves, path, Progress()).ok());
        const auto folded = TraceStore::open(path);
        QVERIFY(folded.ok());
        QCOMPARE(QFileInfo(sideFilePath(**folded)).completeBaseName(), (*folded)->stamp());
    }

    // Earlier versions kept it in the cache, by the stamp. It is taken once, and stays there for them.
    void whatEarlierVersionsKept()
    {
        const auto trace = imported({});
        const QString earlier = m_folder->filePath(QStringLiteral("cache/longpole/side/%1.json").arg(trace->stamp()));
        takeEarlierSideFile(*trace);
        QVERIFY(!QFile::exists(sideFilePath(*trace)));
        write(earlier, "earlier");
        takeEarlierSideFile(*trace);
        QCOMPARE(content(sideFilePath(*trace)), QByteArray("earlier"));
        QVERIFY(QFile::exists(earlier));
        struct stat status {};
        QCOMPARE(::stat(QFile::encodeName(pathOf(UserFolder::Kept)).constData(), &status), 0);
        QCOMPARE(status.st_mode & 0777u, 0700u);
        write(sideFilePath(*trace), "newer");
        takeEarlierSideFile(*trace);
        QCOMPARE(content(sideFilePath(*trace)), QByteArray("newer"));
    }

    // By the stamps, where they name it; what is there already stays.
    void whatATraceHasBecome()
    {
        const auto side = [](UserFolder folder, const char* name) {
            return QString(pathOf(folder) + QStringLiteral("/side/%1.json").arg(QLatin1String(name)));
        };
        for (const UserFolder folder : {UserFolder::Kept, UserFolder::Cache}) write(side(folder, "a"), "of a");
        write(side(UserFolder::Kept, "c"), "of c");
        const auto carry = [](const char* from, const char* to) {
            return carrySideFile({.stampBefore = QLatin1String(from), .stampAfter = QLatin1String(to)}).ok();
        };
        QVERIFY(carry("a", "b") && carry("a", "c") && carry("none", "d"));
        for (const UserFolder folder : {UserFolder::Kept, UserFolder::Cache})
            QCOMPARE(content(side(folder, "b")), QByteArray("of a"));
        QCOMPARE(content(side(UserFolder::Kept, "c")), QByteArray("of c"));
        QVERIFY(!QFile::exists(side(UserFolder::Kept, "d")));
        QVERIFY(!carry("a", "no/folder"));  // it is said
    }

    // Nothing is put where somebody else could have put it.
    void aFolderThatIsNone()
    {
        const auto trace = imported({});
        write(m_folder->filePath(QStringLiteral("cache/longpole/side/%1.json").arg(trace->stamp())), "earlier");
        write(m_folder->filePath(QStringLiteral("data/longpole/kept")), "a file");
        takeEarlierSideFile(*trace);
        QCOMPARE(content(m_folder->filePath(QStringLiteral("data/longpole/kept"))), QByteArray("a file"));
        const Result<> checked = checkFolder(UserFolder::Kept);
        QVERIFY(!checked.ok() && checked.error().hint.contains(QStringLiteral("XDG_DATA_HOME")));
    }

private:
    static std::shared_ptr<const TraceStore> imported(const ImportOptions& options)
    {
        auto opened = openTrace(QStringLiteral(LONGPOLE_TEST_DATA "/nqueen_p4"), options, Progress());
        if (!opened) qFatal("%s", qPrintable(opened.error().what));
        return opened->store;
    }
    static void write(const QString& path, const QByteArray& bytes)
    {
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    }
    static QByteArray content(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("not there");
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

LONGPOLE_TEST(TestSideFiles)
#include "tst_sidefiles.moc"
