// SPDX-License-Identifier: GPL-3.0-or-later
// Recorded merge edges: notes and the lines of a .merges file in, rows of the trace and issues out.
#include "core/trace/columns.h"
#include "importers/smallrun.h"

#include "core/sql/sqlsession.h"
#include "importers/common/importer.h"
#include "importers/common/merges.h"

#include "support/testmain.h"

#include <QRegularExpression>

#include <set>

using namespace longpole;

namespace {

constexpr TrackId mergedPe{1};

// us           100   110  120   130   140
// PE 0          [a 5 6][b 7]               sends 5, 6 (to PE 1) and 7, a broadcast; 4 was sent before any task
// PE 1               [5..][6..][7 ]  [7 ]
class Run : public SmallRun {
public:
    explicit Run(const QByteArray& notes = {})
    {
        symbols(smallSymbols(2));
        log(0, "6 1\n1 4 6 50 4 0 80 0\n2 4 6 100 4 0 80 0 0 0 0 0 5\n1 4 5 104 5 0 80 0\n1 4 5 105 6 0 80 0\n" +
                   notes + "3 0 6 110 4 0 0 6\n2 4 6 112 900 0 80 0 0 0 0 0 5\n1 24 5 115 7 0 80 0\n"
                   "3 0 6 120 900 0 0 6\n7 900\n");
        log(1,
            "6 1\n2 4 5 106 5 0 80 0 1 1\n3 0 5 110 5 0 0 1\n2 4 5 110 6 0 80 0 2 1\n3 0 5 118 6 0 0 1\n"
            "2 4 5 130 7 1 80 0 1 1\n3 0 5 132 7 1 0 1\n2 4 5 140 7 1 80 0 2 1\n3 0 5 144 7 1 0 1\n7 900\n");
    }
    void merges(const QByteArray& text) const { write(QStringLiteral("p.merges"), text); }
};

// Those of merge edges; the run has others.
QString mergeIssuesOf(const TraceStore& store)
{
    const QStringList issues = issuesOf(store).split(QStringLiteral("; "));
    return issues.filter(QStringLiteral("_merge*")).join(QStringLiteral("; "));
}

}  // namespace

