// SPDX-License-Identifier: GPL-3.0-or-later
// A writer that fails, dies or is cancelled leaves nothing, whoever else writes beside it, and what could not be
// written is said.
#include "core/base/partfile.h"
#include "core/smalltrace.h"
#include "core/store/tracestore.h"
#include "core/store/tracewriter.h"
#include "core/writtenstreams.h"

#include "support/testmain.h"
#include "support/texts.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace longpole;

namespace {

// Runs `body` in a child process and returns its exit status as waitpid gives it.
template <typename Body>
int inChild(Body body)
{
    const pid_t child = ::fork();
    if (child == 0) ::_exit(body());
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

}  // namespace

class TestUnfinishedFiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void nothingIsLeftWithoutFinish()
    {
        const QTemporaryDir folder;
        {
            auto writer = TraceWriter::create(folder.filePath(QStringLiteral("a")));
            QVERIFY(writer.ok());
            writeSmallEvents(**writer);
            QCOMPARE(filesIn(folder).size(), 1);
        }
        QCOMPARE(filesIn(folder), QStringList());
    }

    void cancelledLeavesNothing()
    {
        const QTemporaryDir folder;
        auto writer = TraceWriter::create(folder.filePath(QStringLiteral("a")));
        QVERIFY(writer.ok());
        writeSmallEvents(**writer);
        Progress progress;
        progress.cancel();
        const Result<> finished = (*writer)->finish(progress);
        QVERIFY(!finished);
        QVERIFY(wasCancelled(finished.error()));
        QCOMPARE(filesIn(folder), QStringList());
    }

