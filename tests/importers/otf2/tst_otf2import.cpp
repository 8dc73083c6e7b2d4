// SPDX-License-Identifier: GPL-3.0-or-later
// OTF2 archives as traces: totals and calls against otf2-print, whatever the number of threads.
#include "core/trace/columns.h"
#include "importers/otf2/import.h"

#include "importers/smallrun.h"
#include "support/otf2/printed.h"
#include "support/testmain.h"

#include <QDir>
#include <QRegularExpression>

using namespace longpole;

namespace {

const QString importFolder = QStringLiteral(LONGPOLE_TEST_DATA "/otf2");

struct Imported {
    QTemporaryDir folder;
    Result<ImportReport> report = Error{};
    std::shared_ptr<const TraceStore> store;

    explicit Imported(const QString& path, unsigned threads = 2)
    {
        const QString target = folder.filePath(QStringLiteral("run.longpole"));
        ImportOptions options;
        options.threads = threads;
        report = importOtf2(path, target, options, {});
        if (!report) return;
        auto opened = TraceStore::open(target);
        if (opened) store = *opened;
    }
    QByteArray bytes() const
    {
        QFile file(folder.filePath(QStringLiteral("run.longpole")));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
};

// Beginning and end of each call that the printed lines hold: what is entered in an MPI region is inside the call.
QStringList callsOf(const QStringList& printed)
{
    QStringList calls;
    std::vector<QStringList> open;
    std::size_t depth = 0;  // of the open call, from 1
    for (const QString& line : printed) {
        if (line.startsWith(QLatin1String("ENTER "))) {
            open.push_back(line.split(u' '));
            if (depth == 0 && open.back()[2].startsWith(QLatin1String("MPI_"))) depth = open.size();
        } else if (line.startsWith(QLatin1String("LEAVE "))) {
            if (depth == open.size()) {
                calls += open.back()[1] + u' ' + line.section(u' ', 1);
                depth = 0;
            }
            open.pop_back();
        }
    }
    return calls;
}

}  // namespace

class TestOtf2Import : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void agreesWithOtf2Print_data();
    void agreesWithOtf2Print();
    void matchesAllMessages();
    void doesNotDependOnThreads();
    void importsWhatIsLeft();
    void leavesNothingBehindAnError();
};

void TestOtf2Import::agreesWithOtf2Print_data()
{
    QTest::addColumn<QString>("path");
    for (const QString& parent : {importFolder, QStringLiteral(LONGPOLE_SHARED_TRACES "/otf2")}) {
        for (const QFileInfo& folder : QDir(parent).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name))
            QTest::addRow("%s", qPrintable(folder.filePath())) << folder.filePath();
    }
}

void TestOtf2Import::agreesWithOtf2Print()
{
    QFETCH(QString, path);
    const std::optional<PrintedOtf2> printed = printOtf2(path);
    if (!printed) QSKIP("otf2-print is not there");
    const Imported imported(path);
    QVERIFY(imported.store != nullptr);
    const TraceInfo& info = imported.store->info();
    std::map<std::string, std::int64_t> counts;
    std::int64_t records = 0;
    for (const RecordCount& count : imported.store->counts()) counts[count.kind.toStdString()] = count.count;
    for (const auto& [kind, count] : printed->counts) records += count;
    QCOMPARE(counts, printed->counts);
    QCOMPARE(info.records, records);
    QCOMPARE(info.begin, printed->firstEnter);
    QCOMPARE(info.end, printed->last);
    QCOMPARE(info.before, printed->firstEnter - printed->first);
    QCOMPARE(imported.report->issues.size(), 0u);

    std::vector<QStringList> calls;
    std::vector<QStringList> expected;
    for (const Processor& rank : imported.store->processors()) {
        const QStringList rows = rowsOf(*imported.store, ChunkKind::MpiCall, rank.track,
                                        {MpiCallColumn::Begin, MpiCallColumn::Duration});
        QStringList& own = calls.emplace_back();
        for (const QString& row : rows) {
            const qlonglong begin = row.section(u' ', 0, 0).toLongLong();
            own += QStringLiteral("%1 %2").arg(begin).arg(begin + row.section(u' ', 1).toLongLong());
        }
    }
    for (const QStringList& location : printed->locations) expected.push_back(callsOf(location));
    for (std::vector<QStringList>* list : {&calls, &expected}) {
        std::erase(*list, QStringList());
        std::sort(list->begin(), list->end());
    }
    QCOMPARE(calls, expected);
}

void TestOtf2Import::matchesAllMessages()
{
    const Imported imported(importFolder + QStringLiteral("/pipit_ping-pong"));
    QVERIFY(imported.store != nullptr);
    QCOMPARE(imported.store->info().messages, 16);
    QCOMPARE(imported.store->info().messagesMatched, 16);
    QCOMPARE(imported.store->info().executionsUnmatched, 0);
}

void TestOtf2Import::doesNotDependOnThreads()
{
    const QString path = importFolder + QStringLiteral("/casita_4_mpi_ls_barr");
    const Imported one(path, 1);
    const Imported several(path, 4);
    QVERIFY(!one.bytes().isEmpty());
    QCOMPARE(one.bytes(), several.bytes());
}

void TestOtf2Import::importsWhatIsLeft()
{
    const SmallRun copy;
    const QDir from(importFolder + QStringLiteral("/casita_4_mpi_ls_barr"));
    QVERIFY(QDir(copy.folder()).mkdir(QStringLiteral("traces")));
    for (const char* name :
         {"traces.otf2", "traces.def", "traces/0.def", "traces/0.evt", "traces/1.def", "traces/1.evt"})
        QVERIFY(QFile::copy(from.filePath(QString::fromLatin1(name)), copy.path(QString::fromLatin1(name))));
    const Imported imported(copy.folder());
    QVERIFY(imported.store != nullptr);
    QCOMPARE(imported.store->info().processors, 4);
    QCOMPARE(imported.store->info().records, 55);
    const std::vector<Issue>& issues = imported.report->issues;
    const auto missing = std::find_if(issues.begin(), issues.end(),
                                      [](const Issue& issue) { return issue.kind == u"missing_log"; });
    QVERIFY(missing != issues.end());
    QCOMPARE(missing->count, 2);
    QVERIFY2(missing->place.endsWith(QLatin1String("2.evt (MPI Rank 2)")), qPrintable(missing->place));
    QVERIFY(!imported.store->processors()[3].hasLog);
}

void TestOtf2Import::leavesNothingBehindAnError()
{
    const SmallRun run;
    run.write(QStringLiteral("x.otf2"), "no archive");
    const Imported imported(run.path(QStringLiteral("x.otf2")));
    QVERIFY(!imported.report.ok());
    QCOMPARE(imported.report.error().what, QStringLiteral("This anchor file of an OTF2 archive cannot be read."));
    QCOMPARE(QDir(imported.folder.path()).entryList(QDir::Files), QStringList());
}

LONGPOLE_TEST(TestOtf2Import)
#include "tst_otf2import.moc"
