// SPDX-License-Identifier: GPL-3.0-or-later
// The recorder's folder while a program runs: files are made and opened again in the one that was checked, whatever has
// its name by then.
#include "recorder/storage/ownfile.h"

#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cerrno>
#include <iterator>
#include <memory>

#include <fcntl.h>
#include <unistd.h>

class RecordedFolderTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        m_scratch = std::make_unique<QTemporaryDir>();
        QVERIFY(QDir(m_scratch->path()).mkdir(QStringLiteral("run.lprec")));
        QVERIFY(QDir(m_scratch->path()).mkdir(QStringLiteral("foreign")));
        const int fd = ::open(at("run.lprec"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        QVERIFY(fd >= 0);
        QCOMPARE(lp_know_folder(at("run.lprec"), fd), 0);
        ::close(fd);
    }

    void filesAreMadeInIt()
    {
        QVERIFY(isMade("run.lprec/rank-000000.lprank"));
        QVERIFY(!isMade("run.lprec/rank-000000.lprank"));
        QCOMPARE(errno, EEXIST);
        QVERIFY(isMade("foreign/other"));  // of a folder that nobody asked to know
    }

    void anotherFolderGetsNone_data()
    {
        QTest::addColumn<bool>("isLink");
        QTest::newRow("a link") << true;
        QTest::newRow("a folder") << false;
    }
    void anotherFolderGetsNone()
    {
        QFETCH(const bool, isLink);
        lp_own_file own = lp_own(lp_open_within(at("run.lprec/rank-000000.lprank"), O_RDWR | O_CREAT | O_EXCL));
        QVERIFY(own.fd >= 0);
        QVERIFY(QFile::rename(QString::fromUtf8(at("run.lprec")), QString::fromUtf8(at("away"))));
        if (isLink) QVERIFY(QFile::link(QString::fromUtf8(at("foreign")), QString::fromUtf8(at("run.lprec"))));
        else QVERIFY(QDir(m_scratch->path()).mkdir(QStringLiteral("run.lprec")));
        QVERIFY(!isMade("run.lprec/online.jsonl"));
        QCOMPARE(errno, ESTALE);
        QVERIFY(QDir(QString::fromUtf8(at("foreign"))).isEmpty());
        // The program closes the file, which has the name of another one by now.
        ::close(own.fd);
        QVERIFY(!lp_is_own_again(&own, at("run.lprec/rank-000000.lprank")));
        QCOMPARE(errno, ESTALE);
        // Back in its place it goes on.
        QVERIFY(isLink ? QFile::remove(QString::fromUtf8(at("run.lprec")))
                       : QDir(m_scratch->path()).rmdir(QStringLiteral("run.lprec")));
        QVERIFY(QFile::rename(QString::fromUtf8(at("away")), QString::fromUtf8(at("run.lprec"))));
        QVERIFY(lp_is_own_again(&own, at("run.lprec/rank-000000.lprank")));
        lp_disown(&own);
    }

    void noLinkInItIsFollowed()
    {
        QVERIFY(QFile::link(QString::fromUtf8(at("foreign/wanted")), QString::fromUtf8(at("run.lprec/online.jsonl"))));
        QVERIFY(!isMade("run.lprec/online.jsonl"));
        QVERIFY(QDir(QString::fromUtf8(at("foreign"))).isEmpty());
    }

private:
    // A path in the scratch folder, until the next four are asked for.
    const char* at(const char* name)
    {
        m_last = (m_last + 1) % std::size(m_paths);
        m_paths[m_last] = m_scratch->filePath(QLatin1String(name)).toUtf8();
        return m_paths[m_last].constData();
    }
    bool isMade(const char* name)
    {
        const int fd = lp_open_within(at(name), O_WRONLY | O_CREAT | O_EXCL);
        const int error = errno;
        if (fd >= 0) ::close(fd);
        errno = error;
        return fd >= 0;
    }

    std::unique_ptr<QTemporaryDir> m_scratch;
    QByteArray m_paths[4];
    std::size_t m_last = 0;
};

LONGPOLE_TEST(RecordedFolderTest)
#include "tst_recordedfolder.moc"
