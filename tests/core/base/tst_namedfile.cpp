// SPDX-License-Identifier: GPL-3.0-or-later
// Files that a user names are written whole or not at all, through no link, and replace nothing but files.
#include "core/base/namedfile.h"

#include "support/testmain.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QIODevice>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

using namespace longpole;

class TestNamedFile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void writesAndReplaces()
    {
        const QString path = m_folder.filePath(QStringLiteral("a.csv"));
        for (const char* const text : {"first, and longer", "second"}) {
            const Result<> written = writeNamedFile(path, QByteArray(text));
            QVERIFY2(written.ok(), written ? "" : qPrintable(toText(written.error())));
            const Result<QByteArray> there = bytesOfNamedFile(path, 100);
            QVERIFY(there.ok());
            QCOMPARE(*there, QByteArray(text));
        }
    }

    // In a folder that others share a link of the name may come while the file is written.
    void replacesALinkThatComes()
    {
        const QString path = m_folder.filePath(QStringLiteral("shared.html"));
        const QString victim = m_folder.filePath(QStringLiteral("victim"));
        QVERIFY(writeNamedFile(victim, QByteArray("precious")).ok());
        const Result<> written = writeNamedFile(path, [&](QIODevice& out) -> Result<> {
            out.write("the report");
            if (!QFile::link(victim, path)) return Error{QStringLiteral("no link"), path, {}};
            return Unit{};
        });
        QVERIFY2(written.ok(), written ? "" : qPrintable(toText(written.error())));
        QVERIFY(!QFileInfo(path).isSymLink());
        QCOMPARE(*bytesOfNamedFile(path, 100), QByteArray("the report"));
        QCOMPARE(*bytesOfNamedFile(victim, 100), QByteArray("precious"));
    }
    // As the user made them, or as the mask of the process has it.
    void keepsRights()
    {
        const QString path = m_folder.filePath(QStringLiteral("rights.csv"));
        const auto rights = [&path] {
            struct stat status {};
            return ::stat(QFile::encodeName(path).constData(), &status) == 0 ? int(status.st_mode & 0777) : -1;
        };
        const mode_t before = ::umask(027);
        const bool isWritten = writeNamedFile(path, QByteArray("a")).ok();
        ::umask(before);
        QVERIFY(isWritten);
        QCOMPARE(rights(), 0640);
        QVERIFY(::chmod(QFile::encodeName(path).constData(), 0600) == 0);
        QVERIFY(writeNamedFile(path, QByteArray("b")).ok());
        QCOMPARE(rights(), 0600);
        QCOMPARE(QDir(m_folder.path()).entryList({QStringLiteral("rights.csv?*")}, QDir::Files | QDir::Hidden),
                 QStringList());
    }

    // What leads elsewhere, or is no file, stays as it is; and what a link leads to.
    void refuses_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("why");
        const auto row = [](const char* name, const char* why) {
            QTest::newRow(name) << QString::fromLatin1(name) << QString::fromLatin1(why);
        };
        row("to-file", "This is a link");
        row("to-nothing", "This is a link");
        row("to-folder", "This is a link");
        row("folder", "This is a folder");
        row("pipe", "This is no ordinary file");
        row("none/a.csv", "The file cannot be written: ");
    }
    void refuses()
    {
        QFETCH(QString, name);
        QFETCH(QString, why);
        const QString path = m_folder.filePath(name);
        const Result<> written = writeNamedFile(path, QByteArray("x"));
        QVERIFY(!written);
        QVERIFY2(written.error().what.startsWith(why), qPrintable(written.error().what));
        QCOMPARE(written.error().where, path);
        QCOMPARE(bytesOf(QStringLiteral("kept")), QByteArray("kept"));
        QVERIFY(!QFileInfo::exists(m_folder.filePath(QStringLiteral("nothing"))));
        QCOMPARE(QFileInfo(path).isSymLink(), name.startsWith(QStringLiteral("to-")));
    }

    // An error in the middle leaves what was there.
    void errorsLeaveTheFile()
    {
        const QString path = m_folder.filePath(QStringLiteral("kept"));
        const Result<> written = writeNamedFile(path, [](QIODevice& out) -> Result<> {
            out.write("half");
            return Error{QStringLiteral("Enough."), {}, {}};
        });
        QVERIFY(!written);
        QCOMPARE(written.error().what, QStringLiteral("Enough."));
        QCOMPARE(bytesOf(QStringLiteral("kept")), QByteArray("kept"));
    }

    void initTestCase()
    {
        QFile kept(m_folder.filePath(QStringLiteral("kept")));
        QVERIFY(kept.open(QIODevice::WriteOnly) && kept.write("kept") == 4);
        QVERIFY(QDir(m_folder.path()).mkdir(QStringLiteral("folder")));
        const auto link = [this](const char* target, const char* name) {
            return QFile::link(m_folder.filePath(QString::fromLatin1(target)),
                               m_folder.filePath(QString::fromLatin1(name)));
        };
        QVERIFY(link("kept", "to-file") && link("nothing", "to-nothing") && link("folder", "to-folder"));
        QCOMPARE(::mkfifo(QFile::encodeName(m_folder.filePath(QStringLiteral("pipe"))).constData(), 0600), 0);
    }

private:
    QByteArray bytesOf(const QString& name) const
    {
        const Result<QByteArray> bytes = bytesOfNamedFile(m_folder.filePath(name), 100);
        return bytes ? *bytes : QByteArray();
    }

    const QTemporaryDir m_folder;
};

LONGPOLE_TEST(TestNamedFile)
#include "tst_namedfile.moc"