    void anOldFileStaysUntilTheNewOneIsDone()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        QVERIFY(writeSmallTrace(path).ok());
        const QByteArray old = contentOf(path);
        {
            auto writer = TraceWriter::create(path);
            QVERIFY(writer.ok());
            writeSmallEvents(**writer);
            QCOMPARE(contentOf(path), old);
        }
        QCOMPARE(contentOf(path), old);
        QVERIFY(writeSmallTrace(path).ok());
    }

    void twoWritersOfOneFileAreRefused()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        auto first = TraceWriter::create(path);
        QVERIFY(first.ok());
        const auto second = TraceWriter::create(path);
        QVERIFY(!second);
        QCOMPARE(second.error().what, QStringLiteral("The file is being written already."));
        writeSmallEvents(**first);
        QVERIFY((*first)->finish(Progress()).ok());
    }

    void aFolderThatIsNotThereIsSaid()
    {
        const QTemporaryDir folder;
        const auto writer = TraceWriter::create(folder.filePath(QStringLiteral("none/a")));
        QVERIFY(!writer);
        QCOMPARE(writer.error().where, folder.filePath(QStringLiteral("none/a")));
        QVERIFY(!TraceWriter::create(folder.path()));
    }

    void aKilledWriterLeavesNothingThatOpens()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        int pipe[2];
        QCOMPARE(::pipe(pipe), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            auto writer = TraceWriter::create(path);
            if (!writer) ::_exit(1);
            const auto stream = (*writer)->stream(0);
            for (std::uint32_t round = 0;; ++round) {
                fill(*stream, round);
                if (round == 3 && ::write(pipe[1], "x", 1) != 1) ::_exit(2);
            }
        }
        char ready = 0;
        QCOMPARE(::read(pipe[0], &ready, 1), ssize_t{1});
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        ::close(pipe[0]);
        ::close(pipe[1]);
        const QStringList left = filesIn(folder);
        QCOMPARE(left.size(), 1);
        QVERIFY2(left[0].startsWith(QStringLiteral("a.part-")), qPrintable(left[0]));
        QVERIFY(!TraceStore::open(folder.filePath(left[0])));
        // The next writer of the same file clears up.
        QVERIFY(writeSmallTrace(path).ok());
        QCOMPARE(filesIn(folder), QStringList{QStringLiteral("a")});
    }

    void aLivingWriterIsLeftAlone()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        auto writer = TraceWriter::create(path);
        QVERIFY(writer.ok());
        const int status = inChild([&] {
            const Result<> written = writeSmallTrace(path);
            return written ? 0 : 1;
        });
        QCOMPARE(status, 0);
        QCOMPARE(filesIn(folder).size(), 2);
        writeSmallEvents(**writer);
        QVERIFY((*writer)->finish(Progress()).ok());
        QCOMPARE(filesIn(folder), QStringList{QStringLiteral("a")});
    }

    void aFullDiskIsSaid_data()
    {
        QTest::addColumn<int>("kilobytes");
        QTest::newRow("at once") << 20;
        QTest::newRow("in the middle") << 800;
    }
    // The limit on a file's size stands for the disk's.
    void aFullDiskIsSaid()
    {
        QFETCH(int, kilobytes);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a"));
        const int status = inChild([&] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{static_cast<rlim_t>(kilobytes) * 1024, RLIM_INFINITY};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            auto writer = TraceWriter::create(path);
            if (!writer) return 1;
            {
                const auto stream = (*writer)->stream(0);
                for (std::uint32_t round = 0; round < 10; ++round) fill(*stream, round);
            }
            const Result<> finished = (*writer)->finish(Progress());
            if (finished) return 2;
            if (finished.error().hint.isEmpty()) return 3;
            return QFile::exists(path) ? 4 : 0;
        });
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
        QCOMPARE(filesIn(folder), QStringList());
    }

    void failuresShowEarly()
    {
        const QTemporaryDir folder;
        const int status = inChild([&] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{100 * 1024, RLIM_INFINITY};
            ::setrlimit(RLIMIT_FSIZE, &limit);
            auto writer = TraceWriter::create(folder.filePath(QStringLiteral("a")));
            if (!writer || (*writer)->hasFailed()) return 1;
            const auto stream = (*writer)->stream(0);
            for (std::uint32_t round = 0; round < 200; ++round) {
                fill(*stream, round);
                if ((*writer)->hasFailed()) return 0;
            }
            return 2;
        });
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }

    // Names and contents that are nearly ours: notes, pieces that split made, a copy.
    void onlyOurOwnPartsAreRemoved()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("x.longpole"));
        QVERIFY(writeSmallTrace(path).ok());
        QFile whole(path);
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray content = whole.readAll();
        const auto put = [&](const char* ending, const QByteArray& bytes) {
            QFile file(path + QLatin1String(ending));
            return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
        };
        QVERIFY(put(".part-notes.txt", "mine"));
        QVERIFY(put(".part-00", content.left(16384)));
        QVERIFY(put(".part-1", content.mid(16384, 16384)));
        QVERIFY(put(".part-2", content));
        QVERIFY(put(".part-3",
                    "some other text, and it is long enough to be one, but no header of SQLite's at all, "
                    "which has a hundred bytes"));
        QVERIFY(put(".part-4", ""));  // a writer that died before it wrote anything
        QVERIFY(put(".part-5", QByteArray(16384, '\0')));
        const QByteArray ours = QFile::encodeName(path + QStringLiteral(".part-5"));
        const bool hasAttributes = ::setxattr(ours.constData(), "user.longpole.part", "", 0, 0) == 0;
        QVERIFY(put(".part-7", QByteArray(2000, '\0')));  // space for a download
        QVERIFY(put(".part-8", QByteArray(16384, '\0')));
        QByteArray unfinished = content;
        unfinished[71] = 'P';
        QVERIFY(put(".part-6", unfinished));
        QVERIFY(writeSmallTrace(path).ok());
        if (!hasAttributes) QVERIFY(put(".part-8", "was taken for ours"));
        QCOMPARE(filesIn(folder),
                 (QStringList{QStringLiteral("x.longpole"), QStringLiteral("x.longpole.part-00"),
                              QStringLiteral("x.longpole.part-1"), QStringLiteral("x.longpole.part-2"),
                              QStringLiteral("x.longpole.part-3"), QStringLiteral("x.longpole.part-7"),
                              QStringLiteral("x.longpole.part-8"), QStringLiteral("x.longpole.part-notes.txt")}));
    }

    // A process that is killed when all is written, and before the file gets its name.
    void aWholePartOfADeadProcessIsRemoved()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("x.longpole"));
        QVERIFY(writeSmallTrace(path).ok());
        const QByteArray name = QFile::encodeName(path);
        QVERIFY(::getxattr(name.constData(), "user.longpole.part", nullptr, 0) < 0);
        if (::setxattr(name.constData(), "user.longpole.test", "", 0, 0) != 0) QSKIP("no attributes of files here");
        QFile whole(path);
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray content = whole.readAll();
        const pid_t pid = ::fork();
        QVERIFY(pid >= 0);
        if (pid == 0) {
            const Result<PartFile> part = PartFile::create(path);
            QFile file(part ? part->path() : QString());
            const bool isWritten = file.open(QIODevice::ReadWrite) && file.write(content) == content.size();
            ::_exit(isWritten && file.flush() ? 0 : 1);
        }
        int status = 0;
        QCOMPARE(::waitpid(pid, &status, 0), pid);
        QCOMPARE(status, 0);
        const QString left = QStringLiteral("x.longpole.part-%1").arg(pid);
        QCOMPARE(filesIn(folder), (QStringList{QStringLiteral("x.longpole"), left}));
        QVERIFY(writeSmallTrace(path).ok());
        QCOMPARE(filesIn(folder), QStringList{QStringLiteral("x.longpole")});
    }

    // Each looks for abandoned parts while the others create theirs.
    void manyProcessesWriteOneTarget()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("x.longpole"));
        std::vector<pid_t> children;
        for (int child = 0; child < 8; ++child) {
            const pid_t pid = ::fork();
            QVERIFY(pid >= 0);
            if (pid == 0) {
                int failures = 0;
                for (int round = 0; round < 400; ++round) {
                    Result<PartFile> part = PartFile::create(path);
                    if (!part || !part->publish()) ++failures;
                }
                ::_exit(std::min(failures, 100));
            }
            children.push_back(pid);
        }
        int failures = 0;
        for (const pid_t pid : children) {
            int status = 0;
            QCOMPARE(::waitpid(pid, &status, 0), pid);
            failures += WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
        }
        QCOMPARE(failures, 0);
        QCOMPARE(filesIn(folder), QStringList{QStringLiteral("x.longpole")});
    }

    // What is being written is nobody else's to read; what is written is as the user has it.
    void rightsOfWhatIsWritten()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("x.longpole"));
        const mode_t before = ::umask(022);
        struct stat status {};
        {
            Result<PartFile> part = PartFile::create(path);
            QVERIFY(part.ok());
            QCOMPARE(::stat(QFile::encodeName(part->path()).constData(), &status), 0);
            QCOMPARE(status.st_mode & 0777, 0600u);
            QVERIFY(part->publish().ok());
        }
        QCOMPARE(::stat(QFile::encodeName(path).constData(), &status), 0);
        QCOMPARE(status.st_mode & 0777, 0644u);
        // One that the user has made private stays so.
        QCOMPARE(::chmod(QFile::encodeName(path).constData(), 0600), 0);
        {
            Result<PartFile> part = PartFile::create(path);
            QVERIFY(part.ok() && part->publish().ok());
        }
        QCOMPARE(::stat(QFile::encodeName(path).constData(), &status), 0);
        QCOMPARE(status.st_mode & 0777, 0600u);
        ::umask(before);
    }
};

LONGPOLE_TEST(TestUnfinishedFiles)
#include "tst_unfinishedfiles.moc"
