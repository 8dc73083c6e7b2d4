// SPDX-License-Identifier: GPL-3.0-or-later
// What explains no figures of a file, as it costs nothing on the disk or by mail: holes in it, and further names.
#include "core/file/filedata.h"
#include "core/file/sqlitevfs.h"
#include "core/smalltrace.h"
#include "core/store/tracestore.h"
#include "support/testmain.h"

#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>

using namespace longpole;

class TestFileData : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    int m_traces = 0;

    QString trace()
    {
        const QString path = m_folder.filePath(QStringLiteral("%1.longpole").arg(++m_traces));
        return writeSmallTrace(path).ok() ? path : QString();
    }

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // A hole costs nothing, and what is not there explains no figures; nor does what comes later.
    void holesExplainNothing()
    {
        const QString path = trace();
        const auto before = StoreFile::open(path);
        QVERIFY(before.ok());
        const std::int64_t bytes = QFileInfo(path).size();
        QCOMPARE((*before)->bytes(), bytes);
        constexpr std::int64_t much = 1 << 30;
        QVERIFY(QFile::resize(path, much));
        QCOMPARE((*before)->bytes(), bytes);
        QCOMPARE((*before)->length(), much);
        const auto after = StoreFile::open(path);
        QVERIFY(after.ok());
        QVERIFY2((*after)->bytes() < 3 * bytes + (1 << 17), qPrintable(QString::number((*after)->bytes())));
        QVERIFY(TraceStore::open(path).ok());  // it has all that it says
    }

    // Names cost as little as holes: a file counts once, whatever leads to it.
    void namesExplainNothing()
    {
        const QString path = trace(), linked = m_folder.filePath(QStringLiteral("linked")),
                      hard = m_folder.filePath(QStringLiteral("hard"));
        QVERIFY(QFile::link(path, linked));
        std::filesystem::create_hard_link(path.toStdString(), hard.toStdString());
        BytesOfFiles bytes;
        const std::int64_t size = QFileInfo(path).size();
        QCOMPARE(bytes.add(path), size);
        for (const QString& name : {path, linked, hard, m_folder.path(), QStringLiteral("/dev/zero")})
            QCOMPARE(bytes.add(name), 0);
        QCOMPARE(bytes.sum(), size);
        QCOMPARE(bytes.add(trace()), size);
        QCOMPARE(bytes.sum(), 2 * size);
    }
};

LONGPOLE_TEST(TestFileData)
#include "tst_filedata.moc"
