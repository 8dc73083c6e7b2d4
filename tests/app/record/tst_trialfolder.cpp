// SPDX-License-Identifier: GPL-3.0-or-later
// The copy that a run is tried in, and its end: nothing outside of it changes, whatever rights its folders have.
#include "app/record/trialfolder.h"

#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace longpole;

class TestTrialFolder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // As a user whom rights bind: root may do all.
    void init()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        m_folder = std::make_unique<QTemporaryDir>();
        m_before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(m_folder->path()));
        constexpr uid_t nobody = 65534;
        if (::geteuid() != 0) return;
        QCOMPARE(::chown(QFile::encodeName(m_folder->path()).constData(), nobody, gid_t(-1)), 0);
        QCOMPARE(::seteuid(nobody), 0);
    }
    void cleanup()
    {
        if (::getuid() == 0) QCOMPARE(::seteuid(0), 0);
        QVERIFY(QDir::setCurrent(m_before));
        static_cast<void>(::chmod(QFile::encodeName(path("run/tools")).constData(), 0700));
        m_folder.reset();
    }

    // A folder that nobody may write into is copied with what is in it.
    void foldersOfNoRights()
    {
        makeRun();
        const TrialFolder trial;
        QVERIFY(trial.isValid());
        const Result<QString> copy = trial.copyOf(path("run"), Progress{});
        QVERIFY2(copy.ok(), copy.ok() ? "" : qPrintable(copy.error().what));
        QCOMPARE(modeOf(*copy + QStringLiteral("/tools")), 0555u);
        QVERIFY(QFileInfo(*copy + QStringLiteral("/tools/tool")).isFile());
    }

    // Pipes are made anew, and sockets are of the program that listens there.
    void pipesAndSockets()
    {
        makeRun();
        QCOMPARE(::mkfifo(QFile::encodeName(path("run/pipe")).constData(), 0600), 0);
        QVERIFY(QDir::setCurrent(path("run")));
        const int listening = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un address{.sun_family = AF_UNIX, .sun_path = "socket"};
        QCOMPARE(::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        QVERIFY(QDir::setCurrent(m_folder->path()));
        const TrialFolder trial;
        const Result<QString> copy = trial.copyOf(path("run"), Progress{});
        ::close(listening);
        QVERIFY2(copy.ok(), copy.ok() ? "" : qPrintable(copy.error().what));
        struct stat status {};
        QCOMPARE(::stat(QFile::encodeName(*copy + QStringLiteral("/pipe")).constData(), &status), 0);
        QVERIFY(S_ISFIFO(status.st_mode));
        QVERIFY(!QFileInfo::exists(*copy + QStringLiteral("/socket")));
        QVERIFY(QFileInfo(*copy + QStringLiteral("/tools/tool")).isFile());
    }

    // Also where the run took the rights: what a link in such a folder leads to keeps its own.
    void theCopyEnds()
    {
        makeRun();
        {
            const TrialFolder trial;
            const Result<QString> copy = trial.copyOf(path("run"), Progress{});
            QVERIFY(copy.ok());
            QCOMPARE(::chmod(QFile::encodeName(*copy).constData(), 0555), 0);
        }
        QCOMPARE(modeOf(path("kept")), 0444u);
        QCOMPARE(modeOf(path("run/tools")), 0555u);
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 (QStringList{QStringLiteral("kept"), QStringLiteral("run")}));
    }

    // Who may write in the current folder, too, gives its name to a link: what that leads to stays as it is.
    void aLinkInItsPlace()
    {
        if (::getuid() == 0) QCOMPARE(::seteuid(0), 0);  // else /proc is root's
        QVERIFY(QDir().mkpath(path("home/locked")));
        QCOMPARE(::chmod(QFile::encodeName(path("home/locked")).constData(), 0500), 0);
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("a folder cannot be removed")));
        {
            const TrialFolder trial;
            QVERIFY(trial.isValid());
            const QString named = QFileInfo(trial.namedPath(QStringLiteral("x"))).path();
            QVERIFY(QFile::rename(named, path("moved")) && QFile::link(path("home"), named));
            QFile output(trial.filePath(QStringLiteral("output")));
            QVERIFY(output.open(QIODevice::WriteOnly));
            QVERIFY(QFileInfo::exists(path("moved/output")));
        }
        QCOMPARE(modeOf(path("home/locked")), 0500u);
        QCOMPARE(QDir(path("home")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList{QStringLiteral("locked")});
        QVERIFY(QDir(path("moved")).isEmpty());
    }

private:
    QString path(const char* name) const { return m_folder->filePath(QLatin1String(name)); }
    static unsigned modeOf(const QString& path)
    {
        struct stat status {};
        return ::stat(QFile::encodeName(path).constData(), &status) == 0 ? status.st_mode & 07777u : 0;
    }

    // A folder "run" with another in it that is read-only, with a link out of it.
    void makeRun() const
    {
        QVERIFY(QDir().mkpath(path("run/tools")));
        for (const char* name : {"kept", "run/tools/tool"}) {
            QFile file(path(name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write("12") == 2);
            QCOMPARE(::fchmod(file.handle(), 0444), 0);
        }
        QVERIFY(QFile::link(path("kept"), path("run/tools/link")));
        QCOMPARE(::chmod(QFile::encodeName(path("run/tools")).constData(), 0555), 0);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_before;
};

LONGPOLE_TEST(TestTrialFolder)
#include "tst_trialfolder.moc"
