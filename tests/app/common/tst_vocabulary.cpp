// SPDX-License-Identifier: GPL-3.0-or-later
// Each trace speaks in its own words: two of different kinds side by side, and from many threads at once.
#include "analysis/base/entrychoice.h"
#include "app/smalltrace.h"
#include "core/store/tracestore.h"

#include "support/testmain.h"

#include <QDirIterator>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

using namespace longpole;
using namespace longpole::test;

class TestVocabulary : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void isStored();
    void saysWholeSentences();
    void speaksOfTwoTracesInWorkers();
    void noTextIsPatched_data();
    void noTextIsPatched();

private:
    QTemporaryDir m_folder;
    std::shared_ptr<const TraceStore> m_objects, m_ranks;
};

void TestVocabulary::initTestCase()
{
    QVERIFY(m_folder.isValid());
    const auto opened = [this](const QString& name, ProgramKind kind) -> std::shared_ptr<const TraceStore> {
        const QString path = m_folder.filePath(name);
        if (!writeHostileTrace(path, kind).ok()) return {};
        auto store = TraceStore::open(path);
        return store ? std::move(*store) : nullptr;
    };
    m_objects = opened(QStringLiteral("objects.longpole"), ProgramKind::MessageDriven);
    m_ranks = opened(QStringLiteral("ranks.longpole"), ProgramKind::Mpi);
    QVERIFY(m_objects && m_ranks);
}

// The format's name says nothing of it.
void TestVocabulary::isStored()
{
    QCOMPARE(m_objects->info().format, m_ranks->info().format);
    QVERIFY(!m_objects->info().hasRanks());
    QVERIFY(m_ranks->info().hasRanks());
    QVERIFY(m_objects->stamp() != m_ranks->stamp());
}

void TestVocabulary::saysWholeSentences()
{
    QCOMPARE(m_objects->words().say(1, 2), 1);
    QCOMPARE(m_ranks->words().say(1, 2), 2);
    constexpr Saying both("Time"), each("on its PE", "on its rank");
    for (const auto& store : {m_objects, m_ranks})
        QCOMPARE(QLatin1String(store->words().say(both)), QLatin1String("Time"));
    QCOMPARE(QLatin1String(m_objects->words().say(each)), QLatin1String("on its PE"));
    QCOMPARE(QLatin1String(m_ranks->words().say(each)), QLatin1String("on its rank"));
}

void TestVocabulary::speaksOfTwoTracesInWorkers()
{
    std::atomic<int> wrong = 0, asked = 0;
    const auto ask = [&](const TraceStore& store, const QString& said) {
        for (int i = 0; i < 500; ++i, ++asked) {
            const auto entry = parseEntry(store, QStringLiteral("nobody"));
            if (entry || !entry.error().what.startsWith(said)) ++wrong;
        }
    };
    std::vector<std::thread> workers;
    for (int i = 0; i < 4; ++i) {
        workers.emplace_back([&] { ask(*m_objects, QStringLiteral("There is no entry method 'nobody'")); });
        workers.emplace_back([&] { ask(*m_ranks, QStringLiteral("There is no region 'nobody'")); });
    }
    for (std::thread& worker : workers) worker.join();
    QCOMPARE(asked.load(), 4000);
    QCOMPARE(wrong.load(), 0);
}

// Regular expressions read names of files and what users type. None changes what the program says, and no translator
// but those of languages is installed.
void TestVocabulary::noTextIsPatched_data()
{
    QTest::addColumn<QString>("room");
    for (const char* room : {"analysis", "app", "core", "importers", "views"})
        QTest::newRow(room) << QString::fromLatin1(room);
}

void TestVocabulary::noTextIsPatched()
{
    QFETCH(QString, room);
    static const QStringList readers = {
        QStringLiteral("analysis/compare/limits.cpp"),      QStringLiteral("analysis/base/namepattern.cpp"),
        QStringLiteral("app/commandline/chartoptions.cpp"), QStringLiteral("app/common/tracecache.cpp"),
        QStringLiteral("app/commands/record.cpp"),          QStringLiteral("core/sql/sqlsession.cpp"),
        QStringLiteral("app/record/mpiprogram.cpp"),        QStringLiteral("app/record/recordingfolder.cpp"),
        QStringLiteral("importers/projections/files.cpp"),  QStringLiteral("importers/summary/files.cpp"),
        QStringLiteral("importers/recording/run.cpp"),      QStringLiteral("views/drawing/charts/processorgrid.cpp"),
        QStringLiteral("views/projection/stagebar.cpp")};
    const QDir root(QStringLiteral(LONGPOLE_SCHEMAS "/../.."));
    QDirIterator files(root.filePath(room), {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files,
                       QDirIterator::Subdirectories);
    int seen = 0;
    while (files.hasNext()) {
        const QString path = files.next();
        QFile file(path);
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(path));
        const QByteArray text = file.readAll();
        const QString name = root.relativeFilePath(path);
        const bool loadsLanguages = name.startsWith(QLatin1String("app/common/translation."));
        QVERIFY2(loadsLanguages || !text.contains("QTranslator"), qPrintable(name));
        QVERIFY2(readers.contains(name) || !text.contains("QRegularExpression("), qPrintable(name));
        QVERIFY2(readers.contains(name) || !text.contains("QRegularExpression "), qPrintable(name));
        ++seen;
    }
    QVERIFY(seen > 10);
}

LONGPOLE_TEST(TestVocabulary)
#include "tst_vocabulary.moc"
