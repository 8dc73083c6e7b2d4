// SPDX-License-Identifier: GPL-3.0-or-later
// A folder of Projections logs read by several processes: names, totals, issues and every stored row are those of the
// import, also where logs are missing, cut, of other runs or hostile; and what is put together is the import's file.
#include "core/store/tracestore.h"
#include "distributed/projections/creationpass.h"
#include "distributed/projections/hostedprojections.h"
#include "distributed/recording/wholetrace.h"
#include "distributed/transport/threadwire.h"
#include "importers/common/importer.h"

#include "distributed/lyingwire.h"
#include "distributed/recording/storedlines.h"
#include "support/mpi/unrulywire.h"
#include "support/synthetic.h"
#include "support/testmain.h"
#include "support/texts.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <mutex>
#include <random>

using namespace longpole;
using namespace longpole::tests;

namespace {

constexpr std::uint32_t lies = 60;

QStringList runsOfData()
{
    QStringList runs;
    const QDir data(QStringLiteral(LONGPOLE_TEST_DATA));
    for (const QString& name : data.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const Importer* const importer = importerFor(data.filePath(name));
        if (importer != nullptr && qstrcmp(importer->id, "projections") == 0) runs << name;
    }
    return runs;
}

void copyFolder(const QString& from, const QString& to)
{
    QDir().mkpath(to);
    for (const QFileInfo& entry : QDir(from).entryInfoList(QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot)) {
        const QString target = to + QLatin1Char('/') + entry.fileName();
        if (entry.isDir()) copyFolder(entry.filePath(), target);
        else QVERIFY(QFile::copy(entry.filePath(), target));
    }
}

void write(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

}  // namespace

class TestHostedFolders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        m_folder = std::make_unique<QTemporaryDir>();
    }

    void realRuns_data()
    {
        QTest::addColumn<QString>("name");
        for (const QString& name : runsOfData()) QTest::addRow("%s", qPrintable(name)) << name;
    }
    void realRuns()
    {
        QFETCH(QString, name);
        for (const int processes : {1, 2, 3, 4, 9})
            if (!QTest::currentTestFailed())
                compare(QStringLiteral(LONGPOLE_TEST_DATA "/") + name, processes, processes == 3);
    }

    // Ranks of AMPI, which run on several PEs each, and communication threads, which are PEs behind the others.
    void ranksAndThreads()
    {
        QDir().mkpath(run());
        write(run() + QStringLiteral("/a.sts"),
              "VERSION 11.0\nPROCESSORS 3\nCHARE 0 \"AMPI\" -1\nENTRY CHARE 0 \"rank\" 0 0\nEVENT 3 AMPI_Recv\nEND\n");
        const QByteArray head = "PROJECTIONS-RECORD 9\n6 1\n";
        write(run() + QStringLiteral("/a.0.log"),
              head + "2 4 0 100 0 0 80 0 0 0 0 0 5\n1 4 0 105 7 0 80 1\n3 0 0 110 0 0 0 6\n100 3 200 1 0 4\n"
                     "100 3 250 1 0 4\n100 3 100 2 0 7\n100 3 300 2 0 7\n7 900\n");
        write(run() + QStringLiteral("/a.1.log"),
              head + "100 3 50 1 0 4\n100 3 90 1 0 4\n100 3 200 2 0 4\n100 3 250 2 0 4\n7 900\n");
        write(run() + QStringLiteral("/a.2.log"), head + "2 4 0 130 7 0 80 0 0 0 0 0 5\n3 0 0 150 7 0 0 6\n7 900\n");
        for (const int processes : {1, 2, 3, 5})
            if (!QTest::currentTestFailed()) compare(run(), processes, false, true);
        write(run() + QStringLiteral("/a.sts"),
              "VERSION 11.0\nPROCESSORS 3\nSMPMODE 2 1\nCHARE 0 \"A\" -1\nENTRY CHARE 0 \"run\" 0 0\nEND\n");
        for (const int processes : {1, 2, 3})
            if (!QTest::currentTestFailed()) compare(run(), processes);
    }

    // More of everything than a block of what is exchanged holds.
    void manyMessages()
    {
        QDir().mkpath(run());
        QVERIFY(
            !writeSynthetic(run(), {.processors = 7, .records = 200'000, .seed = 5, .isCompressed = true}).isEmpty());
        for (const int processes : {2, 5})
            if (!QTest::currentTestFailed()) compare(run(), processes);
    }

    // What is done to a copy of a run.
    void harmed_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("harm");
        for (const char* name : {"wave2d_killed_p3", "features_p4", "jacobi2d_sdag_p4", "pingpong_net_p2"})
            for (const char* harm :
                 {"no .sts", "an empty .sts", "one log is missing", "one log is cut", "one log is empty",
                  "a log of another run", "all logs but one are missing", "a log that is none", "merges"})
                QTest::addRow("%s, %s", name, harm) << QString::fromUtf8(name) << QString::fromUtf8(harm);
    }
    void harmed()
    {
        QFETCH(QString, name);
        QFETCH(QString, harm);
        copyFolder(QStringLiteral(LONGPOLE_TEST_DATA "/") + name, run());
        const QDir folder(run());
        const QStringList logs = folder.entryList({QStringLiteral("*.log"), QStringLiteral("*.log.gz")}, QDir::Files);
        const QStringList symbols = folder.entryList({QStringLiteral("*.sts")}, QDir::Files);
        QVERIFY(logs.size() > 1 && symbols.size() == 1);
        const QString second = folder.filePath(logs[1]);
        const QString base = symbols[0].chopped(4);
        if (harm == QLatin1String("no .sts")) QVERIFY(QFile::remove(folder.filePath(symbols[0])));
        if (harm == QLatin1String("an empty .sts")) write(folder.filePath(symbols[0]), {});
        if (harm == QLatin1String("one log is missing")) QVERIFY(QFile::remove(second));
        if (harm == QLatin1String("one log is cut")) QVERIFY(QFile::resize(second, QFileInfo(second).size() * 2 / 3));
        if (harm == QLatin1String("one log is empty")) QVERIFY(QFile::resize(second, 0));
        if (harm == QLatin1String("a log of another run"))
            write(folder.filePath(base + QStringLiteral(".77.log")), "PROJECTIONS-RECORD 1\n6 3\n7 9\n");
        if (harm == QLatin1String("all logs but one are missing"))
            for (qsizetype i = 1; i < logs.size(); ++i) QVERIFY(QFile::remove(folder.filePath(logs[i])));
        if (harm == QLatin1String("a log that is none")) write(second, QByteArray(100'000, '\xfe'));
        if (harm == QLatin1String("merges"))
            write(folder.filePath(base + QStringLiteral(".merges")),
                  "MERGE 0 3 1 4\nMERGE 1 5 0 6\nMERGE 9 9 9 9\nMERGE 0 10 0 2\nnonsense\n");
        for (const int processes : {1, 3})
            if (!QTest::currentTestFailed()) compare(run(), processes);
    }

    // What another process sends is not trusted: whatever it is, the analysis ends, mostly with an error.
    void lyingProcesses()
    {
        const QString path = QStringLiteral(LONGPOLE_TEST_DATA "/jacobi2d_sdag_p4");
        int altered = 0, refused = 0;
        for (std::uint32_t seed = 0; seed < lies; ++seed) {
            const auto pass = static_cast<std::uint16_t>(AskCreations + seed % (TellExecutions - AskCreations + 1));
            std::vector<std::unique_ptr<Wire>> wires = threadWires(3);
            std::mt19937 random(seed);
            wires[1] = std::make_unique<LyingWire>(std::move(wires[1]), [&](std::uint16_t tag, Payload& bytes) {
                if (!isOfPass(tag, pass) || bytes.size() <= heading) return;
                for (int i = 0; i < 3; ++i)
                    bytes[random() % (bytes.size() - heading)] = static_cast<std::byte>(random());
                ++altered;
            });
            const Result<> ran = runOnThreads(std::move(wires), [&](Transport& transport) {
                const Result<HostedTrace> trace = hostProjections(transport, path,
                                                                  {.scratch = m_folder->path(), .isForTrace = false},
                                                                  Progress{});
                if (!trace) transport.fail(trace.error());
            });
            if (!ran) ++refused;
        }
        QVERIFY(altered > 0 && refused > 0);
    }

    // An error is everybody's, with the importer's words.
    void refuses()
    {
        QDir().mkpath(run());
        write(run() + QStringLiteral("/a.sts"), "VERSION 11.0\nPROCESSORS 2\nEND\n");
        QVERIFY(!imported(run()));
        compare(run(), 3);
    }

private:
    QString run() const { return m_folder->filePath(QStringLiteral("run")); }
    QString target() const { return m_folder->filePath(QStringLiteral("whole.longpole")); }
    Result<ImportReport> imported(const QString& path) const
    {
        return importerFor(path)->import(path, target(), ImportOptions{}, Progress{});
    }

    void refused(const QString& path, int processes, const QString& what)
    {
        std::mutex mutex;
        QStringList errors;
        const Result<> ran = runOnThreads(processes, [&](Transport& transport) {
            const Result<HostedTrace> trace = hostProjections(transport, path, {.scratch = m_folder->path()},
                                                              Progress{});
            const std::lock_guard lock(mutex);
            errors << (trace ? QStringLiteral("none") : trace.error().what);
        });
        QVERIFY(!ran.ok());
        QCOMPARE(errors, QStringList(processes, what));
    }

    // Every process' part against the import of the same folder.
    void compare(const QString& path, int processes, bool isUnruly = false, bool hasRanks = false)
    {
        const Result<ImportReport> report = imported(path);
        if (!report) return refused(path, processes, report.error().what);
        const auto whole = TraceStore::open(target());
        QVERIFY(whole.ok());
        const QString together = m_folder->filePath(QStringLiteral("together.longpole"));
        QFile::remove(together);
        std::mutex mutex;
        QStringList wrong;
        const auto body = [&](Transport& transport) {
            const Result<HostedTrace> trace = hostProjections(transport, path, {.scratch = m_folder->path()},
                                                              Progress{});
            if (!trace) return transport.fail(trace.error());
            const Result<HostedTrace> bare = hostProjections(transport, path,
                                                             {.scratch = m_folder->path(), .isForTrace = false},
                                                             Progress{});
            if (!bare) return transport.fail(bare.error());
            if (!writeWholeTrace(transport, *trace, together, Progress{})) return;
            const auto gathered = gatheredTrace(transport, *trace, m_folder->path(), Progress{});
            if (!gathered) return;
            const int process = transport.process();
            const auto isMine = [&](std::uint32_t pe) { return trace->hosting.hosts(process, pe); };
            const std::lock_guard lock(mutex);
            const auto same = [&](const char* what, const QStringList& is, const QStringList& should) {
                for (qsizetype i = 0; i < std::max(is.size(), should.size()); ++i)
                    if (is.value(i) != should.value(i)) {
                        wrong << QStringLiteral("process %1, %2: '%3' instead of '%4'")
                                     .arg(process)
                                     .arg(QLatin1String(what), is.value(i), should.value(i));
                        return;
                    }
            };
            // Tracks of ranks are in the trace that is put together only.
            if (!hasRanks) same("definitions", definitionsOf(*trace->store), definitionsOf(**whole));
            if (!hasRanks) same("definitions for answers", definitionsOf(*bare->store), definitionsOf(**whole));
            same("rows", chunksOf(*trace->store, isMine), chunksOf(**whole, isMine));
            const bool hasGathered = *gathered != nullptr;
            if (hasGathered != transport.isRoot()) wrong << QStringLiteral("gathered elsewhere");
            const auto isAny = [](std::uint32_t) { return true; };
            if (hasGathered) same("gathered rows", chunksOf(**gathered, isAny), chunksOf(**whole, isAny));
            if (hasGathered && !hasRanks)
                same("gathered definitions", definitionsOf(**gathered), definitionsOf(**whole));
            same("others' rows", chunksOf(*trace->store, [&](std::uint32_t pe) { return !isMine(pe); }), {});
        };
        const Result<> ran = isUnruly ? runUnruly(processes, 7, body, 500) : runOnThreads(processes, body);
        QVERIFY2(ran.ok(), ran.ok() ? "" : qPrintable(toText(ran.error())));
        QCOMPARE(wrong.join(QLatin1Char(10)), QString());
        QVERIFY(contentOf(together) == contentOf(target()));
        QCOMPARE(QDir(m_folder->path()).entryList({QStringLiteral("longpole-*")}).size(), 0);
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

LONGPOLE_TEST(TestHostedFolders)
#include "tst_hostedfolders.moc"
