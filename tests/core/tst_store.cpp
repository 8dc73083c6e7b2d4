// What a writer stores, a store gives back: definitions, rows, tiles, single tasks and messages.
#include "core/tracestore.h"
#include "core/tracewriter.h"
#include "core/format.h"

#include "core/smalltrace.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

using namespace longpole;

class TestStore : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void definitionsComeBack()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a.longpole"));
        const Result<> written = writeSmallTrace(path);
        QVERIFY2(written.ok(), written ? "" : qPrintable(toText(written.error())));
        const auto store = TraceStore::open(path);
        QVERIFY2(store.ok(), store ? "" : qPrintable(toText(store.error())));
        const TraceStore& trace = **store;
        QCOMPARE(trace.info().program, QStringLiteral("ring"));
        QCOMPARE(trace.info().range(), (TimeRange{1000, 9000}));
        QCOMPARE(trace.processors().size(), std::size_t{2});
        QCOMPARE(trace.processors()[1].name, QStringLiteral("PE 1"));
        QCOMPARE(trace.entry(EntryId{1})->name, QStringLiteral("pass(int)"));
        QCOMPARE(trace.entry(EntryId{9}), static_cast<const Entry*>(nullptr));
        QCOMPARE(trace.text(7), QStringLiteral("note \u00e4"));
        QCOMPARE(trace.issues().size(), std::size_t{1});
        QCOMPARE(trace.issues()[0], (Issue{QStringLiteral("unmatched"), 5, QStringLiteral("ring.1.log, line 3")}));
        QCOMPARE(trace.stamp().size(), 32);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{QStringLiteral("a.longpole")});
    }
};

QTEST_GUILESS_MAIN(TestStore)
#include "tst_store.moc"