class TestMerges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void lines_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("isMerge");
        const auto row = [](const char* text, bool isMerge) { QTest::newRow(text) << QByteArray(text) << isMerge; };
        row("MERGE 1 2 3 4", true);
        row("MERGE\t1  2 3 4 ", true);
        row("MERGE 4294967295 2 3 4294967295", true);
        row("", false);
        row("MERGE", false);
        row("MERGE 1 2 3", false);
        row("MERGE 1 2 3 4 5", false);
        row("MERGE 1 2 3 4x", false);
        row("MERGE1 2 3 4", false);
        row("MERGE -1 2 3 4", false);
        row("MERGE 4294967296 2 3 4", false);
        row("merge 1 2 3 4", false);
        row("MERGED 1 2 3 4", false);
        row("MERGE of two meshes", false);
    }
    void lines()
    {
        QFETCH(QByteArray, text);
        QTEST(parseMerge({text.constData(), static_cast<std::size_t>(text.size())}).has_value(), "isMerge");
        const auto merge = parseMerge("MERGE 1 2 3 4");
        QVERIFY(merge && *merge == (RecordedMerge{.pe = 1, .event = 2, .sourcePe = 3, .sourceEvent = 4}));
    }

    // What each merge edge becomes, whichever way it was recorded. Rows: task, source PE, row, offset, message.
    void edges_data()
    {
        QTest::addColumn<QByteArray>("merge");
        QTest::addColumn<QStringList>("rows");
        QTest::addColumn<QString>("issues");
        const auto row = [](const char* name, const QByteArray& merge, const QStringList& rows, const char* issue) {
            QTest::newRow(name) << merge << rows << QString::fromLatin1(issue);
        };
        row("a buffered message", "MERGE 0 6 0 5", {QStringLiteral("1 0 0 4000 1")}, "");
        row("every execution of a broadcast, by its true key", "MERGE 0 7 0 6",
            {QStringLiteral("2 0 0 5000 2"), QStringLiteral("3 0 0 5000 2")}, "");
        row("the wrong key that the log has", "MERGE 1 7 0 6", {}, "unmatched_merge*1@MERGE 1 7 0 6");
        row("a message sent outside any task", "MERGE 0 6 0 4", {}, "");
        row("no such message", "MERGE 0 6 0 99", {}, "unmatched_merge*1@MERGE 0 6 0 99");
        row("no such PE", "MERGE 0 6 7 5", {}, "unmatched_merge*1@MERGE 0 6 7 5");
        row("nothing executed it", "MERGE 0 98 0 5", {}, "unmatched_merge*1@MERGE 0 98 0 5");
        row("impossible numbers", "MERGE 4294967295 4294967295 4294967295 4294967295", {},
            "unmatched_merge*1@MERGE 4294967295 4294967295 4294967295 4294967295");
    }
    void edges()
    {
        QFETCH(QByteArray, merge);
        QFETCH(QStringList, rows);
        QStringList ofMessages;
        for (const QString& row : rows) ofMessages << row + QStringLiteral(" %1").arg(int(Link::Message));
        const Run noted("28 105 " + QByteArray::number(merge.size()) + merge + "\n");
        const Run listed;
        listed.merges("# what the program buffered\n\n" + merge + "\r\n");
        for (const Run* run : {&noted, &listed}) {
            const auto store = run->import();
            QVERIFY(store);
            QCOMPARE(rowsOf(*store, ChunkKind::Merge, mergedPe), ofMessages);
            QTEST(mergeIssuesOf(*store), "issues");
            QCOMPARE(static_cast<int>(store->chunks(ChunkKind::Mark).size()), 0);
        }
    }

    // An execution whose message no log has still has a key.
    void anUnmatchedExecutionIsNamedByItsOwnKey()
    {
        const Run run;
        run.merges("MERGE 0 900 0 4\nMERGE 0 900 0 5\n");
        const auto store = run.import();
        QVERIFY(store);
        QCOMPARE(rowsOf(*store, ChunkKind::Merge, TrackId{0}), QStringList{QStringLiteral("1 0 0 4000 1 1")});
        QCOMPARE(mergeIssuesOf(*store), QString());
    }

    void manyEdgesAreSortedAndOnceEach()
    {
        const Run run("28 105 13MERGE 0 7 0 6\n28 105 13MERGE 0 6 0 5\n");
        run.merges("MERGE 0 7 0 5\nMERGE 0 6 0 5\nMERGE 0 7 0 6");
        const auto store = run.import();
        QVERIFY(store);
        QCOMPARE(rowsOf(*store, ChunkKind::Merge, mergedPe, {MergeColumn::Task, MergeColumn::Offset}),
                 (QStringList{QStringLiteral("1 4000"), QStringLiteral("2 4000"), QStringLiteral("2 5000"),
                              QStringLiteral("3 4000"), QStringLiteral("3 5000")}));
    }

    void otherNotesStayNotes()
    {
        const Run run("28 105 12MERGE of two\n28 105 12MERGE 0 6 0 \n");
        const auto store = run.import();
        QVERIFY(store);
        QCOMPARE(rowsOf(*store, ChunkKind::Mark, TrackId{0}).size(), 2);
        QCOMPARE(mergeIssuesOf(*store), QString());
    }

    void badLinesAreCounted_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("issue");
        QTest::addColumn<int>("edges");
        const auto row = [](const char* name, const QByteArray& text, const char* issue, int edges) {
            QTest::newRow(name) << text << QString::fromLatin1(issue) << edges;
        };
        row("two of four", "MERGE 0 6 0 5\nMERGE 0 6\n\n0 6 0 5\nMERGE 0 7 0 5\n", "malformed_merge*2@p.merges, line 2",
            3);
        row("the last, without its end", "MERGE 0 6 0 5\nMERGE 0 6 0", "malformed_merge*1@p.merges, line 2", 1);
        row("a very long line", "MERGE 0 6 0 5\n" + QByteArray(600'000, 'x') + "\nMERGE 0 7 0 5",
            "malformed_merge*1@p.merges, line 2", 3);
        row("a long comment", QByteArray("#").repeated(4000) + "\nMERGE 0 6 0 5", "", 1);
        row("zeros", QByteArray(1'000'000, '\0'), "malformed_merge*1@p.merges, line 1", 0);
        row("empty", "", "", 0);
        row("gzip", gzipped("MERGE 0 6 0 5\n"), "", 1);
        row("more than a buffer", QByteArray("MERGE 0 6 0 5\n").repeated(60'000) + "x",
            "malformed_merge*1@p.merges, line 60001", 1);
    }
    void badLinesAreCounted()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, issue);
        QFETCH(int, edges);
        const Run run;
        run.merges(text);
        const auto store = run.import();
        QVERIFY(store);
        QCOMPARE(mergeIssuesOf(*store), issue);
        QCOMPARE(rowsOf(*store, ChunkKind::Merge, mergedPe).size(), edges);
    }

    void aFileThatCannotBeReadIsAnIssue()
    {
        const Run run;
        run.merges(gzipped("MERGE 0 6 0 5\n" + QByteArray(80 << 20, ' ')));  // a bomb
        const auto store = run.import();
        QVERIFY(store);
        QCOMPARE(mergeIssuesOf(*store), QStringLiteral("malformed_merge*2@p.merges, line 2"));
    }

    // A compressed file says the same a million times for a few bytes.
    void manyOfTheSameAreFew()
    {
        const Run run;
        run.merges(QByteArray("MERGE 0 6 0 5\nMERGE 0 6 0 4\n").repeated(600'000));
        ImportLog log;
        const auto read = readMerges(run.path(QStringLiteral("p.merges")), log);
        QVERIFY(read.ok());
        QVERIFY2(read->edges.size() < 200'000, qPrintable(QString::number(read->edges.size())));
        QCOMPARE(std::set(read->edges.begin(), read->edges.end()).size(), std::size_t(2));
        QVERIFY(log.issues().empty());
    }

    void anEditedFileIsAnotherSource()
    {
        const Run run;
        const Importer& importer = *importerFor(run.folder());
        const Result<QString> without = importer.fingerprint(run.folder(), FingerprintOf::Content);
        QVERIFY(without);
        run.merges("MERGE 0 6 0 5\n");
        const Result<QString> one = importer.fingerprint(run.folder(), FingerprintOf::Content);
        QVERIFY(one && *one != *without);
        run.merges("MERGE 0 7 0 5\n");
        QVERIFY(*importer.fingerprint(run.folder(), FingerprintOf::Content) != *one);
        run.write(QStringLiteral("other.merges"), "MERGE 0 7 0 5\n");
        const Result<QString> again = importer.fingerprint(run.folder(), FingerprintOf::Content);
        QFile::remove(run.path(QStringLiteral("other.merges")));
        QCOMPARE(*importer.fingerprint(run.folder(), FingerprintOf::Content), *again);
    }

    // What the module for Charm++ wrote in an earlier run is left out, whatever times the files have.
    void earlierRun_data()
    {
        QTest::addColumn<QByteArray>("first");
        QTest::addColumn<QByteArray>("timestamp");
        QTest::addColumn<bool>("isTaken");
        const auto row = [](const char* name, const QByteArray& first, const QByteArray& timestamp, bool isTaken) {
            QTest::newRow(name) << first << timestamp << isTaken;
        };
        const QByteArray mark = "# longpole-merges ";
        const QByteArray ended = "TIMESTAMP 2026-01-31T09:26:43Z\n";
        row("of this run", mark + "2026-01-31T09:26:42Z\n", ended, true);
        row("after it", mark + "2026-01-31T10:26:42Z\n", ended, true);
        row("of the run before", mark + "2026-01-31T09:26:12Z\n", ended, false);
        row("of another day", mark + "2025-01-31T09:26:12Z\r\n", ended, false);
        row("by hand", "# of 2025-01-31T09:26:12Z\n", ended, true);
        row("no date", mark + "x\n", ended, true);
        row("no date of the run", mark + "2025-01-31T09:26:12Z\n", "", true);
        row("a date without a zone", mark + "2025-01-31T09:26:12Z\n", "TIMESTAMP 2026-01-31T09:26:43\n", true);
    }
    void earlierRun()
    {
        QFETCH(QByteArray, first);
        QFETCH(QByteArray, timestamp);
        QFETCH(bool, isTaken);
        const Run run("28 105 13MERGE 0 7 0 6\n");
        run.symbols(smallSymbols(2, timestamp));
        run.merges(first + "MERGE 0 6 0 5\nMERGE 0 6 0 4\n");
        const auto store = run.import();
        QVERIFY(store);
        // Notes in the logs are the run's own.
        QCOMPARE(rowsOf(*store, ChunkKind::Merge, mergedPe, {MergeColumn::Task}).size(), isTaken ? 3 : 2);
        QCOMPARE(issuesOf(*store).contains(QStringLiteral("earlier_merges*2@p.merges")), !isTaken);
        ImportLog log;
        const auto read = readMerges(run.path(QStringLiteral("p.merges")), log);
        QVERIFY(read && read->edges.size() == 2);
        run.merges(textOfMerges(*read));
        const auto again = readMerges(run.path(QStringLiteral("p.merges")), log);
        QVERIFY(again && again->edges == read->edges && again->written == read->written);
    }

    // Byte for byte, whatever the number of threads.
    void importingAgainGivesTheSameFile()
    {
        const Run run("28 105 13MERGE 0 7 0 6\n");
        run.merges("MERGE 0 6 0 5\nMERGE 9 9 9 9\nMERGE 0 7 0 5\nx\n");
        QByteArray first;
        for (const unsigned threads : {1u, 4u}) {
            const QString target = run.path(QStringLiteral("%1.longpole").arg(threads));
            QVERIFY(importProjections(run.path(QStringLiteral("p.sts")), target, {.symbols = {}, .threads = threads},
                                      Progress())
                        .ok());
            QFile file(target);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray content = file.readAll();
            if (first.isEmpty()) first = content;
            QVERIFY(content == first);
        }
    }

    void sqlShowsThem()
    {
        const Run run;
        run.merges("MERGE 0 6 0 5\nMERGE 0 7 0 6\n");
        const auto store = run.import();
        QVERIFY(store);
        const auto session = SqlSession::open(store);
        QVERIFY(session);
        QStringList rows;
        const auto take = [&rows](std::span<const QVariant> cells) {
            QStringList row;
            for (const QVariant& cell : cells) row += cell.toString();
            rows += row.join(u' ');
            return true;
        };
        const QString query = QStringLiteral(
            "SELECT task, pe, source, source_offset_ns, message FROM merge WHERE pe = 1");
        QVERIFY((*session)
                    ->run(
                        query, [](const QStringList&) {}, take, Progress())
                    .ok());
        QCOMPARE(rows, (QStringList{QStringLiteral("1:1 1 0:0 4000 0:1"), QStringLiteral("1:2 1 0:0 5000 0:2"),
                                    QStringLiteral("1:3 1 0:0 5000 0:2")}));
    }
};

LONGPOLE_TEST(TestMerges)
#include "tst_merges.moc"
